#!/bin/bash
# Usage: judge-many.bash PLUGIN DIR KIND. Judges DIR/0, DIR/1, …: each holds `root`, a `state` and `payloads`, a list of calls, one per line.
# One line per call on stdout: the reason of a refusal, or "pass". The hook's own functions decide; one jq per state, not per call,
# makes it fast enough for thousands. Of every tenth call what plain-facts.sh reads must be what jq reads; stderr tells of differences.
set -u
LC_ALL=C

HOOKS=$1/hooks
START=$PWD
HEAD=2048 # of pre-tool.sh
KIND=$3
parts='session path place judge plain-facts'
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

# compare_facts ROOT: the moment apart, both readers agree wherever the plain one answers.
compare_facts() {
  local own=("${FACTS[@]}") n
  plain_facts "$1/.readygate/state.json" || { FACTS=("${own[@]}") && return; }
  ((++PLAIN))
  [[ ${#FACTS[@]} == "${#own[@]}" && ${FACTS[0]#*,} == "${own[0]#*,}" ]] || echo "${FACTS[*]:0:7} is not ${own[*]:0:7}" >&2
  for ((n = 1; n < ${#own[@]}; n++)); do
    [[ ${FACTS[n]-} == "${own[n]}" ]] || echo "fact $n: ${FACTS[n]-} is not ${own[n]}" >&2
  done
  FACTS=("${own[@]}")
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
    ((at % 10)) || compare_facts "$1"
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

# RAW, START, HEAD, KIND and NOTE are for the functions of the hook.
NOTE='' PLAIN=0
: "$START" "$HEAD" "$KIND" "$NOTE"
for ((n = 0; ; n++)); do
  [[ -d $2/$n ]] || break
  judge_batch "$2/$n"
done
# Only bash 5 knows the time, and mcp has no plain reader.
[[ -z ${EPOCHSECONDS-} || $3 == mcp || $PLAIN != 0 ]] || echo "no call was plain" >&2
