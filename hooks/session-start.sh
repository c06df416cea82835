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
. "$LIB/say.sh"

# own_session: whether OWNER is the Claude session that starts, by its environment or by the payload.
own_session() {
  [[ -n $OWNER && ($OWNER == "${CLAUDE_CODE_SESSION_ID-}" || $RAW == *"\"session_id\":\"$OWNER\""*) ]]
}

# read_rest_of_state ROOT: sets RESTED, BEGUN_IN, LANGUAGE, OWNER and INSTRUCTION from behind the gate line; fails without jq.
read_rest_of_state() {
  local answer newline=$'\n'
  answer=$(jq -r '(now * 1000 - .last_activity | . > 86400000 or . < -86400000), (.work_tree | @json), (.language | if . == "ja" then . else "en" end), .owner // "", .instruction // ""' \
    "$1/.readygate/state.json" 2>/dev/null) || return 1
  RESTED=${answer%%"$newline"*}
  answer=${answer#*"$newline"}
  json_text "${answer%%"$newline"*}" && BEGUN_IN=$TEXT
  answer=${answer#*"$newline"}
  LANGUAGE=${answer%%"$newline"*}
  answer=${answer#*"$newline"}
  OWNER=${answer%%"$newline"*}
  INSTRUCTION=${answer#"$OWNER"}
  INSTRUCTION=${INSTRUCTION#"$newline"}
}

# is_of_here ROOT: whether the session was begun in this folder, and has a journal. Any other may have come with the commits, and its
# instruction is not for the model to read.
is_of_here() {
  [[ $BEGUN_IN == /* && $BEGUN_IN -ef $1 && -f $1/.readygate/sessions/$SESSION/journal.jsonl ]]
}

# tell KEY [NAME VALUE]...
tell() {
  say "$@"
  printf '%s\n' "$SAID"
}

# tell_standing KEY ROOT
tell_standing() {
  tell "$1" session "$SESSION" root "$2" phase "$PHASE" step "$STEP"
}

tell_active() {
  tell_standing "hook.active.$GATE" "$1"
  [[ -n $INSTRUCTION ]] && tell hook.active.instruction && printf '%s\n' "$INSTRUCTION"
  tell hook.active.ways
}

# tell_session ROOT
tell_session() {
  RESTED='' BEGUN_IN='' OWNER='' INSTRUCTION=''
  user_language "$1"
  if ! read_gate "$1"; then
    tell hook.start.not_a_state root "$1"
  elif [[ $PHASE == SESSION_COMPLETE ]]; then
    return 0 # a crash came before it was archived; the next call of the server does that
  elif read_rest_of_state "$1" && ! is_of_here "$1"; then
    tell hook.start.foreign root "$1"
  elif [[ $RESTED == true ]] && ! own_session; then
    tell_standing hook.dormant "$1"
    tell hook.dormant.ways
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
  command -v jq >/dev/null || tell hook.start.no_jq
}

tell_missing_node() {
  local version
  version=$(node --version 2>/dev/null)
  [[ $version =~ ^v([0-9]+)\.([0-9]+) ]] && ((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] >= 20003)) && return
  if [[ -n $version ]]; then
    tell hook.start.old_node version "$version"
  else
    tell hook.start.no_node
  fi
}

tell_missing_git() {
  command -v git >/dev/null || tell hook.start.no_git
}

tell_sessions
user_language "${CLAUDE_PROJECT_DIR:-$PWD}"
tell_missing_jq
tell_missing_node
tell_missing_git
exit 0
