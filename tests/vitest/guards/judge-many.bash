#!/bin/bash
# Usage: judge-many.bash PLUGIN DIR KIND. Judges DIR/0, DIR/1, …: each holds `root`, a `state` and `payloads`, a list of calls, one per line.
# One line per call on stdout: the reason of a refusal, or "pass". The hook's own functions decide; one jq per state, not per call,
# makes it fast enough for thousands.
set -u
LC_ALL=C

HOOKS=$1/hooks
START=$PWD
parts='session path place judge'
[[ $3 == shell ]] && parts+=' special-place shell'
for part in $parts "$3-tool"; do
  # shellcheck source=/dev/null
  . "$HOOKS/lib/$part.sh"
done

# say_pass TIMES
say_pass() {
  local i
  for ((i = 0; i < $1; i++)); do echo pass; done
}

# judge_calls ROOT TIMES: judges the documents in RAW, one a line.
judge_calls() {
  local line='' calls at=0
  calls=$RAW
  ask_jq "$1/.readygate/state.json" || return 1
  local all=("${FACTS[@]}" '[0')
  FACTS=("${all[0]}")
  # Only the first line of an answer begins like this.
  for line in "${all[@]:1}"; do
    [[ $line == '['[0-9]* ]] || { FACTS+=("$line") && continue; }
    RAW=${calls%%$'\n'*}
    calls=${calls#*$'\n'}
    judge_facts "$1" 2>&1 && echo pass
    FACTS=("$line")
    ((++at))
  done
  ((at == $2)) || echo "$at answers to $2 calls" >&2
  return 0
}

# judge_batch DIR
judge_batch() {
  local root='' line times=0
  IFS= read -r root <"$1/root"
  cp "$1/state" "$root/.readygate/state.json"
  RAW=
  while IFS= read -r line; do
    RAW+=$line$'\n'
    ((++times))
  done <"$1/payloads"
  export CLAUDE_PROJECT_DIR=$root
  if read_gate "$root"; then
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
