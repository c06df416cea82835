#!/bin/bash
# Does with lock.sh and commit.sh what process.ts does: writer.bash HOOKS_LIB WHAT ROOT [COUNT|POINT]
set -u
LIB=$1 WHAT=$2 ROOT=$3 MORE=${4-}
# shellcheck source=/dev/null
. "$LIB/lock.sh"
# shellcheck source=/dev/null
. "$LIB/commit.sh"
exec 3<&0 4>&1 # the filter's own streams are the state

# bump: one more in the revision on the gate line.
bump() {
  local line
  IFS= read -r line
  [[ $line =~ ^(.*\"rev\":)([0-9]+),$ ]] || return 1
  printf '%s%s,\n' "${BASH_REMATCH[1]}" $((BASH_REMATCH[2] + 1))
  cat
}

# stop POINT: the first time it comes by, prints the mark and waits for a line.
stop() {
  [[ $1 == "$MORE" && ! -e $ROOT/stopped ]] || return 0
  : >"$ROOT/stopped"
  echo stopped >&4
  read -r _ <&3
}

# The commands that the lock and the commit are made of, with stops around them.
mkdir() {
  [[ ${1-} == *.own.* ]] && stop open
  command mkdir "$@" && return
  [[ ${1-} == *.lock && -e $ROOT/stopped ]] && echo knock >&4
  return 1
}
mv() {
  local target=${*: -1}
  [[ $target == */state.json ]] || { command mv "$@" && return; }
  stop rename
  command mv "$@" || return
  stop renamed
}
stopping() {
  stop read
  bump
}

increment() {
  local time
  for ((time = 0; time < MORE; time++)); do
    until commit_state "$ROOT" bump; do :; done
  done
}

hold() {
  lock_take "$ROOT" || exit 1
  echo held
  read -r _
}

enter() {
  local time
  for ((time = 0; time < MORE; time++)); do
    echo ready
    read -r _
    until lock_take "$ROOT"; do :; done
    command mkdir "$ROOT/inside" || exit 1
    rmdir "$ROOT/inside"
    lock_release
    echo left
  done
}

case $WHAT in
stopping) commit_state "$ROOT" stopping ;;
*) "$WHAT" ;;
esac
