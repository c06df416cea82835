#!/bin/bash
# The slow path for Edit, Write, MultiEdit and NotebookEdit; read by pre-tool.sh when a gate may refuse.
# The same rules in TypeScript: mcp-server/src/guards/file-tools.ts.

DORMANT_AFTER_MS=86400000
MAX_PATH_BYTES=8192

# read_rest: completes RAW; a parser needs the whole payload.
read_rest() {
  local rest=
  if [[ $BASH_VERSION == [1-3].* ]]; then
    rest=$(cat)
  else
    IFS= read -r -N 1073741824 rest
  fi
  RAW+=$rest
}

# ask_jq ROOT: sets FACTS to the lines of facts.jq about RAW and the session of ROOT.
ask_jq() {
  local answer IFS=$'\n'
  answer=$(exec jq -c -f "$HOOKS/lib/facts.jq" --slurpfile catalog "${HOOKS%/hooks}/state/guards.json" \
    --slurpfile states "$1/.readygate/state.json" 2>/dev/null <<<"$RAW") || return
  set -f
  # shellcheck disable=SC2206 # JSON on one line holds no newline
  FACTS=($answer)
  set +f
}

# read_state FACT: sets LANGUAGE_OF_STATE and OWNER (JSON) and AGE_MS; fails on a state that is not understood.
read_state() {
  local form='^\[([0-9]+)[^,]*,1,(-?[0-9]+)(\.[0-9]+)?,(null|"([^"\\]|\\.)*"),(.*),null]$'
  [[ $1 =~ $form ]] || return 1
  AGE_MS=$((BASH_REMATCH[1] * 1000 - BASH_REMATCH[2]))
  OWNER=${BASH_REMATCH[4]}
  LANGUAGE_OF_STATE=${BASH_REMATCH[6]}
}

# is_dormant SESSION: without activity for a day, and of another Claude session than SESSION (JSON).
is_dormant() {
  ((AGE_MS > DORMANT_AFTER_MS)) && [[ $OWNER != "$1" && $OWNER != "\"${CLAUDE_CODE_SESSION_ID-}\"" ]]
}

# find_guard TOOL: sets GUARD to the first denying entry of the catalog for TOOL (JSON) at this gate and step, as lines of FACTS.
find_guard() {
  local at applies
  for ((at = 5; at < ${#FACTS[@]}; at += 7)); do
    applies=${FACTS[at + 4]}
    if [[ ${FACTS[at + 3]} == '"deny"' && $applies == *"\"gate\":\"$GATE\""* && $applies == *[[,]"$STEP"[],]* && $applies == *"$1"* ]]; then
      GUARD=("${FACTS[@]:at:7}")
      return 0
    fi
  done
  return 1
}

# refuse TOOL TARGET: prints the reason of GUARD. The path is filled in last, since only it could hold a placeholder.
refuse() {
  local reason message remedy language=3 path=$2 newline=$'\n' IFS='"'
  path=${path//"$newline"/\\n}
  [[ $LANGUAGE_OF_STATE == '"ja"' ]] && language=7
  set -f
  # Split at quotes, {"en":"text","ja":"text"} has its texts at 3 and 7; they hold no quote or backslash, tests see to it.
  # shellcheck disable=SC2206
  message=(${GUARD[5]}) remedy=(${GUARD[6]})
  set +f
  reason="Readygate ${GUARD[0]//\"/} ${GUARD[1]//\"/}: ${message[language]} ${remedy[language]}"
  reason=${reason//'{session}'/"$SESSION"}
  reason=${reason//'{phase}'/"$PHASE"}
  reason=${reason//'{step}'/"$STEP"}
  reason=${reason//'{tool}'/"$1"}
  reason=${reason//'{path}'/"$path"}
  printf '%s\n' "$reason" >&2
}

# judge_facts ROOT: 2, with the reason on stderr, when the session of ROOT refuses the call that FACTS tells of.
judge_facts() {
  local cwd target=${FACTS[4]-}
  if ! read_state "${FACTS[0]-}"; then
    note "the tool call is empty, or $1/.readygate/state.json lacks schema 1, owner or last_activity, so the call is not gated. Repair of the state: /readygate:code --clean"
    return 0
  fi
  find_guard "${FACTS[3]}" || return 0
  is_dormant "${FACTS[1]}" && return 0
  case $target in
  '""' | [!\"]*)
    note "the call names no file, so it is not gated"
    return 0
    ;;
  esac
  json_text "${FACTS[2]}" && cwd=$TEXT
  if ! json_text "$target"; then
    note "the file name holds a NUL, so the call is not gated; no such file can be made"
    return 0
  fi
  target=$TEXT
  if ((${#target} > MAX_PATH_BYTES)); then
    note "the file name is longer than $MAX_PATH_BYTES bytes, so the call is not gated; no such file can be made"
    return 0
  fi
  is_inside "$target" "$cwd" "$1" || return 0
  refuse "${FACTS[3]//\"/}" "$target"
  return 2
}

# judge_session ROOT: 2 when this session refuses the call.
judge_session() {
  if ! read_gate "$1"; then
    note "$1/.readygate/state.json is not a state this version understands, so edits are not gated. Repair: /readygate:code --clean"
    return 0
  fi
  # RG06 (tamper) guards at an open gate, too; its place is before this line.
  [[ $GATE == closed ]] || return 0
  ask_jq "$1"
  case $? in
  0) judge_facts "$1" ;;
  127) note "jq is not installed, so this hook cannot judge the call; only the server gates edits. Repair: install jq" ;;
  *) note "the tool call, $1/.readygate/state.json or guards.json is not valid JSON, so the call is not gated. Repair of the state: /readygate:code --clean" ;;
  esac
}

# judge_file_tool: every active session judges; one refusal is enough, and then only its reason is told.
judge_file_tool() {
  local root before='' NOTE=
  read_rest
  for root in "${ROOTS[@]}"; do
    [[ $root == "$before" ]] && continue
    before=$root
    judge_session "$root" || return 2
  done
  [[ -z $NOTE ]] || printf 'readygate: %s\n' "$NOTE" >&2
}
