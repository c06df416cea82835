#!/bin/bash
# What a command of Bash or Monitor would change; PowerShell is left to layer 2. Needs shell.sh.
# The same question in TypeScript: mcp-server/src/guards/shell-tools.ts.

# No honest command is longer.
MAX_COMMAND_BYTES=131072

# find_effects ROOT CWD
find_effects() {
  local command=${FACTS[OF_SUBJECT]-} found kind path by
  [[ ${FACTS[OF_TOOL]} != '"PowerShell"' ]] || return 0
  [[ $command == \"* ]] || {
    note hook.no_command
    return 0
  }
  if ((${#command} > MAX_COMMAND_BYTES)) || ! json_text "$command"; then
    note hook.long_command bytes "$MAX_COMMAND_BYTES"
    return 0
  fi
  command=$TEXT
  collect_findings "$command" "$2" "$1" "${HOME-}"
  for found in ${FINDINGS[@]+"${FINDINGS[@]}"}; do
    IFS=$'\t' read -r kind path by <<<"$found"
    [[ $kind == git-config ]] && names_hooks_path "$command" && kind=hooks-off
    add_effect "$kind" "$path" "$by"
  done
}
