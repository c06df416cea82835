#!/bin/bash
# shellcheck disable=SC2034 # what is set here is used by place.sh
# Places that guard the gate itself; read by place.sh when a path may be one. The same rules in TypeScript:
# mcp-server/src/guards/place.ts; keep the two in step. Needs path.sh.

HAS_SPECIAL_PLACES=1

# leads_through PATH FOLDER: whether one of the folders of PATH, itself included, is FOLDER.
leads_through() {
  local at=$1
  while :; do
    [[ ${at:-/} -ef $2 ]] && return 0
    [[ -n $at ]] || return 1
    at=${at%/*}
  done
}

# matches_folded NAME PATTERN: the case of letters does not count, since some file systems fold it.
matches_folded() {
  local status=1
  shopt -s nocasematch
  # shellcheck disable=SC2053 # the pattern shall act
  [[ $1 == $2 ]] && status=0
  shopt -u nocasematch
  return $status
}

# is_settings PHYSICAL ROOT: the host's settings, of the tree, of the folder it was started in, or of the user.
is_settings() {
  local folder=${1%/*} owner
  matches_folded "${1##*/}" 'settings*.json' || return 1
  [[ -n ${CLAUDE_CONFIG_DIR-} ]] && [[ $folder == "$CLAUDE_CONFIG_DIR" || ${folder:-/} -ef $CLAUDE_CONFIG_DIR ]] && return 0
  for owner in "$2" "${CLAUDE_PROJECT_DIR-}" "${HOME-}"; do
    [[ -n $owner ]] || continue
    [[ ${folder:-/} -ef $owner/.claude ]] && return 0
    # The folder may have to be made first.
    matches_folded "${folder##*/}" .claude && [[ ${folder%/*}/ -ef $owner ]] && return 0
  done
  return 1
}

# git_folders ROOT: sets GIT_FOLDERS to the git folder of the work tree and, of a linked one, the one all its work trees share.
git_folders() {
  local common=
  GIT_FOLDERS=()
  git_dir "$1" || return 0
  GIT_FOLDERS=("$GIT_DIR_PATH")
  [[ -f $GIT_DIR_PATH/commondir ]] && { IFS= read -r -n 4096 common; } 2>/dev/null <"$GIT_DIR_PATH/commondir"
  [[ -n $common ]] || return 0
  [[ $common == /* ]] || common=$GIT_DIR_PATH/$common
  cd -P -- "$common" 2>/dev/null && [[ $PWD != "$GIT_DIR_PATH" ]] && GIT_FOLDERS+=("$PWD")
  return 0
}

# is_history BELOW: whether a path below the git folder, with slashes around it, is for git alone to write: refs, HEAD, index and
# objects. A lock that a killed git left behind may go.
is_history() {
  matches_folded "$1" '*.lock/' && return 1
  matches_folded "$1" '/refs/*' || matches_folded "$1" '/reftable/*' || matches_folded "$1" '/objects/*' && return 0
  [[ ${1#/} != */*/ ]] || return 1
  matches_folded "$1" /packed-refs/ || matches_folded "$1" /index/ || matches_folded "$1" '/*head/'
}

# git_place PHYSICAL ROOT: sets PLACE for what lies in the git folder and matters to hooks.
git_place() {
  local at=$1 below=/ folder
  git_folders "$2"
  while :; do
    for folder in ${GIT_FOLDERS[@]+"${GIT_FOLDERS[@]}"}; do
      [[ ${at:-/} -ef $folder/hooks ]] && PLACE=hooks-off && return
      [[ ${at:-/} -ef $folder ]] || continue
      matches_folded "$below" '*/hooks/*' && PLACE=hooks-off && return
      { matches_folded "$below" /config/ || matches_folded "$below" /config.worktree/; } && PLACE=git-config && return
      is_history "$below" && PLACE=history
      return
    done
    [[ -n $at ]] || return
    below=/${at##*/}$below
    at=${at%/*}
  done
}

# is_plugin PHYSICAL ROOT: the plugin's own: its programs, or the cache of their code. A session that works on the plugin itself may:
# its files are the task.
is_plugin() {
  local plugin=${HOOKS%/hooks} data=${CLAUDE_PLUGIN_DATA-}
  leads_through "$1" "$plugin" && ! leads_through "$2" "$plugin" && return 0
  [[ -n $data ]] && leads_through "$1" "$data" && ! leads_through "$2" "$data"
}

# look_up_place PHYSICAL ROOT: sets PLACE, empty for an ordinary path.
look_up_place() {
  PLACE=
  if leads_through "$1" "$2/.readygate"; then
    PLACE=guard
  elif is_plugin "$1" "$2"; then
    PLACE=guard
  elif is_settings "$1" "$2"; then
    PLACE=hooks-off
  else
    git_place "$1" "$2"
  fi
}
