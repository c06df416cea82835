#!/bin/bash
# What a shell command would write, for the hook: awk reads the command (shell.awk), bash decides about links and ignored files.
# Needs session.sh, path.sh and place.sh. The same question in TypeScript: mcp-server/src/guards/shell/analyze.ts, which denies all that this denies.

SHELL_LIB=${BASH_SOURCE[0]%/*}

# shell_candidates COMMAND CWD ROOT HOME: prints kind, path and command of every write that may matter, by name alone.
shell_candidates() {
  local part files=()
  for part in shell shell-grammar shell-words shell-commands shell-effects shell-programs; do
    files+=(-f "$SHELL_LIB/$part.awk")
  done
  # For a process substitution, so that awk is the only process.
  LC_ALL=C RG_CWD=$2 RG_ROOT=$3 RG_HOME=$4 RG_TMPDIR=${TMPDIR:-/tmp} \
    exec "${READYGATE_AWK:-awk}" "${files[@]}" "$SHELL_LIB"/{shell-effects-files,shell-effects-projects,shell-effects-git,shell-wrappers}.tsv - <<<"${1%$'\n'}" # never empty: six files
}

# read_ignore_file FILE: adds its patterns to IGNORE_PATTERNS; exceptions (`!`) are passed over.
read_ignore_file() {
  local line
  [[ -f $1 && -r $1 ]] || return 0
  while IFS= read -r line || [[ -n $line ]]; do
    line=${line%$'\r'}
    while [[ $line == *[^\\]' ' ]]; do line=${line% }; done
    line=${line%/}
    line=${line#'**/'}
    case $line in
    '' | '#'* | '!'* | '.readygate' | '/.readygate') ;;
    *) IGNORE_PATTERNS+=("${line//'/**/'//*}") ;;
    esac
  done <"$1"
}

# fits_ignore_pattern RELATIVE: whether one of IGNORE_PATTERNS fits the path or a folder above it.
fits_ignore_pattern() {
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

# is_ignored RELATIVE ROOT: whether the tree's own ignore files name the path. To ignore too much only leaves more to layer 2.
is_ignored() {
  local folder='' rest=$1 shared='' IGNORE_PATTERNS=()
  git_folders "$2"
  # What all work trees share is the last one.
  for shared in ${GIT_FOLDERS[@]+"${GIT_FOLDERS[@]}"}; do :; done
  [[ -z $shared ]] || read_ignore_file "$shared/info/exclude"
  while :; do
    read_ignore_file "$2/$folder.gitignore"
    fits_ignore_pattern "$rest" && return 0
    [[ $rest == */* ]] || return 1
    folder+=${rest%%/*}/
    rest=${rest#*/}
    IGNORE_PATTERNS=()
  done
}

# finding_kind KIND PATH ROOT: sets KIND to what the path is really, links followed; fails for what does not matter. `?` alone is a path
# that seems to be outside, `?` with a kind a repository that does.
finding_kind() {
  local relative
  place_of "$2" / "$3"
  KIND=${1#\?}
  case $PLACE:$KIND in
  guard: | guard:tree | hooks-off: | hooks-off:tree | history: | history:tree | history:git-*)
    KIND=$PLACE
    [[ $1 != \?tree ]]
    ;;
  git-config:) KIND=git-config ;;
  # A program is the plugin's only where the plugin lies.
  [!g]*:guard) return 1 ;;
  git-config:guard) return 1 ;;
  :*)
    # A whole tree around the work tree (rm -rf ..) is no path inside it.
    lexical_path "$2"
    [[ $1 == tree && $3/ == "$LEXICAL"/* ]]
    ;;
  tree: | tree:tree)
    relative=$PHYSICAL
    physical_path "$3"
    relative=${relative#"$PHYSICAL"/}
    case $relative in
    .git) KIND=hooks-off ;;
    .git/*) KIND=git-refs ;;
    *) KIND=tree && ! is_ignored "$relative" "$3" ;;
    esac
    ;;
  esac
}

# collect_findings COMMAND CWD ROOT HOME: sets FINDINGS to the command's writes: kind, path and command, with tabs between.
collect_findings() {
  local KIND kind path by
  FINDINGS=()
  while IFS=$'\t' read -r kind path by; do
    case $kind in
    note) note hook.unreadable_command at "$path" ;;
    unread) FINDINGS+=("unread"$'\t'"$3"$'\t'"$by") ;;
    guard | hooks-off)
      # By its name; another repository inside the tree is not this session's.
      place_of "$path" / "$3"
      [[ -z $PLACE ]] || FINDINGS+=("$kind"$'\t'"$path"$'\t'"$by")
      ;;
    *) finding_kind "$kind" "$path" "$3" && FINDINGS+=("$KIND"$'\t'"$path"$'\t'"$by") ;;
    esac
  done < <(shell_candidates "$@")
}
