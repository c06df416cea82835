#!/bin/bash
# SessionStart: tells the model which session is active and what to do next, and the user's programs that are missing.
# Plain text on stdout becomes context as it is; nothing is said when there is nothing to say. Always exit 0.
set -u

LIB=${BASH_SOURCE[0]%/*}
[[ $LIB == /* ]] || LIB=$PWD/$LIB
LIB=$LIB/lib
# shellcheck source=/dev/null
. "${LIB%/lib}/pre-tool.sh" roots
# shellcheck source=/dev/null
. "$LIB/session.sh"

# own_session: whether OWNER is the Claude session that starts, by its environment or by the payload.
own_session() {
  [[ -n $OWNER && ($OWNER == "${CLAUDE_CODE_SESSION_ID-}" || $RAW == *"\"session_id\":\"$OWNER\""*) ]]
}

# read_rest_of_state ROOT: sets RESTED, OWNER and INSTRUCTION from behind the gate line; fails without jq.
read_rest_of_state() {
  local answer newline=$'\n'
  answer=$(jq -r '(now * 1000 - .last_activity > 86400000), .owner // "", .instruction // ""' "$1/.readygate/state.json" 2>/dev/null) || return 1
  RESTED=${answer%%"$newline"*}
  answer=${answer#*"$newline"}
  OWNER=${answer%%"$newline"*}
  INSTRUCTION=${answer#"$OWNER"}
  INSTRUCTION=${INSTRUCTION#"$newline"}
}

tell_dormant() {
  printf 'Readygate: session %s in %s rests in phase %s (step %s). Nothing happened in it for 24 hours, so it is dormant and blocks nothing.\n' \
    "$SESSION" "$1" "$PHASE" "$STEP"
  echo 'To resume it: get_session_status and submit_phase, or /readygate:code again. To clear it, the user types /readygate:code --clean.'
}

tell_active() {
  local edits='files may be edited'
  [[ $GATE == closed ]] && edits='no edits now'
  printf 'Readygate: session %s is active in %s: phase %s, step %s, gate %s (%s).\n' "$SESSION" "$1" "$PHASE" "$STEP" "$GATE" "$edits"
  [[ -n $INSTRUCTION ]] && printf 'Current instruction:\n%s\n' "$INSTRUCTION"
  echo 'Answer it with submit_phase; get_session_status shows the whole response again.'
}

# tell_session ROOT
tell_session() {
  RESTED='' OWNER='' INSTRUCTION=''
  if ! read_gate "$1"; then
    echo "Readygate: $1/.readygate/state.json is not a state this version understands, so edits are not gated. Repair: /readygate:code --clean"
  elif [[ $PHASE == SESSION_COMPLETE ]]; then
    return 0 # a crash came before it was archived; the next call of the server does that
  elif read_rest_of_state "$1" && [[ $RESTED == true ]] && ! own_session; then
    tell_dormant "$1"
  else
    tell_active "$1"
  fi
}

tell_sessions() {
  local root before=
  for root in ${ROOTS[@]+"${ROOTS[@]}"}; do
    [[ $root == "$before" ]] || tell_session "$root"
    before=$root
  done
}

tell_missing_jq() {
  command -v jq >/dev/null && return
  echo 'Readygate: jq is missing, so the hooks cannot refuse edits and only the server does. Repair: install jq (apt install jq, brew install jq).'
}

tell_missing_node() {
  local version found='is missing'
  version=$(node --version 2>/dev/null)
  [[ $version =~ ^v([0-9]+)\. ]] && ((BASH_REMATCH[1] >= 20)) && return
  [[ -n $version ]] && found="is $version, older than 20"
  echo "Readygate: Node $found, so the server cannot start. Repair: install Node 20 or newer (https://nodejs.org)."
}

tell_missing_git() {
  command -v git >/dev/null && return
  echo 'Readygate: git is missing, so there are no branches and no commits. Repair: install git (apt install git, brew install git).'
}

tell_sessions
tell_missing_jq
tell_missing_node
tell_missing_git
exit 0
