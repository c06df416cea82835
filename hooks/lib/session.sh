#!/bin/bash
# shellcheck disable=SC2034 # what is set here is used by those who read this file
# Reading a session's state without the server. The same rules in TypeScript: mcp-server/src/guards/session-view.ts.

GATE_LINE='^\{"gate":"(closed|open)","phase":"([A-Z0-9_]+)","step":(null|[0-9]+),"session":"([^"\\]+)","rev":[0-9]+,$'

# note KEY [NAME VALUE]...: keeps the one line on stderr that a call which passes may leave behind, in the session's language if it
# is known, else in the user's.
note() {
  [[ -z $NOTE ]] || return 0
  # shellcheck source=/dev/null
  . "$HOOKS/lib/say.sh"
  LANGUAGE=${LANGUAGE_OF_STATE-}
  LANGUAGE=${LANGUAGE//\"/}
  [[ $LANGUAGE == en || $LANGUAGE == ja ]] || user_language "${ROOTS-${ENFORCED-}}"
  say "$@"
  NOTE=$SAID
}

# read_gate ROOT: sets GATE, PHASE, STEP and SESSION from the gate line of ROOT's state.
read_gate() {
  local line='' file=$1/.readygate/state.json
  # A pipe or a device would keep read waiting.
  [[ -f $file ]] && { IFS= read -r -n 512 line; } 2>/dev/null <"$file"
  [[ $line =~ $GATE_LINE ]] || return 1
  GATE=${BASH_REMATCH[1]} PHASE=${BASH_REMATCH[2]} STEP=${BASH_REMATCH[3]} SESSION=${BASH_REMATCH[4]}
}

# json_text STRING: sets TEXT to what the JSON string says; fails on a NUL, which bash cannot hold.
json_text() {
  TEXT=${1#\"}
  TEXT=${TEXT%\"}
  [[ $TEXT == *\\* ]] || return 0
  TEXT=${TEXT//\\\\/\\x5c}
  TEXT=${TEXT//\\\"/\\x22}
  TEXT=${TEXT//\\u00/\\x}
  [[ $TEXT != *\\x00* ]] || return 1
  printf -v TEXT '%b' "$TEXT"
}
