#!/bin/bash
# shellcheck disable=SC2034,SC2153,SC2317 # judge.sh uses what is set here, and sets TEXT
# ConfigChange: while a session is active, refuses a change of the settings that would switch its hooks off (guard RG06): all hooks,
# or this plugin. Exit 2 keeps the client on its old settings, with the reason on stderr; everything else is exit 0, as is any surprise.
set -u

HOOKS=${BASH_SOURCE[0]%/*}
[[ $HOOKS == /* ]] || HOOKS=$PWD/$HOOKS
# shellcheck source=/dev/null
. "$HOOKS/pre-tool.sh" roots
[[ ${ROOTS+x} ]] || exit 0

LOCALE=${LC_ALL:-${LC_MESSAGES:-${LANG-}}}
LC_ALL=C
set +o posix # there a missing lib ends the shell
for part in session judge; do
  # shellcheck source=/dev/null
  . "$HOOKS/lib/$part.sh" 2>/dev/null || exit 0
done
MAX_SETTINGS_BYTES=1048576

# changed_file: sets SETTINGS to the file that changed; fails for a policy, which is not the user's to refuse.
changed_file() {
  local path='"file_path"[[:space:]]*:[[:space:]]*("([^"\\]|\\.)*")' policy='"source"[[:space:]]*:[[:space:]]*"policy_settings"'
  [[ $RAW =~ $policy ]] && return 1
  [[ $RAW =~ $path ]] && json_text "${BASH_REMATCH[1]}" && SETTINGS=$TEXT && [[ -f $SETTINGS && -r $SETTINGS ]]
}

# may_switch_off: whether the file names one of the two switches at all; most changes do not, and cost no process.
may_switch_off() {
  local text=
  IFS= read -r -d '' -n $MAX_SETTINGS_BYTES text <"$SETTINGS"
  [[ $text == *disableAllHooks* || $text == *readygate@* ]]
}

# find_effects ROOT CWD
find_effects() {
  [[ ${FACTS[OF_SUBJECT]} == null ]] || add_effect hooks-off "$SETTINGS" "${FACTS[OF_SUBJECT]//\"/}"
}

NOTE=
read_rest
changed_file && may_switch_off || exit 0
FACTS_OF=config-facts
JQ_FILES=(--slurpfile settings "$SETTINGS")
judge_each judge_session "${ROOTS[@]}" || exit 2 # never empty: asked above
[[ -z $NOTE ]] || printf 'readygate: %s\n' "$NOTE" >&2
exit 0
