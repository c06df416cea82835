#!/bin/bash
# readygate clean where Node.js is missing, so that a closed gate does not hold up anybody. Branches are left to git.

# shellcheck source=/dev/null
for part in session lock commit; do . "${BASH_SOURCE[0]%/*}/$part.sh"; done

# find_root: sets ROOT to the folder, here or above, that holds a state.
find_root() {
  local dir
  dir=$(pwd -P)
  while [[ $dir == /* ]]; do
    [[ -e $dir/.readygate/state.json || -L $dir/.readygate/state.json ]] && ROOT=$dir && return
    [[ -e $dir/.git ]] && return 1
    dir=${dir%/*}
  done
  return 1
}

# may_end: asks the person. An agent's tool may fake a terminal; its host says itself that it is there.
may_end() {
  local answer
  if [[ ! -t 0 || ! -t 2 || -n ${CLAUDECODE-} ]]; then
    echo "readygate: session $SESSION is active, and only the user may end it: run readygate clean in a terminal." >&2
    return 1
  fi
  read -r -p "End the active Readygate session $SESSION in $ROOT? Its files stay readable. [clean/keep] " answer
  [[ $answer == clean ]]
}

# as_ended GATE: the state on stdin as that of a session that the user ended.
as_ended() {
  local line
  IFS= read -r line
  [[ $line =~ $GATE_LINE ]] || return 1
  printf '{"gate":"%s","phase":"SESSION_COMPLETE","step":%s,"session":"%s","rev":%s\n' "$1" "${BASH_REMATCH[3]}" "${BASH_REMATCH[4]}" "${line##*:}"
  sed 's/^ "outcome": null,$/ "outcome": "aborted",/'
}

# archive_session: the session that was agreed on goes to its folder.
archive_session() {
  local agreed=$SESSION folder=$ROOT/.readygate/sessions/$SESSION
  read_gate "$ROOT" && [[ $SESSION == "$agreed" ]] || return 1
  fence_commit "$ROOT" as_ended open || return
  mkdir -p "$folder" && as_ended closed <"$ROOT/.readygate/state.json" >"$folder/state.json.part" || return 1
  to_disk "$folder/state.json.part"
  mv -f "$folder/state.json.part" "$folder/state.json" && fence_remove "$ROOT"
}

# keep_damaged: a state that nobody can read is kept under another name.
keep_damaged() {
  read_gate "$ROOT" && return 1
  KEPT=$(fence_kept_name "$ROOT")
  mv "$ROOT/.readygate/state.json" "$FENCE/corrupt" 2>/dev/null || fence_failed || return
  mv "$FENCE/corrupt" "$KEPT" 2>/dev/null || fence_failed
}

clean_without_node() {
  local KEPT=''
  if ! find_root; then
    echo 'No session was active.'
  elif ! read_gate "$ROOT"; then
    behind_fence "$ROOT" keep_damaged || { echo "readygate: $ROOT/.readygate cannot be written now; try again." >&2 && return 1; }
    echo "The damaged state was kept as $KEPT."
  else
    may_end || return 1
    behind_fence "$ROOT" archive_session || { echo "readygate: session $SESSION could not be ended now; try again." >&2 && return 1; }
    echo "The session $SESSION was archived in $ROOT/.readygate/sessions/$SESSION."
    echo 'Its task branch, if it has one, is still there: git branch --list "readygate/*"'
  fi
}
