#!/bin/bash
# PreToolUse, layer 1: refuses what the gate forbids, even when the server does not run.
# Usage: pre-tool.sh file|own, the payload on stdin. Exit 2 refuses, with the reason on stderr; everything else is exit 0.
#        . pre-tool.sh library, to find the sessions and to use the functions.
# Fails open: what it does not understand passes, with one line on stderr, because a broken guard must not stop all work.
#
# It runs on every call, and bash parses as it goes: what most calls need stands first, without functions, and the script ends as
# soon as it can. Builtins only, until a gate may refuse; lib/ is read then.
set -u
[[ ${1-} == own ]] && # without this answer subagents cannot call the plugin's own tools
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}' && exit

START=$PWD
HEAD=2048
[[ $BASH_VERSION == [1-3].* ]] && RAW='' || IFS= read -r -N $HEAD RAW # no -N in bash 3.2
# The host starts hooks in the payload's cwd. Should it not, that folder may have a session of its own.
[[ $RAW == *"\"cwd\":\"$START\""* ]] || . "${BASH_SOURCE[0]%/*}/lib/payload-cwd.sh"

# ROOTS: folders with an active session, from each starting point upwards to the first .git.
for dir in "${CLAUDE_PROJECT_DIR-}" "$START" "${CWD-}"; do
  [[ $dir != /* || $dir == "${last-}" ]] && continue
  last=$dir
  while [[ $dir == /* ]]; do
    [[ -L $dir ]] && cd -P "$dir" && dir=$PWD
    [[ -e $dir/.readygate/state.json ]] && ROOTS+=("$dir") && break
    [[ -e $dir/.git ]] && break
    dir=${dir%/*}
  done
done
[[ ${ROOTS+x} || ${1-} != file ]] || exit 0
