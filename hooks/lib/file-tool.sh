#!/bin/bash
# What Edit, Write, MultiEdit and NotebookEdit would change. The same rules in TypeScript: mcp-server/src/guards/file-tools.ts.

MAX_PATH_BYTES=8192

# find_effects ROOT CWD
find_effects() {
  local target=${FACTS[OF_SUBJECT]-}
  case $target in
  '""' | [!\"]*)
    note hook.no_file
    return 0
    ;;
  esac
  if ! json_text "$target"; then
    note hook.nul_in_name
    return 0
  fi
  target=$TEXT
  if ((${#target} > MAX_PATH_BYTES)); then
    note hook.long_name bytes "$MAX_PATH_BYTES"
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
