#!/bin/bash
# The status line: reads what the client says on stdin, prints one line about the session of its work tree, or nothing without one.
# Builtins only, since the client runs it again and again. Always exit 0.
set -u

LIB=${BASH_SOURCE[0]%/*}
[[ $LIB == /* ]] || LIB=$PWD/$LIB
LIB=$LIB/lib
# shellcheck source=/dev/null
. "$LIB/say.sh"

MAX_BYTES=65536
# The words stand at the top of the message files, the rest of which is not read.
MAX_WORD_LINES=12

# folder_at KEY: sets TEXT to the folder that the client names so.
folder_at() {
  local form="\"$1\"[[:space:]]*:[[:space:]]*(\"([^\"\\\\]|\\\\.)*\")"
  [[ $RAW =~ $form ]] && json_text "${BASH_REMATCH[1]}" && [[ $TEXT == /* ]]
}

# find_root FOLDER: sets ROOT to the folder, here or above, that holds a session, up to the first .git.
find_root() {
  local dir=${1%/}
  while [[ $dir == /* ]]; do
    [[ -e $dir/.readygate/state.json ]] && ROOT=$dir && return
    [[ -e $dir/.git ]] && return 1
    dir=${dir%/*}
  done
  return 1
}

# read_progress: sets DONE, TOTAL, WARNINGS and WAITS from the line behind the gate line.
read_progress() {
  local line='' form='^"progress":\{"done":([0-9]+),"total":([0-9]+),"warnings":([0-9]+),"waits":"([a-z]+)"\},$'
  DONE=0 TOTAL=0 WARNINGS=0 WAITS=
  { IFS= read -r line && IFS= read -r -n 512 line; } 2>/dev/null <"$ROOT/.readygate/state.json"
  [[ $line =~ $form ]] && DONE=${BASH_REMATCH[1]} TOTAL=${BASH_REMATCH[2]} WARNINGS=${BASH_REMATCH[3]} WAITS=${BASH_REMATCH[4]}
}

# read_words: sets OPEN, CLOSED, TASKS, WARNED and YOURS, the line's words in LANGUAGE.
read_words() {
  local line count=0
  OPEN=open CLOSED=closed TASKS=tasks WARNED=! YOURS=you
  while ((count++ < MAX_WORD_LINES)) && IFS= read -r line; do
    line=${line%,}
    case $line in
    '  "statusline.open": "'*) line=${line#*'": "'} && OPEN=${line%\"} ;;
    '  "statusline.closed": "'*) line=${line#*'": "'} && CLOSED=${line%\"} ;;
    '  "statusline.tasks": "'*) line=${line#*'": "'} && TASKS=${line%\"} ;;
    '  "statusline.warnings": "'*) line=${line#*'": "'} && WARNED=${line%\"} ;;
    '  "statusline.waits": "'*) line=${line#*'": "'} && YOURS=${line%\"} ;;
    esac
  done 2>/dev/null <"$MESSAGES/$LANGUAGE.json"
}

# tell: prints the line. Colours only mark what the words say, too.
tell() {
  local plain=$'\e[0m' warm=$'\e[33m' green=$'\e[32m' bold=$'\e[1m' gate
  [[ -n ${NO_COLOR-} || ${TERM-} == dumb ]] && plain='' warm='' green='' bold=''
  gate=$warm$CLOSED
  # shellcheck disable=SC2153 # read_gate sets it
  [[ $GATE == open ]] && gate=$green$OPEN
  SAID="${bold}Readygate$plain $PHASE $STEP/19 · $gate$plain"
  ((TOTAL > 0)) && SAID+=" · $TASKS $DONE/$TOTAL"
  ((WARNINGS > 0)) && SAID+=" · $warm$WARNED $WARNINGS$plain"
  [[ $WAITS == user ]] && SAID+=" · $bold$YOURS$plain"
  printf '%s\n' "$SAID"
}

RAW='' TEXT='' ROOT=''
IFS= read -r -d '' -n $MAX_BYTES RAW
for key in project_dir current_dir cwd; do
  folder_at $key && find_root "$TEXT" && break
done
[[ -n $ROOT ]] && read_gate "$ROOT" && [[ $PHASE != SESSION_COMPLETE && $STEP != null ]] || exit 0
user_language "$ROOT"
read_progress
read_words
tell
exit 0
