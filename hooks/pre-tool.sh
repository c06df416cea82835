#!/bin/bash
# PreToolUse, layer 1: refuses what the gate forbids, even when the server does not run.
# Usage: pre-tool.sh file|own, the payload on stdin. Exit 2 refuses, with the reason on stderr; everything else is exit 0.
#        . pre-tool.sh roots, to read the payload's head and find the sessions only.
# Fails open: what it does not understand passes, with one line on stderr, because a broken guard must not stop all work.
#
# It runs on every call, and bash parses as it goes: what most calls need stands first, without functions, and the script ends as
# soon as it can. Builtins only, until a gate may refuse; lib/ is read then.
set -u
[[ ${1-} == own ]] && # without this answer subagents cannot call the plugin's own tools
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}' && exit

# RAW: the payload, as far as it was read.
START=$PWD HEAD=2048 BOUND=65536 RAW=
# bash 3.2 has no -N.
[[ $BASH_VERSION == [1-3].* ]] || IFS= read -r -N $HEAD RAW
# The host starts hooks in the payload's cwd. Should it not, that folder may have a session of its own.
# shellcheck source=/dev/null
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
[[ ${1-} == file ]] || return 0 2>/dev/null || exit 0
[[ ${ROOTS+x} ]] || exit 0

# A gate that is not plainly open is for the slow path to judge.
LC_ALL=C # bytes: a file name need not be valid text
HOOKS=${BASH_SOURCE[0]%/*}
[[ $HOOKS == /* ]] || HOOKS=$START/$HOOKS
for dir in "${ROOTS[@]}"; do
  line=
  # A pipe or a device would keep read waiting.
  [[ -f $dir/.readygate/state.json && -r $dir/.readygate/state.json ]] && IFS= read -r -n 512 line <"$dir/.readygate/state.json"
  [[ $line == '{"gate":"open",'* ]] || slow=1
done

# Open, it protects only a few places, and the raw payload must name them. Longer payloads than BOUND are not read here.
if [[ -z ${slow-} ]]; then
  if ((${#RAW} >= HEAD && BOUND > HEAD)); then
    IFS= read -r -N $((BOUND - ${#RAW})) line
    RAW+=$line
  fi
  ((${#RAW} < BOUND)) && [[ $RAW != *.readygate* && $RAW != *.git/* && $RAW != *.claude/settings* && $RAW != *"${HOOKS%/hooks}"* ]] && exit 0
fi

set +o posix # there a missing lib ends the shell
for part in session path file-tool; do
  # shellcheck source=/dev/null
  if ! . "$HOOKS/lib/$part.sh" 2>/dev/null; then
    echo "readygate: $HOOKS/lib/$part.sh is missing or damaged, so edits are not gated. Repair: install the plugin again" >&2
    exit 0
  fi
done
judge_file_tool
exit
