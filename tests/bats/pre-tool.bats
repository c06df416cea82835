#!/usr/bin/env bats
# The hook as a function: what it answers to broken input, a broken state and a poor machine.

setup() {
  # shellcheck source=tests/bats/hook.bash
  . "$BATS_TEST_DIRNAME/hook.bash"
  make_repository
}

# a_state_passes_with_note TEXT: an edit under the state that stands there.
a_state_passes_with_note() {
  run_hook file < <(edit_of "$WORK/src/a.js")
  passes_with_note "$1"
}

@test "own answers allow and nothing else" {
  start_session
  run_hook own </dev/null
  show
  [[ $status == 0 && -z $ERR ]]
  [ "$OUT" = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}' ]
}

@test "without a session it passes whatever is on stdin" {
  run_hook file < <(edit_of "$WORK/src/a.js")
  passes
  run_hook file </dev/null
  passes
  run_hook file < <(head -c 100000 /dev/urandom)
  passes
}

@test "a closed gate refuses, and the reason says where, what to do and the way out" {
  start_session
  run_hook file < <(edit_of "$WORK/src/a.js")
  refuses RG01
  for said in "$WORK/src/a.js" s-1 EXPLORATION 'step 5' submit_phase /readygate:override; do
    [[ $ERR == *"$said"* ]]
  done
}

@test "the reason is Japanese when the session is" {
  start_session closed EXPLORATION 5 "\"schema\":1,\"owner\":null,\"last_activity\":$(($(date +%s) * 1000)),\"language\":\"ja\"}"
  run_hook file < <(edit_of "$WORK/src/a.js")
  refuses RG01
  [[ $ERR == *編集できません* && $ERR == *submit_phase* ]]
}

@test "an open gate passes edits of every size" {
  start_session open READY 13
  for size in 10 2000 4000 70000 1000000; do
    run_hook file < <(edit_of "$WORK/src/a.js" "$(head -c $size /dev/zero | tr '\0' x)")
    passes
  done
}

@test "an open gate needs no jq unless a guarded place is named" {
  start_session open READY 13
  path_without jq
  run_hook file < <(edit_of "$WORK/src/a.js" "$(head -c 30000 /dev/zero | tr '\0' x)")
  passes
}

@test "an open gate passes text that names a guarded place" {
  start_session open READY 13
  run_hook file < <(edit_of "$WORK/src/a.js" 'see .readygate/config.yml and .git/hooks')
  passes
}

@test "a payload of 1 MB is judged" {
  start_session
  run_hook file < <(jq -cn --arg path "$WORK/src/a.js" --arg text "$(head -c 100000 /dev/zero | tr '\0' x)" \
    '{tool_name: "Write", tool_input: {content: ($text * 10), file_path: $path}}')
  refuses RG01
}

@test "a payload that is printed over many lines is judged" {
  start_session
  cd /
  run_hook file < <(edit_of "$WORK/src/a.js" | jq .)
  refuses RG01
}

@test "without jq a closed gate passes and says so" {
  start_session
  path_without jq
  a_state_passes_with_note 'jq is not installed'
}

@test "what host and server write is judged without jq" {
  [[ -n ${EPOCHSECONDS-} ]] || skip 'bash before 5 has no clock'
  start_written_session
  path_without jq
  run_hook file < <(edit_of "$WORK/src/a.js")
  refuses RG01
  plain=$ERR
  run_hook file < <(edit_of "$WORK/日本語 [id]/{a}.js" "$(head -c 30000 /dev/zero | tr '\0' x)")
  refuses RG01
  run_hook file < <(edit_of "$WORK/.readygate/config.yml")
  refuses RG06
  run_hook file < <(edit_of "$BATS_TEST_TMPDIR/a.js")
  passes
  # The host's other fields, and one that nests.
  run_hook file < <(edit_of "$WORK/src/a.js" | jq -c '{session_id, transcript_path: "/a b/{c}[d].jsonl", cwd, prompt_id: "1-2",
    permission_mode: "default", effort: {level: "high"}, fast: true, none: null} + . + {tool_use_id: "t"}')
  refuses RG01
  unset HOOK_PATH
  start_session
  run_hook file < <(edit_of "$WORK/src/a.js")
  [ "$ERR" = "$plain" ]
}

@test "the reason without jq is Japanese when the session is" {
  [[ -n ${EPOCHSECONDS-} ]] || skip 'bash before 5 has no clock'
  start_written_session ja
  path_without jq
  run_hook file < <(edit_of "$WORK/src/a.js")
  refuses RG01
  [[ $ERR == *編集できません* ]]
}

@test "what looks different is left to jq" {
  start_written_session
  path_without jq
  for change in '.cwd |= . + "\""' '.tool_input.file_path |= . + "\u0001"' '.tool_input |= ({old_string} + .)' '{tool_name} + .' \
    '.extra = [1] | {session_id, extra} + .' '{session_id, extra: {deep: {cwd: "/"}}} + .' 'del(.session_id)'; do
    run_hook file < <(edit_of "$WORK/src/a.js" | jq -c "$change")
    passes_with_note 'jq is not installed'
  done
  run_hook file < <(edit_of "$WORK/src/a.js" | sed 's/}}$//')
  passes_with_note 'jq is not installed'
  printf '%s' "$(<"$STATE")" >"$STATE"
  a_state_passes_with_note 'jq is not installed'
  start_session closed EXPLORATION 5 $' "schema": 2,\n "git": {\n  "branch": null\n },\n "owner": null,\n "last_activity": 1,\n "language": "en"\n}'
  a_state_passes_with_note 'jq is not installed'
}

@test "a jq that crashes passes and says so" {
  start_session
  path_without jq
  printf '#!/bin/sh\nkill -SEGV $$\n' >"$HOOK_PATH/jq"
  chmod +x "$HOOK_PATH/jq"
  a_state_passes_with_note 'not valid JSON'
}

@test "empty, truncated and invalid payloads pass and say so" {
  start_session
  run_hook file </dev/null
  passes_with_note 'call is'
  run_hook file < <(edit_of "$WORK/src/a.js" | head -c 120)
  passes_with_note 'not valid JSON'
  for text in '{' '[]' '"x"' '5' 'null' '{"tool_name":5}' '{"tool_name":"Edit","tool_input":"x"}' '{"tool_name":"Edit"} trailing'; do
    run_hook file <<<"$text"
    passes_with_note 'not valid JSON'
  done
  run_hook file <<<'{"tool_name":"Edit"}'
  passes_with_note 'names no file'
}

@test "binary garbage passes and says so" {
  start_session
  run_hook file < <(printf '\0\377\376{"a"\0:\1}\n\n\0')
  passes_with_note 'not valid JSON'
  run_hook file < <(head -c 300000 /dev/urandom)
  passes_with_note 'not valid JSON'
}

@test "a closed stdin passes and says so" {
  start_session
  run_hook file <&-
  show
  [[ $status == 0 && -z $OUT ]]
}

@test "a state that is a folder, a pipe or a device passes and says so" {
  mkdir -p "$STATE"
  a_state_passes_with_note 'not a state'
  rmdir "$STATE"
  mkfifo "$STATE"
  a_state_passes_with_note 'not a state'
  rm "$STATE"
  ln -s /dev/zero "$STATE"
  a_state_passes_with_note 'not a state'
}

@test "a state that is a dangling link is no session" {
  mkdir -p "$WORK/.readygate"
  ln -s nowhere "$STATE"
  run_hook file < <(edit_of "$WORK/src/a.js")
  passes
}

@test "a .readygate that is a file is no session" {
  : >"$WORK/.readygate"
  run_hook file < <(edit_of "$WORK/src/a.js")
  passes
}

@test "a state that may not be read passes and says so" {
  [[ $(id -u) != 0 ]] || skip 'root reads everything'
  start_session
  chmod 000 "$STATE"
  a_state_passes_with_note 'not a state'
}

@test "a huge state without a gate line passes and says so, soon" {
  mkdir -p "$WORK/.readygate"
  head -c 50000000 /dev/zero | tr '\0' '{' >"$STATE"
  SECONDS=0
  a_state_passes_with_note 'not a state'
  ((SECONDS < 3))
}

@test "a state of 2 MB is judged by its gate line and its own fields" {
  start_session closed Q1 6 "\"schema\":1,\"owner\":null,\"last_activity\":$(($(date +%s) * 1000)),\"tasks\":\"$(head -c 2000000 /dev/zero | tr '\0' x)\"}"
  run_hook file < <(edit_of "$WORK/src/a.js")
  refuses RG01
}

@test "NUL bytes in the state pass and say so" {
  mkdir -p "$WORK/.readygate"
  printf '{"gate":"clo\0sed","phase":"Q1","step":6,"session":"s-1","rev":1,\n\0"schema":1}\n' >"$STATE"
  a_state_passes_with_note 'state.json'
  head -c 4096 /dev/zero >"$STATE"
  a_state_passes_with_note 'not a state'
}

@test "a damaged catalog or library passes and says so" {
  start_session
  cp -R "$PLUGIN/hooks" "$BATS_TEST_TMPDIR/hooks"
  mkdir "$BATS_TEST_TMPDIR/state"
  cp -R "$PLUGIN/state/messages" "$BATS_TEST_TMPDIR/state/messages"
  HOOKS=$BATS_TEST_TMPDIR/hooks
  echo '{' >"$BATS_TEST_TMPDIR/state/guards.json"
  a_state_passes_with_note 'guards.json'
  echo 'broken() {' >"$HOOKS/lib/path.sh"
  a_state_passes_with_note 'path.sh is missing or damaged'
  rm "$HOOKS/lib/path.sh"
  a_state_passes_with_note 'path.sh is missing or damaged'
}

@test "without a session the language is the configured one, else the locale's" {
  mkdir -p "$WORK/.readygate"
  touch "$WORK/.readygate/enforce"
  edit_of src/a.js >"$BATS_TEST_TMPDIR/call"
  run_hook file <"$BATS_TEST_TMPDIR/call"
  refuses RG00
  [[ $ERR == *'start'* ]]
  echo 'language: ja' >"$WORK/.readygate/config.yml"
  run_hook file <"$BATS_TEST_TMPDIR/call"
  refuses RG00
  [[ $ERR == *'セッション'* ]]
}

@test "a note about a state that cannot be judged is in the user's language" {
  start_session
  printf 'language: ja\n' >"$WORK/.readygate/config.yml"
  echo nonsense >"$STATE"
  a_state_passes_with_note 'この版が理解できる state ではない'
}

@test "CDPATH, IFS and a strange environment change nothing" {
  start_session
  mkdir -p "$BATS_TEST_TMPDIR/elsewhere/src"
  status=0
  OUT=$(edit_of src/a.js | env -i PATH="$PATH" CDPATH="$BATS_TEST_TMPDIR/elsewhere" IFS=/ LC_ALL=xx_XX.UTF-8 POSIXLY_CORRECT=1 \
    "${BASH32:-/bin/bash}" "$PLUGIN/hooks/pre-tool.sh" file 2>"$BATS_TEST_TMPDIR/err") || status=$?
  ERR=$(grep -v 'setlocale' "$BATS_TEST_TMPDIR/err")
  refuses RG01
}

@test "without HOME and without the host's environment it still refuses" {
  start_session
  status=0
  OUT=$(edit_of src/a.js | env -i PATH="$PATH" "${BASH32:-/bin/bash}" "$PLUGIN/hooks/pre-tool.sh" file 2>"$BATS_TEST_TMPDIR/err") || status=$?
  ERR=$(cat "$BATS_TEST_TMPDIR/err")
  refuses RG01
}

@test "a folder that may not be entered is judged by its name" {
  [[ $(id -u) != 0 ]] || skip 'root enters everything'
  start_session
  mkdir "$WORK/locked"
  chmod 000 "$WORK/locked"
  run_hook file < <(edit_of "$WORK/locked/a.js")
  chmod 700 "$WORK/locked"
  refuses RG01
}

@test "a kind of tool it does not know passes" {
  start_session
  run_hook other < <(edit_of "$WORK/src/a.js")
  passes
}

@test "it decides the same where bash has no read -N" {
  cp -R "$PLUGIN/hooks" "$BATS_TEST_TMPDIR/hooks"
  cp -R "$PLUGIN/state" "$BATS_TEST_TMPDIR/state"
  HOOKS=$BATS_TEST_TMPDIR/hooks
  sed -i.bak 's/\[1-3\]\.\*/[1-9].*/; s/read -r -N/no-such-option/' "$HOOKS/pre-tool.sh" "$HOOKS/lib/file-tool.sh" "$HOOKS/lib/payload-cwd.sh"
  run_hook file < <(edit_of "$WORK/src/a.js")
  passes
  start_session
  for size in 10 100000; do
    run_hook file < <(edit_of "$WORK/src/a.js" "$(head -c $size /dev/zero | tr '\0' x)")
    refuses RG01
  done
  start_session open READY 13
  for size in 10 100000; do
    run_hook file < <(edit_of "$WORK/src/a.js" "$(head -c $size /dev/zero | tr '\0' x)")
    passes
  done
}
