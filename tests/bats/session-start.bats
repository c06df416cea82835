#!/usr/bin/env bats
# What a client that starts is told.

setup() {
  # shellcheck source=tests/bats/hook.bash
  . "$BATS_TEST_DIRNAME/hook.bash"
  make_repository
}

# says TEXT...: exit 0, nothing on stderr, and stdout holds every TEXT and is no JSON.
says() {
  local text
  show
  [[ $status == 0 && -z $ERR && $OUT != \{* ]] || return 1
  for text in "$@"; do
    [[ $OUT == *"$text"* ]] || { echo "missing: $text" && return 1; }
  done
}

@test "nothing is said without a session and with everything installed" {
  start_client startup
  passes
}

@test "every source tells session, phase, step, gate, instruction and what to call" {
  start_session
  for source in startup resume clear compact; do
    start_client "$source"
    says s-1 EXPLORATION 'step 5' 'gate closed' 'Look around.' submit_phase get_session_status
  done
}

@test "the language is the session's, else the configured one, else the locale's" {
  start_session
  sed -i.bak 's/"language":"en"/"language":"ja"/' "$STATE"
  start_client startup
  says s-1 '進行中' '今は編集できません' '現在の指示:' 'Look around.'
  echo '{"gate":"' >"$STATE"
  start_client startup
  says 'not a state'
  printf 'enforce: never\nlanguage: ja\n' >"$WORK/.readygate/config.yml"
  start_client startup
  says 'この版が理解できる state ではない'
}

@test "an open gate is told as open" {
  start_session open READY 13
  start_client compact
  says 'step 13' 'gate open'
}

@test "an instruction keeps its lines, quotes and backslashes" {
  local text=$'first "line"\nsecond \\n $HOME `id` %s\n\n日本語'
  start_session closed Q1 6 "$(jq -cn --arg text "$text" '{schema: 1, owner: null, last_activity: (now * 1000 | floor), instruction: $text}' | sed "s|^{|$BEGUN|")"
  start_client resume
  says "$text"
}

@test "a session in a folder above is told" {
  start_session
  mkdir -p "$WORK/src/deep"
  cd "$WORK/src/deep"
  WORK=$WORK/src/deep start_client startup
  says s-1
}

# rest_for HOURS OWNER: a session without activity for so long.
rest_for() {
  start_session closed Q1 6 "$BEGUN\"schema\":1,\"owner\":$2,\"last_activity\":$((($(date +%s) - $1 * 3600) * 1000)),\"instruction\":\"Look.\"}"
}

@test "a dormant session says how to resume and how to clear" {
  rest_for 25 '"someone"'
  start_client startup
  says dormant s-1 get_session_status /readygate:code '--clean'
  [[ $OUT != *'is active'* ]]
}

@test "a session that is active in days to come is dormant" {
  rest_for -25 '"someone"'
  start_client startup
  says dormant s-1
}

# hides_instruction: the session is named as one that is not of here, and nothing of its words is told.
hides_instruction() {
  start_client startup
  says 'not known to be one of this work tree' get_session_status '--clean' && [[ $OUT != *'Look around.'* ]]
}

@test "the instruction of a session that came with the repository is not told" {
  start_session
  rm "$WORK/.readygate/sessions/s-1/journal.jsonl"
  hides_instruction
  BEGUN='"work_tree":".",'
  start_session
  hides_instruction
  BEGUN=
  start_session
  hides_instruction
}

@test "the instruction of a session in a copied or moved folder is not told" {
  start_session
  cp -R "$WORK" "$WORK-copy"
  cd "$WORK-copy"
  WORK=$WORK-copy hides_instruction
  mv "$WORK" "$WORK-moved"
  cd "$WORK-moved"
  WORK=$WORK-moved hides_instruction
}

@test "a root under another name is the same root" {
  start_session
  ln -s "$WORK" "$WORK-link"
  cd "$WORK-link"
  WORK=$WORK-link start_client startup
  says 'Look around.'
}

@test "an old session of this client is active" {
  rest_for 25 '"me"'
  start_client resume
  says 'is active' 'Look.'
}

@test "without jq the session is told, and get_session_status for the rest" {
  start_session
  path_without jq
  start_client startup
  says s-1 EXPLORATION get_session_status 'jq is missing' 'install jq'
  [[ $OUT != *'Look around.'* ]]
}

@test "a missing program is named with its repair" {
  for program in jq node git; do
    path_without "$program"
    # node is wherever the tests found it
    [[ $program == node ]] || ln -sf "$(command -v node)" "$HOOK_PATH/node"
    start_client startup
    says 'missing' 'Repair: install'
    [[ $(wc -l <"$BATS_TEST_TMPDIR/out") -eq 1 ]]
    grep -qi "$program" "$BATS_TEST_TMPDIR/out"
  done
}

@test "a node that is too old is named with its version" {
  path_without node
  printf '#!/bin/sh\necho v18.19.1\n' >"$HOOK_PATH/node"
  chmod +x "$HOOK_PATH/node"
  start_client startup
  says 'v18.19.1' 'older than 20.3' 'Node 20.3'
}

@test "so is one whose minor version is too old; the first that will do is not" {
  path_without node
  printf '#!/bin/sh\necho v20.2.9\n' >"$HOOK_PATH/node"
  chmod +x "$HOOK_PATH/node"
  start_client startup
  says 'v20.2.9' 'older than 20.3'
  local version
  for version in v20.3.0 v22.0.0; do
    printf '#!/bin/sh\necho %s\n' "$version" >"$HOOK_PATH/node"
    start_client startup
    if grep -q 'older than' "$BATS_TEST_TMPDIR/out"; then return 1; fi
  done
}

@test "a damaged state is named with its repair" {
  start_session
  echo garbage >"$STATE"
  start_client startup
  says 'not a state' /readygate:code '--clean'
}

@test "a state that is cut off behind the gate line is told by its gate line" {
  start_session closed Q1 6 '"schema":1,"own'
  start_client startup
  says s-1 Q1 get_session_status
}
