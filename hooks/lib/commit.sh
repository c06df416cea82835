#!/bin/bash
# The fenced commit of state.json (STATE.md, One lock). The same in TypeScript: mcp-server/src/state/fence.ts. Needs lock.sh.

FENCED=75 # exit code: another writer came in between, and nothing was written
FENCE_ATTEMPTS=5
FENCE=''

# fence_open ROOT: makes this writer the only one that can write; only what is read from now on counts.
fence_open() {
  local folder=$1/.readygate host=${HOSTNAME:-host} other
  FENCE=$folder/state.json.own.${host//[^A-Za-z0-9-]/_}.$$.$RANDOM$RANDOM$RANDOM
  mkdir "$FENCE" || return
  for other in "$folder"/state.json.own.*; do
    [[ $other != "$FENCE" ]] && mv "$other" "$folder/state.json.dead.$$.$RANDOM$RANDOM$RANDOM" 2>/dev/null
  done
  for other in "$folder"/state.json.dead.*; do
    # A damaged state that another writer was about to keep is kept now.
    [[ -e $other/corrupt || -L $other/corrupt ]] && { mv "$other/corrupt" "$(fence_kept_name "$1")" || continue; }
    rm -rf "$other"
  done
}

fence_close() {
  [[ -n $FENCE ]] && rm -rf "$FENCE"
  FENCE=''
}

# fence_kept_name ROOT: prints the name under which a damaged state is kept.
fence_kept_name() {
  echo "$1/.readygate/state.json.corrupt-$(date -u +%Y-%m-%dT%H-%M-%S)-$RANDOM$RANDOM"
}

# to_disk FILE: waits until a file, or the names in a folder, are on the disk.
to_disk() {
  sync "$1" 2>/dev/null || sync
}

# fence_failed: tells being fenced from any other failure.
fence_failed() {
  [[ -d $FENCE ]] && return 1
  return $FENCED
}

# fence_commit ROOT FILTER…: replaces the state by what FILTER, a command, makes of it. Fails with $FENCED or 1.
fence_commit() {
  local state=$1/.readygate/state.json
  shift
  if ! { "$@" <"$state" >"$FENCE/new"; } 2>/dev/null || [[ ! -s $FENCE/new ]]; then
    fence_failed
    return
  fi
  to_disk "$FENCE/new"
  if ! mv -f "$FENCE/new" "$state" 2>/dev/null; then
    fence_failed
    return
  fi
  to_disk "${state%/*}"
}

# fence_remove ROOT: takes state.json away. Fails with $FENCED or 1.
fence_remove() {
  mv -f "$1/.readygate/state.json" "$FENCE/over" 2>/dev/null || fence_failed
}

# behind_fence ROOT COMMAND…: runs COMMAND as the only writer; again when another came in between.
behind_fence() {
  local root=$1 code attempt
  shift
  for ((attempt = 0; attempt < FENCE_ATTEMPTS; attempt++)); do
    lock_take "$root" || return
    fence_open "$root" && "$@"
    code=$?
    fence_close
    lock_release
    ((code == FENCED)) || return $code
  done
  return 1
}

# commit_state ROOT FILTER…: changes the state under lock and fence. FILTER reads the old one and prints the new one.
commit_state() {
  behind_fence "$1" fence_commit "$@"
}
