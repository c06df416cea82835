#!/bin/bash
# Usage: judge-many.bash PLUGIN DIR. Judges DIR/0, DIR/1, …: each holds `root`, a `state` and `payloads`, a list of calls, one per line.
# One line per call on stdout: the reason of a refusal, or "pass". The hook's own functions decide; one jq per state, not per call,
# makes it fast enough for thousands.
set -u
LC_ALL=C

HOOKS=$1/hooks
START=$PWD
for part in session path file-tool; do
  # shellcheck source=/dev/null
  . "$HOOKS/lib/$part.sh"
done

# say_pass TIMES
say_pass() {
  local i
  for ((i = 0; i < $1; i++)); do echo pass; done
}

# judge_calls ROOT TIMES: judges the documents in RAW.
judge_calls() {
  local i size all
  ask_jq "$1" || return 1
  all=("${FACTS[@]}")
  size=$((${#all[@]} / $2))
  for ((i = 0; i < $2; i++)); do
    FACTS=("${all[@]:i*size:size}")
    judge_facts "$1" 2>&1 && echo pass
  done
  return 0
}

# judge_batch DIR
judge_batch() {
  local root='' line times=0
  IFS= read -r root <"$1/root"
  cp "$1/state" "$root/.readygate/state.json"
  RAW=
  while IFS= read -r line; do
    RAW+=$line
    ((++times))
  done <"$1/payloads"
  if read_gate "$root" && [[ $GATE == closed ]]; then
    judge_calls "$root" "$times" || say_pass "$times"
  else
    say_pass "$times"
  fi
}

# RAW, START and NOTE are for the functions of the hook.
NOTE=
: "$START" "$NOTE"
for ((n = 0; ; n++)); do
  [[ -d $2/$n ]] || break
  judge_batch "$2/$n"
done
