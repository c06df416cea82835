#!/bin/bash
# What a command of Bash or Monitor would change; PowerShell is left to layer 2. Needs shell.sh.
# The same question in TypeScript: mcp-server/src/guards/shell-tools.ts.

# shell.awk reads no longer one. As JSON it is at most twice as long, control characters aside.
MAX_COMMAND_BYTES=65536

# find_effects ROOT CWD
find_effects() {
  local command=${FACTS[OF_SUBJECT]-} found kind path by
  [[ ${FACTS[OF_TOOL]} != '"PowerShell"' ]] || return 0
  [[ $command == \"* ]] || {
    note hook.no_command
    return 0
  }
  if ((${#command} > 2 * MAX_COMMAND_BYTES + 2)) || ! json_text "$command" || ((${#TEXT} > MAX_COMMAND_BYTES)); then
    note hook.long_command bytes "$MAX_COMMAND_BYTES"
    return 0
  fi
  command=$TEXT
  collect_findings "$command" "$2" "$1" "${HOME-}"
  for found in ${FINDINGS[@]+"${FINDINGS[@]}"}; do
    # No here-string: it may be a file. Neither kind nor command holds a tab.
    kind=${found%%$'\t'*} by=${found##*$'\t'}
    path=${found#*$'\t'}
    path=${path%$'\t'*}
    [[ $kind == git-config ]] && names_hooks_path "$command" && kind=hooks-off
    add_effect "$kind" "$path" "$by"
  done
}
