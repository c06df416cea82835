#!/bin/bash
# shellcheck disable=SC2034 # what is set here is used by the tests
# A repository with a session, and the hooks run in it; every test has its own under BATS_TEST_TMPDIR.

PLUGIN=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)

# make_repository: sets WORK, a folder that counts as a repository, and BEGUN, what a state begun there says of it, and makes it the current one.
make_repository() {
  WORK=$(cd "$BATS_TEST_TMPDIR" && pwd -P)/work
  mkdir -p "$WORK/.git" "$WORK/src"
  STATE=$WORK/.readygate/state.json
  BEGUN="\"work_tree\":\"$WORK\","
  cd "$WORK" || return
}

# start_session [GATE PHASE STEP [REST]]: places a state; REST replaces what follows the gate line.
start_session() {
  local gate=${1:-closed} phase=${2:-EXPLORATION} step=${3:-5} now
  now=$(($(date +%s) * 1000))
  mkdir -p "$WORK/.readygate/sessions/s-1"
  : >"$WORK/.readygate/sessions/s-1/journal.jsonl"
  printf '{"gate":"%s","phase":"%s","step":%s,"session":"s-1","rev":1,\n%s\n' "$gate" "$phase" "$step" \
    "${4:-$BEGUN\"schema\":1,\"owner\":null,\"last_activity\":$now,\"language\":\"en\",\"instruction\":\"Look around.\"\}}" >"$STATE"
}

# start_written_session [LANGUAGE]: places a state in the form in which the server writes it.
start_written_session() {
  local git=$'{\n  "base": "main",\n  "branch": null\n }'
  start_session closed EXPLORATION 5 " \"schema\": 1,"$'\n'" \"git\": $git,"$'\n "tasks": [],\n "owner": null,\n'" \"last_activity\": $(($(date +%s) * 1000)),
 \"language\": \"${1:-en}\",
 \"instruction\": \"Look around.\"
}"
}

# edit_of PATH [CONTENT]: a payload.
edit_of() {
  jq -cn --arg cwd "$WORK" --arg path "$1" --arg content "${2-}" '{session_id: "me", cwd: $cwd, hook_event_name: "PreToolUse",
    tool_name: "Edit", tool_input: {file_path: $path, old_string: "a", new_string: $content}}'
}

# run_hook KIND: runs pre-tool.sh on stdin; sets status, OUT and ERR.
run_hook() {
  status=0
  env -i PATH="${HOOK_PATH-$PATH}" HOME="$BATS_TEST_TMPDIR" CLAUDE_PROJECT_DIR="$WORK" CLAUDE_PLUGIN_ROOT="$PLUGIN" \
    "${BASH32:-/bin/bash}" "${HOOKS:-$PLUGIN/hooks}/pre-tool.sh" "$1" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
  OUT=$(tr '\0' '?' <"$BATS_TEST_TMPDIR/out")
  ERR=$(tr '\0' '?' <"$BATS_TEST_TMPDIR/err")
}

# start_client SOURCE: runs session-start.sh; sets status, OUT and ERR.
start_client() {
  status=0
  jq -cn --arg cwd "$WORK" --arg source "$1" '{session_id: "me", cwd: $cwd, hook_event_name: "SessionStart", source: $source}' |
    env -i PATH="${HOOK_PATH-$PATH}" HOME="$BATS_TEST_TMPDIR" CLAUDE_PROJECT_DIR="$WORK" CLAUDE_PLUGIN_ROOT="$PLUGIN" \
      "${BASH32:-/bin/bash}" "$PLUGIN/hooks/session-start.sh" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
  OUT=$(cat "$BATS_TEST_TMPDIR/out")
  ERR=$(cat "$BATS_TEST_TMPDIR/err")
}

# passes: exit 0, nothing said.
passes() {
  show
  [[ $status == 0 && -z $OUT && -z $ERR ]]
}

# passes_with_note TEXT: exit 0, and one line on stderr that holds TEXT.
passes_with_note() {
  show
  [[ $status == 0 && -z $OUT && $ERR == "readygate: "*"$1"* && $ERR != *$'\n'* ]]
}

# refuses GUARD: exit 2, and a reason of GUARD on stderr.
refuses() {
  show
  [[ $status == 2 && -z $OUT && $ERR == "Readygate $1 "* && $ERR != *$'\n'* ]]
}

show() {
  printf 'exit %s\nstdout: %s\nstderr: %s\n' "$status" "$OUT" "$ERR"
}

# path_without PROGRAM: sets HOOK_PATH to a folder that offers every program of /usr/bin and /bin, but PROGRAM.
path_without() {
  HOOK_PATH=$(mktemp -d "$BATS_TEST_TMPDIR/bin-XXXXXX")
  ln -s /bin/* "$HOOK_PATH" 2>/dev/null || true
  ln -s /usr/bin/* "$HOOK_PATH" 2>/dev/null || true
  rm -f "$HOOK_PATH/$1"
}
