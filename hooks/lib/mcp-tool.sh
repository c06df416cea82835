#!/bin/bash
# shellcheck disable=SC2034 # what is set here is used by judge.sh
# What a foreign MCP tool would change, and what a message could bring back as a prompt. The same rules in TypeScript:
# mcp-server/src/guards/mcp-tools.ts.

FACTS_OF=mcp-facts

# add_path PATH ROOT CWD: a relative path starts wherever its server says, so it counts as inside.
add_path() {
  local path=$1 plain=${1#file://}
  place_of "$plain" "$3" "$2"
  [[ $PLACE == git-config || (-z $PLACE && $plain != /* && $plain != \~ && $plain != \~/*) ]] && PLACE=tree
  [[ -z $PLACE ]] || add_effect "$PLACE" "$path" "${FACTS[OF_TOOL]//\"/}"
}

# add_repository KIND PATH ROOT CWD: what a git server would change in the repository at PATH.
add_repository() {
  local plain=${2#file://}
  place_of "$plain" "$4" "$3"
  [[ -z $PLACE && ($plain == /* || $plain == \~ || $plain == \~/*) ]] || add_effect "$1" "$2" "${FACTS[OF_TOOL]//\"/}"
}

# find_effects ROOT CWD
find_effects() {
  local tool=${FACTS[OF_TOOL]//\"/} n
  case ${FACTS[OF_SUBJECT]} in
  '"message"') add_effect guard /readygate: "$tool" ;;
  '"history"' | '"tree"')
    local kind=${FACTS[OF_SUBJECT]//\"/}
    ((FACTS[OF_MORE] > 0)) || add_effect "$kind" '?' "$tool"
    for ((n = 1; n <= FACTS[OF_MORE]; n++)); do
      json_text "${FACTS[OF_MORE + n]}" || TEXT='?'
      add_repository "$kind" "$TEXT" "$1" "$2"
    done
    ;;
  '"files"')
    ((FACTS[OF_MORE] > 0)) || add_effect tree '?' "$tool"
    for ((n = 1; n <= FACTS[OF_MORE]; n++)); do
      json_text "${FACTS[OF_MORE + n]}" || TEXT='?'
      add_path "$TEXT" "$1" "$2"
    done
    ;;
  esac
}
