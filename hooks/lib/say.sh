#!/bin/bash
# shellcheck disable=SC2034 # those who read this file use what is set here
# The messages of state/messages for bash, in the user's language. The same rules in TypeScript: mcp-server/src/messages/language.ts.

# shellcheck source=/dev/null
. "${BASH_SOURCE[0]%/*}/session.sh"
MESSAGES=${BASH_SOURCE[0]%/*}/../../state/messages
MAX_CONFIG_LINES=2000

# user_language ROOT: sets LANGUAGE to what ROOT's configuration says, else to what the user's locale says. LOCALE holds the locale
# where LC_ALL was changed since.
user_language() {
  local line='' count=0 file=$1/.readygate/config.yml form='^language:[[:blank:]]*["'\'']?(en|ja|auto)["'\'']?[[:blank:]]*(#.*)?.?$'
  LANGUAGE=auto
  if [[ -f $file && -r $file ]]; then
    while IFS= read -r line && ((count++ < MAX_CONFIG_LINES)); do
      [[ $line == language:* && $line =~ $form ]] && LANGUAGE=${BASH_REMATCH[1]} && break
    done <"$file"
  fi
  [[ $LANGUAGE == auto ]] || return 0
  LANGUAGE=en
  case ${LOCALE-${LC_ALL:-${LC_MESSAGES:-${LANG-}}}} in
  [jJ][aA] | [jJ][aA][_.@-]*) LANGUAGE=ja ;;
  esac
}

# say KEY [NAME VALUE]...: sets SAID to the message in LANGUAGE, each {NAME} replaced by its VALUE. It must be one string of one line.
say() {
  local key=$1 line=''
  shift
  SAID="$key (its text is missing: install the plugin again)"
  while IFS= read -r line; do
    [[ $line == "  \"$key\": \""* ]] || continue
    line=${line#*'": '}
    json_text "${line%,}" && SAID=$TEXT
    break
  done 2>/dev/null <"$MESSAGES/$LANGUAGE.json"
  while (($# > 1)); do
    SAID=${SAID//"{$1}"/"$2"}
    shift 2
  done
}
