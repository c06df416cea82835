#!/bin/bash
# What a path is to the gate: one of the places that guard it, or a part of the work tree. The same rules in TypeScript:
# mcp-server/src/guards/place.ts; keep the two in step. Needs path.sh.

# names_hooks_path TEXT: whether it names the setting that moves git's hooks elsewhere.
names_hooks_path() {
  [[ $1 == *[Hh][Oo][Oo][Kk][Ss][Pp][Aa][Tt][Hh]* ]]
}

# is_plain PHYSICAL ROOT: whether its name alone shows that it is no special place: those lie behind a name with a dot, or in the
# plugin's folder, unless someone moved them.
is_plain() {
  [[ $1 != */.* && -d $2/.git && -z ${CLAUDE_CONFIG_DIR-} && $1 != "${CLAUDE_PLUGIN_DATA:-/dev/null}"* ]] || return 1
  [[ -L $2/.git || -L $2/.git/hooks || -L $2/.readygate || -L $2/.claude || -L ${HOME-}/.claude || -L ${CLAUDE_PROJECT_DIR-}/.claude ]] && return 1
  case $1/ in
  "${HOOKS%/hooks}"/* | "$PLUGIN_PHYSICAL"/*) return 1 ;;
  esac
}

# special_place PHYSICAL ROOT: sets PLACE, empty for an ordinary path.
special_place() {
  PLACE=
  [[ -n ${PLUGIN_PHYSICAL-} ]] || { cd -P -- "${HOOKS%/hooks}" && PLUGIN_PHYSICAL=$PWD; }
  is_plain "$1" "$2" && return
  # shellcheck source=/dev/null
  [[ -n ${HAS_SPECIAL_PLACES-} ]] || . "$HOOKS/lib/special-place.sh"
  look_up_place "$1" "$2"
}

# place_of PATH CWD ROOT: sets PLACE to guard, hooks-off, git-config, history, tree, or nothing for what does not matter; PHYSICAL too.
place_of() {
  local inside=
  absolute_path "$1" "$2"
  physical_path "$ABSOLUTE"
  belongs_to "$PHYSICAL" "$3" && inside=tree
  special_place "$PHYSICAL" "$3"
  [[ -z $PLACE && /$ABSOLUTE/ == */../* ]] || { PLACE=${PLACE:-$inside} && return; }
  lexical_path "$ABSOLUTE"
  physical_path "$LEXICAL"
  special_place "$PHYSICAL" "$3"
  [[ -z $PLACE ]] || return 0
  [[ -n $inside ]] || { belongs_to "$PHYSICAL" "$3" && inside=tree; }
  PLACE=$inside
}
