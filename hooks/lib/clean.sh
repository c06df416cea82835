#!/bin/bash
# readygate clean where Node.js is missing, so that a closed gate does not hold up anybody. Branches are left to git.

# shellcheck source=/dev/null
for part in say lock commit; do . "${BASH_SOURCE[0]%/*}/$part.sh"; done

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
    tell hook.clean.terminal session "$SESSION" >&2
    return 1
  fi
  say hook.clean.ask session "$SESSION" root "$ROOT"
  read -r -p "$SAID" answer
  [[ $answer == clean ]] && return
  tell hook.clean.declined >&2
  return 1
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

# tell KEY [NAME VALUE]...
tell() {
  say "$@"
  printf '%s\n' "$SAID"
}

clean_without_node() {
  local KEPT=''
  user_language "$PWD"
  find_root && user_language "$ROOT"
  if [[ -z ${ROOT-} ]]; then
    tell hook.clean.none
  elif ! read_gate "$ROOT"; then
    behind_fence "$ROOT" keep_damaged || { tell hook.clean.locked root "$ROOT" >&2 && return 1; }
    tell hook.clean.kept file "$KEPT"
  else
    may_end || return 1
    behind_fence "$ROOT" archive_session || { tell hook.clean.failed session "$SESSION" >&2 && return 1; }
    tell hook.clean.done session "$SESSION" folder "$ROOT/.readygate/sessions/$SESSION"
    tell hook.clean.branch
  fi
}
