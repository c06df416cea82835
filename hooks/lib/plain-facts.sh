#!/bin/bash
# shellcheck disable=SC2034 # what is set here is used by judge.sh
# FACTS without jq, which costs more than all else together: of a call, a state and a catalog in just the form in which the host, the
# server and the formatter write them. Whatever looks different fails here, and ask_jq answers; both give the same FACTS (facts.jq).
# Damage elsewhere in these texts is for a parser to find: the gate line and all that counts here have their full form.
# Texts are cut with %%, since #* would look at every longer beginning again.

PLAIN_SUBJECT_BYTES=8192 PLAIN_STATE_BYTES=65536
plain_scalar='("[^"\\]*"|[a-z0-9.]+)'
plain_object="\\{(\"[a-zA-Z_]+\":$plain_scalar,?)*\\}"
plain_field="\"[a-zA-Z_]+\":($plain_scalar|$plain_object),"
# In the host's order, with its other fields in between.
PLAIN_CALL="^\\{\"session_id\":(\"[^\"\\\\]*\"),($plain_field)*\"cwd\":(\"[^\"\\\\]*\"),($plain_field)*\"tool_name\":\"([A-Za-z]+)\",\"tool_input\":\\{"
PLAIN_SUBJECT='^"([a-z_]+)":("([^"\\]|\\["\\bfnrt])*")[,}]'

# plain_call: sets PLAIN_SESSION, PLAIN_CWD, PLAIN_TOOL and its first PLAIN_FIELD with PLAIN_TEXT, as JSON. A file's call
# need not have been read to its end.
plain_call() {
  local rest
  [[ $KIND == file && ${#RAW} -ge $HEAD || $RAW == *'}' || $RAW == *$'}\n' ]] || return 1
  [[ ${RAW:0:HEAD} =~ $PLAIN_CALL ]] || return 1
  rest=${RAW:${#BASH_REMATCH[0]}:PLAIN_SUBJECT_BYTES}
  PLAIN_SESSION=${BASH_REMATCH[1]} PLAIN_CWD=${BASH_REMATCH[7]} PLAIN_TOOL=${BASH_REMATCH[13]}
  [[ $rest =~ $PLAIN_SUBJECT ]] || return 1
  PLAIN_FIELD=${BASH_REMATCH[1]} PLAIN_TEXT=${BASH_REMATCH[2]}
  [[ $PLAIN_SESSION$PLAIN_CWD$PLAIN_TEXT != *[[:cntrl:]]* ]]
}

# plain_line TEXT START: sets VALUE to the rest of the line that begins with START, REST to all behind it.
plain_line() {
  local before=${1%%$'\n'"$2"*}
  [[ $before != "$1" ]] || return 1
  REST=${1:${#before}+1+${#2}}
  VALUE=${REST%%$'\n'*}
  VALUE=${VALUE%,}
}

# plain_state STATE: sets PLAIN_STATE and PLAIN_BRANCH to the two facts about the state. No string holds a newline, so what is indented
# by one space is its own.
plain_state() {
  local text='' owner last language VALUE REST
  IFS= read -r -d '' -n $PLAIN_STATE_BYTES text <"$1"
  [[ $text == *$',\n "schema": 1,\n'*$'\n}\n' ]] || return 1
  plain_line "$text" ' "owner": ' && owner=$VALUE || return 1
  plain_line "$text" ' "last_activity": ' && last=$VALUE || return 1
  plain_line "$text" ' "language": ' && language=$VALUE || return 1
  [[ $owner$language != *\\* && $last != *[!0-9]* ]] || return 1
  PLAIN_STATE="[$EPOCHSECONDS,1,$last,$owner,$language,null]" # bash 4: plain_facts asked
  plain_line "$text" ' "git": ' && [[ $VALUE == '{' ]] || return 1
  plain_line "${REST%%$'\n }'*}" '  "branch": ' && [[ $VALUE != *\\* ]] || return 1
  PLAIN_BRANCH="[$VALUE]"
}

# plain_catalog: sets PLAIN_GUARDS to the guards of the catalog, behind what stands before them.
plain_catalog() {
  local text='' IFS=$'\036'
  [[ -z ${PLAIN_GUARDS+x} ]] || return 0
  IFS= read -r -d '' text <"${HOOKS%/hooks}/state/guards.json"
  text=${text//$'\n    {\n      "id": '/$'\036'}
  set -f
  # shellcheck disable=SC2206
  PLAIN_GUARDS=($text)
  set +f
}

# add_plain_guard GUARD: adds its seven values to FACTS. Two spaces are indentation.
add_plain_guard() {
  local key value rest=${1//$'\n'/}
  rest=${rest//  /}
  rest=${rest//'": '/'":'}
  for key in name layers verdict applies message remedy; do
    value=${rest%%",\"$key\":"*}
    [[ $value != "$rest" ]] || return 1
    rest=${rest:${#value}+${#key}+4}
    [[ $key == verdict || $key == message ]] && value=${value// /}
    FACTS+=("$value")
  done
  FACTS+=("${rest%%'"}'*}\"}")
}

# plain_facts STATE: sets FACTS as ask_jq does, or fails.
plain_facts() {
  local guard PLAIN_SESSION PLAIN_CWD PLAIN_TOOL PLAIN_FIELD PLAIN_TEXT PLAIN_STATE PLAIN_BRANCH
  # bash before 5 has no clock.
  [[ -n ${EPOCHSECONDS-} ]] && plain_call && plain_state "$1" && plain_catalog || return 1
  [[ ${PLAIN_GUARDS[0]-} == *"\"$PLAIN_TOOL\": \"$PLAIN_FIELD\""* ]] || return 1
  FACTS=("$PLAIN_STATE" "$PLAIN_SESSION" "$PLAIN_CWD" "\"$PLAIN_TOOL\"" "$PLAIN_BRANCH" "$PLAIN_TEXT" 0)
  for guard in "${PLAIN_GUARDS[@]:1}"; do
    [[ $guard != *'"layers": ["bash"'*"\"$PLAIN_TOOL\""* ]] || add_plain_guard "$guard" || return 1
  done
}
