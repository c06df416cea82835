#!/bin/bash
# What Edit, Write, MultiEdit and NotebookEdit would change. The same rules in TypeScript: mcp-server/src/guards/file-tools.ts.

MAX_PATH_BYTES=8192

# find_effects ROOT CWD
find_effects() {
  local target=${FACTS[OF_SUBJECT]-}
  case $target in
  '""' | [!\"]*)
    note "the call names no file, so it is not gated"
    return 0
    ;;
  esac
  if ! json_text "$target"; then
    note "the file name holds a NUL, so the call is not gated; no such file can be made"
    return 0
  fi
  target=$TEXT
  if ((${#target} > MAX_PATH_BYTES)); then
    note "the file name is longer than $MAX_PATH_BYTES bytes, so the call is not gated; no such file can be made"
    return 0
  fi
  place_of "$target" "$2" "$1"
  if [[ $PLACE == git-config ]]; then
    PLACE=tree
    read_rest
    names_hooks_path "$RAW" && PLACE=hooks-off
  elif [[ $PLACE == guard && $GATE == none ]]; then
    PLACE=tree
  fi
  [[ -z $PLACE ]] || add_effect "$PLACE" "$target" "${FACTS[OF_TOOL]//\"/}"
}
