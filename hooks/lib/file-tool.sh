#!/bin/bash
# The slow path for Edit, Write, MultiEdit and NotebookEdit; read by pre-tool.sh when a gate may refuse.

# decode TEXT: sets DECODED, undoing the `encode` of file-tool.jq.
decode() {
  local newline=$'\n'
  DECODED=${1//=0A/$newline}
  DECODED=${DECODED//=3D/=}
}

# read_rest: completes RAW; from here on a parser needs the whole payload.
read_rest() {
  [[ -n $TRUNCATED ]] || return 0
  if ((BASH_VERSINFO[0] > 4)); then
    read_more 1073741824
  else
    RAW+=$(cat)
  fi
  TRUNCATED=
}

# ask_catalog ROOT GATE_LINE: sets ANSWER to what file-tool.jq says about the payload under this session.
ask_catalog() {
  [[ $2 =~ $GATE_LINE ]] || return 1
  # shellcheck disable=SC2016 # the variables are jq's
  ANSWER=$(printf '%s' "$RAW" | jq -L "$HOOKS/lib" -r -s \
    --slurpfile catalog "$PLUGIN/state/guards.json" --slurpfile states "$1/.readygate/state.json" \
    --arg gate "${BASH_REMATCH[1]}" --arg phase "${BASH_REMATCH[2]}" --arg step "${BASH_REMATCH[3]}" \
    --arg session "${BASH_REMATCH[4]}" --arg own "${CLAUDE_CODE_SESSION_ID-}" \
    'include "file-tool"; answer($catalog; $states; {gate: $gate, phase: $phase, step: $step, session: $session}; $own)' 2>/dev/null)
}

# next_field: moves the first line of ANSWER into FIELD, decoded.
next_field() {
  decode "${ANSWER%%$'\n'*}"
  FIELD=$DECODED
  ANSWER=${ANSWER#*$'\n'}
}

# judge_session ROOT GATE_LINE: 2 when this session's gate refuses the call, with the reason on stderr.
judge_session() {
  local verdict message target cwd
  if ! ask_catalog "$1" "$2"; then
    note "the tool call or $1/.readygate/state.json is not valid JSON; this call is not gated. If it stays so: /readygate:code --clean"
    return 0
  fi
  next_field && verdict=$FIELD
  next_field && message=$FIELD
  next_field && target=$FIELD
  next_field && cwd=$FIELD
  case $verdict in
  pass) return 0 ;;
  note) note "$message" && return 0 ;;
  deny) ;;
  *) note "jq gave no verdict; this call is not gated" && return 0 ;;
  esac
  if ((${#target} > 8192)); then
    note "the file name is longer than 8192 bytes; it is not gated, and no such file can be made"
    return 0
  fi
  is_inside "$target" "${cwd:-$START}" "$1" || return 0
  printf '%s\n' "$message" >&2
  return 2
}

# judge_file_tool: every active session judges; one refusal is enough.
judge_file_tool() {
  local i
  if ! command -v jq >/dev/null; then
    note "jq is not installed, so this hook cannot judge the call; edits are gated by the server alone. Install jq"
    return 0
  fi
  read_rest
  for ((i = 0; i < ${#ROOTS[@]}; i++)); do
    judge_session "${ROOTS[i]}" "${GATES[i]}" || return 2
  done
  return 0
}
