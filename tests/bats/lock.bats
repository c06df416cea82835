#!/usr/bin/env bats
# The lock and the fenced commit in bash, and readygate clean where Node.js is missing. Together with Node's writers:
# tests/vitest/state/writers.test.ts.

setup() {
  # shellcheck source=tests/bats/hook.bash
  . "$BATS_TEST_DIRNAME/hook.bash"
  make_repository
  start_session
  LOCK=$WORK/.readygate/state.json.lock
}

# in_bash SCRIPT: runs it in a bash of its own with the functions read; sets status and output.
in_bash() {
  run "${BASH32:-/bin/bash}" -uc ". '$PLUGIN/hooks/lib/lock.sh'; . '$PLUGIN/hooks/lib/commit.sh'; ROOT='$WORK'; $1"
  echo "$output"
}

# dated SECONDS FILE: makes it that much older; negative for the future.
dated() {
  local when=$(($(date +%s) - $1))
  touch -t "$(date -d "@$when" +%Y%m%d%H%M.%S 2>/dev/null || date -r "$when" +%Y%m%d%H%M.%S)" "$2"
}

# tidy: nothing is left beside the state.
tidy() {
  ls -A "$WORK/.readygate"
  [[ $(cd "$WORK/.readygate" && echo state.json.*) == 'state.json.*' ]]
}

@test "a lock is taken, held and given back" {
  in_bash 'lock_take "$ROOT" && [[ -d $ROOT/.readygate/state.json.lock ]] && lock_release && [[ ! -e $ROOT/.readygate/state.json.lock ]]'
  [[ $status == 0 ]]
  tidy
}

@test "a lock is given back however the script ends" {
  in_bash 'lock_take "$ROOT"; exit 3'
  [[ $status == 3 ]]
  tidy
  in_bash 'lock_take "$ROOT"; kill -TERM $$; exit 3'
  [[ $status == 143 ]]
  tidy
}

@test "a held lock is a timeout" {
  mkdir "$LOCK"
  in_bash 'LOCK_DEADLINE=0; lock_take "$ROOT"'
  [[ $status == 1 && -d $LOCK ]]
}

@test "a lock left behind is broken" {
  mkdir "$LOCK"
  dated 12 "$LOCK"
  in_bash 'LOCK_DEADLINE=0; lock_take "$ROOT"'
  [[ $status == 0 ]]
  tidy
}

@test "a guard left behind by a breaker that died is broken, too" {
  mkdir "$LOCK" "$LOCK.break"
  dated 12 "$LOCK"
  dated 12 "$LOCK.break"
  in_bash 'lock_take "$ROOT"'
  [[ $status == 0 ]]
  tidy
}

@test "a file in the lock's place is left alone, and a timeout" {
  echo mine >"$LOCK"
  dated 12 "$LOCK"
  in_bash 'LOCK_DEADLINE=0; lock_take "$ROOT"'
  [[ $status == 1 && $(cat "$LOCK") == mine ]]
}

@test "a lock dated in the future is watched, and broken only when it stays as it is" {
  mkdir "$LOCK"
  dated -3600 "$LOCK"
  in_bash 'LOCK_DEADLINE=0 LOCK_STALE=1; lock_is_stale "$ROOT/.readygate/state.json.lock" || lock_take "$ROOT"'
  [[ $status == 0 ]]
  tidy
}

@test "a lock that somebody took over is not given back" {
  in_bash 'lock_take "$ROOT"; rmdir "$ROOT/.readygate/state.json.lock"; mkdir "$ROOT/.readygate/other"; mkdir "$ROOT/.readygate/state.json.lock"; lock_release'
  [[ $status == 0 && -d $LOCK ]]
}

@test "without a folder to lock in there is no lock, at once" {
  in_bash 'lock_take "$ROOT/nowhere"'
  [[ $status == 2 ]]
}

@test "a commit replaces the state, and what other writers left is cleared away" {
  mkdir "$WORK/.readygate/state.json.own.host.1.a" "$WORK/.readygate/state.json.dead.1"
  echo half >"$WORK/.readygate/state.json.own.host.1.a/new"
  in_bash 'commit_state "$ROOT" sed "1s/\"rev\":1,/\"rev\":2,/"'
  [[ $status == 0 && $(head -n 1 "$STATE") == *'"rev":2,' && $(jq -r .instruction "$STATE") == 'Look around.' ]]
  tidy
}

@test "a damaged state that a dead writer was about to keep is kept" {
  mkdir "$WORK/.readygate/state.json.own.host.1.a"
  echo damaged >"$WORK/.readygate/state.json.own.host.1.a/corrupt"
  in_bash 'commit_state "$ROOT" cat'
  [[ $status == 0 && $(cat "$WORK"/.readygate/state.json.corrupt-*) == damaged ]]
}

@test "a filter that fails changes nothing" {
  local before
  before=$(cat "$STATE")
  in_bash 'commit_state "$ROOT" false'
  [[ $status == 1 && $(cat "$STATE") == "$before" ]]
  tidy
}

# readygate_without_node ANSWER: runs readygate clean in a terminal, where there is no Node.js.
readygate_without_node() {
  path_without node
  run env -i PATH="$HOOK_PATH" HOME="$BATS_TEST_TMPDIR" script -qec "$PLUGIN/bin/readygate clean" /dev/null <<<"$1"
  echo "$output"
}

needs_script() {
  script --version 2>/dev/null | grep -q util-linux || skip 'there is no script(1) of util-linux to give a terminal'
}

@test "without Node.js, clean ends the session when the person says so" {
  needs_script
  readygate_without_node clean
  [[ $status == 0 && $output == *'was archived'* && ! -e $STATE ]]
  [[ $(jq -r '[.phase, .gate, .step, .instruction] | join(" ")' "$WORK/.readygate/sessions/s-1/state.json") == 'SESSION_COMPLETE closed 5 Look around.' ]]
  tidy
}

@test "without Node.js, clean leaves the session when the person wants to keep it" {
  needs_script
  readygate_without_node keep
  [[ $status == 1 && -e $STATE ]]
}

@test "without Node.js and without a terminal, clean says where to run it" {
  path_without node
  run env -i PATH="$HOOK_PATH" "$PLUGIN/bin/readygate" clean </dev/null
  [[ $status == 1 && $output == *'in a terminal'* && -e $STATE ]]
}

@test "without Node.js, clean keeps a damaged state" {
  echo nonsense >"$STATE"
  path_without node
  run env -i PATH="$HOOK_PATH" "$PLUGIN/bin/readygate" clean </dev/null
  [[ $status == 0 && ! -e $STATE && $(cat "$WORK"/.readygate/state.json.corrupt-*) == nonsense ]]
}

@test "without Node.js, every other command says what is missing" {
  path_without node
  run env -i PATH="$HOOK_PATH" "$PLUGIN/bin/readygate" status
  [[ $status == 69 && $output == *'Install Node.js'* ]]
}
