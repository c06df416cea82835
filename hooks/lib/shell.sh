#!/bin/bash
# What a shell command would write, for the hook: awk reads the command (shell.awk), bash decides about links and ignored files.
# Needs path.sh. The same question in TypeScript: mcp-server/src/guards/shell/analyze.ts, which denies all that this denies.

SHELL_LIB=${BASH_SOURCE[0]%/*}

# shell_candidates COMMAND CWD ROOT HOME: prints kind, path and command of every write that may matter, by name alone.
shell_candidates() {
  local part files=()
  for part in shell shell-grammar shell-words shell-commands shell-effects shell-programs; do
    files+=(-f "$SHELL_LIB/$part.awk")
  done
  printf '%s' "$1" |
    LC_ALL=C RG_CWD=$2 RG_ROOT=$3 RG_HOME=$4 RG_TMPDIR=${TMPDIR:-/tmp} \
      "${READYGATE_AWK:-awk}" "${files[@]}" "$SHELL_LIB/shell-effects.tsv" -
}

# ignore_patterns ROOT: sets IGNORE_PATTERNS from the tree's own ignore files, the plain ones only.
ignore_patterns() {
  local file line
  IGNORE_PATTERNS=()
  for file in "$1/.gitignore" "$1/.git/info/exclude"; do
    [[ -f $file ]] || continue
    while IFS= read -r line || [[ -n $line ]]; do
      line=${line%$'\r'}
      line=${line%/}
      case $line in
      '' | '#'* | '!'* | '.readygate' | '/.readygate') ;;
      *) IGNORE_PATTERNS+=("$line") ;;
      esac
    done <"$file"
  done
}

# is_ignored RELATIVE: whether a pattern matches the path or a folder above it. To ignore too much only leaves more to layer 2.
is_ignored() {
  local pattern part rest
  for pattern in ${IGNORE_PATTERNS[@]+"${IGNORE_PATTERNS[@]}"}; do
    if [[ $pattern == */* ]]; then
      # shellcheck disable=SC2053  # the pattern shall act
      [[ $1 == ${pattern#/} || $1 == ${pattern#/}/* ]] && return 0
      continue
    fi
    rest=$1/
    while [[ -n $rest ]]; do
      part=${rest%%/*}
      rest=${rest#*/}
      # shellcheck disable=SC2053
      [[ -n $part && $part == $pattern ]] && return 0
    done
  done
  return 1
}

# shell_findings COMMAND CWD ROOT HOME: prints the findings, one a line: kind, path, command. Nothing when the command is free.
shell_findings() {
  local kind path by relative loaded=
  while IFS=$'\t' read -r kind path by; do
    case $kind in
    guard | hooks-off) ;;
    note)
      echo "readygate: the command could not be read ($path)" >&2
      continue
      ;;
    *)
      # A whole tree around the work tree (rm -rf ..) is no path inside it.
      if ! is_inside "$path" / "$3"; then
        lexical_path "$path"
        [[ $kind == tree && $3/ == "$LEXICAL"/* ]] || continue
        PHYSICAL=$LEXICAL
      fi
      kind=${kind#\?}
      relative=${PHYSICAL#"$3"/}
      case $relative in
      .readygate | .readygate/*) kind=guard ;;
      .git | .git/hooks | .git/hooks/* | .claude/settings*.json) kind=hooks-off ;;
      .git/*) kind=git-refs ;;
      *)
        if [[ $kind == tree || -z $kind ]]; then
          [[ -n $loaded ]] || ignore_patterns "$3"
          loaded=1
          is_ignored "$relative" && continue
          kind=tree
        fi
        ;;
      esac
      ;;
    esac
    printf '%s\t%s\t%s\n' "$kind" "$path" "$by"
  done < <(shell_candidates "$@")
}
