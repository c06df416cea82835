#!/bin/bash
# Whether a path belongs to a session's work tree. The same rules in TypeScript: mcp-server/src/guards/path.ts.
# No fork but readlink, and that only where a symlink is not a folder: `cd -P` resolves those. The hook's own folder does not
# matter, so the functions change it freely.

# absolute_path PATH CWD: sets ABSOLUTE.
absolute_path() {
  local path=$1
  [[ -n ${HOME-} && ($path == \~ || $path == \~/*) ]] && path=$HOME${path#\~}
  [[ $path == /* ]] || path=$2/$path
  ABSOLUTE=$path
}

# lexical_path PATH: sets LEXICAL, the absolute PATH without empty parts, `.` and `..`; the root is empty.
lexical_path() {
  local part IFS=/
  LEXICAL=
  set -f
  for part in $1; do
    case $part in
    '' | .) ;;
    ..) LEXICAL=${LEXICAL%/*} ;;
    *) LEXICAL+=/$part ;;
    esac
  done
  set +f
}

# link_target LINK: sets TARGET; a name may end in newlines, which $(…) alone would drop.
link_target() {
  TARGET=$(readlink "$1" && printf x) || return 1
  TARGET=${TARGET%$'\n'x}
}

# physical_path PATH: sets PHYSICAL, with every symlink resolved, dangling ones too; the root is empty.
physical_path() {
  local path=$1 base rest first links=0
  while :; do
    base=$path
    until [[ -d ${base:-/} ]]; do base=${base%/*}; done
    rest=${path#"$base"}
    cd -P -- "${base:-/}" 2>/dev/null && base=$PWD
    base=${base%/}
    rest=${rest#"${rest%%[!/]*}"}
    first=${rest%%/*}
    if [[ -n $first && -L $base/$first ]] && ((links++ < 40)) && link_target "$base/$first"; then
      [[ $TARGET == /* ]] || TARGET=$base/$TARGET
      path=$TARGET${rest#"$first"}
      continue
    fi
    lexical_path "$base/$rest"
    PHYSICAL=$LEXICAL
    # Behind a missing folder `..` can only be read by name; what it leads to may exist again.
    [[ /$rest/ == */../* ]] || return 0
    path=$LEXICAL
  done
}

# git_dir DIR: sets GIT_DIR_PATH to the git folder that DIR/.git is or points to.
git_dir() {
  local line=
  if [[ -d $1/.git ]]; then
    cd -P -- "$1/.git" 2>/dev/null || return 1
  else
    [[ -f $1/.git ]] && { IFS= read -r -n 4096 line; } 2>/dev/null <"$1/.git"
    [[ $line == 'gitdir: '* ]] || return 1
    line=${line#'gitdir: '}
    [[ $line == /* ]] || line=$1/$line
    cd -P -- "$line" 2>/dev/null || return 1
  fi
  GIT_DIR_PATH=$PWD
}

# is_submodule DIR ROOT: whether DIR's git folder lies in the modules/ of ROOT's.
is_submodule() {
  local up modules
  [[ -f $1/.git ]] && git_dir "$1" || return 1
  up=$GIT_DIR_PATH
  # A linked work tree of a submodule lies there too.
  [[ -e $up/commondir ]] && return 1
  git_dir "$2" || return 1
  modules=$GIT_DIR_PATH/modules
  while [[ -n $up ]]; do
    up=${up%/*}
    [[ ${up:-/} -ef $modules ]] && return 0
  done
  return 1
}

# belongs_to PATH ROOT: whether the innermost repository around the physical PATH is the one of ROOT.
belongs_to() {
  local dir=$1
  while :; do
    if [[ -d ${dir:-/} ]]; then
      # The same folder, not the same name: file systems fold case and are mounted twice.
      [[ ${dir:-/} -ef $2 ]] && return 0
      if [[ -e $dir/.git || -L $dir/.git ]]; then
        is_submodule "$dir" "$2" || return 1
      fi
    fi
    [[ -n $dir ]] || return 1
    dir=${dir%/*}
  done
}

# is_inside PATH CWD ROOT: `..` behind a symlink has two readings, and a tool may follow either.
is_inside() {
  absolute_path "$1" "$2"
  physical_path "$ABSOLUTE"
  belongs_to "$PHYSICAL" "$3" && return 0
  [[ /$ABSOLUTE/ == */../* ]] || return 1
  lexical_path "$ABSOLUTE"
  physical_path "$LEXICAL"
  belongs_to "$PHYSICAL" "$3"
}
