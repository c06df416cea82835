#!/bin/bash
# PreToolUse, layer 1: refuses what the guards of state/guards.json forbid, even when the server does not run.
# Usage: pre-tool.sh file|shell|mcp|own, the payload on stdin. Exit 2 refuses, with the reason on stderr; all else is exit 0.
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
[[ $BASH_VERSION == [1-3].* ]] || IFS= read -r -N $HEAD RAW # bash 4: 3.2 has no -N
# The host starts hooks in the payload's cwd. Should it not, that folder may have a session of its own.
# shellcheck source=/dev/null
[[ $RAW == *"\"cwd\":\"$START\""* ]] || . "${BASH_SOURCE[0]%/*}/lib/payload-cwd.sh"

# ROOTS: folders with an active session, from each starting point upwards to the first .git. ENFORCED: such with RG00's marker.
for dir in "${CLAUDE_PROJECT_DIR-}" "$START" "${CWD-}"; do
  [[ $dir != /* || $dir == "${last-}" ]] && continue
  last=$dir
  while [[ $dir == /* ]]; do
    [[ -L $dir ]] && cd -P "$dir" && dir=$PWD
    [[ -e $dir/.readygate/state.json ]] && ROOTS+=("$dir") && break
    [[ -e $dir/.readygate/enforce ]] && ENFORCED+=("$dir") && break
    [[ -e $dir/.git ]] && break
    dir=${dir%/*}
  done
done
KIND=${1-}
[[ $KIND == file || $KIND == shell || $KIND == mcp ]] || return 0 2>/dev/null || exit 0
[[ ${ROOTS+x} || ${ENFORCED+x} && $KIND == file ]] || exit 0

# A gate that is not plainly open is for the slow path to judge.
# shellcheck disable=SC2034 # for say.sh
LOCALE=${LC_ALL:-${LC_MESSAGES:-${LANG-}}}
LC_ALL=C # bytes: a file name need not be valid text
HOOKS=${BASH_SOURCE[0]%/*}
[[ $HOOKS == /* ]] || HOOKS=$START/$HOOKS
[[ ${ROOTS+x} ]] || slow=1
for dir in ${ROOTS[@]+"${ROOTS[@]}"}; do
  line=
  # A pipe or a device would keep read waiting.
  [[ -f $dir/.readygate/state.json && -r $dir/.readygate/state.json ]] && IFS= read -r -n 512 line <"$dir/.readygate/state.json"
  [[ $line == '{"gate":"open",'* ]] || slow=1
done

# Open, it protects only a few places, and the raw payload must name them. Longer payloads than BOUND are not read here.
if [[ -z ${slow-} ]]; then
  if ((${#RAW} >= HEAD && BOUND > HEAD)); then
    IFS= read -r -N $((BOUND - ${#RAW})) line # bash 4: RAW would be empty
    RAW+=$line
  fi
  if ((${#RAW} < BOUND)) && [[ $RAW != *.readygate* && $RAW != *.git/* && $RAW != *.claude/[ps]* && $RAW != *"${HOOKS%/hooks}"* &&
    $RAW != *"${CLAUDE_CONFIG_DIR:-.claude}"/[ps]* ]]; then # settings, plugins: what the host keeps for this one is there
    [[ $KIND == file ]] && exit 0
    if [[ $RAW != */readygate:* ]]; then
      [[ $KIND == mcp ]] && exit 0
      history=' (commit|merge|rebase|cherry-pick|revert|am|pull|push|switch|checkout|reset|branch|tag|stash|update-ref|symbolic-ref|worktree|fetch|bisect|filter-branch|filter-repo|replay|fast-import|subtree|flow)'
      [[ $RAW != *readygate' '* && $RAW != *.git[!a-zA-Z]* && $RAW != *[Hh][Oo][Oo][Kk][Ss][Pp][Aa][Tt][Hh]* && ($RAW != *git* || ! $RAW =~ $history) ]] && exit 0
    fi
  fi
fi

set +o posix # there a missing lib ends the shell
case $KIND in
shell) parts='session path place special-place judge plain-facts shell shell-tool' ;;
file) parts='session path place judge plain-facts file-tool' ;;
*) parts='session path place judge mcp-tool' ;;
esac
for part in $parts; do
  # shellcheck source=/dev/null
  if ! . "$HOOKS/lib/$part.sh" 2>/dev/null; then
    echo "readygate: $HOOKS/lib/$part.sh is missing or damaged, so this call is not gated. Repair: install the plugin again" >&2
    exit 0
  fi
done
judge_call
exit
