#!/bin/bash
# Usage: judge-cases.bash DIR TABLE. Runs every row of tests/cases/TABLE through the real hook in a world built in DIR, and tells each row
# that fails. A script of its own because bats traps every command.
set -u

# shellcheck source=/dev/null
. "${BASH_SOURCE[0]%/*}/world.bash"
BASE=$(cd "$1" && pwd -P)

# judge_case: sets VERDICT to the id of the guard that refuses, or nothing; STATUS, OUT and ERR hold what the hook left.
judge_case() {
  OUT=$(cd "$FOLDER" && printf '%s' "$PAYLOAD" | env -i PATH="$PATH" HOME="$USER_HOME" CLAUDE_PROJECT_DIR="$PROJECT" \
    CLAUDE_CODE_SESSION_ID="$OWN" CLAUDE_PLUGIN_ROOT="$REPO" CLAUDE_PLUGIN_DATA="$BASE/home/.claude/plugins/data/readygate" \
    "${BASH32:-/bin/bash}" "$REPO/hooks/pre-tool.sh" "$KIND" 2>"$BASE/stderr")
  STATUS=$?
  ERR=$(cat "$BASE/stderr")
  VERDICT=
  [[ $STATUS == 2 && $ERR =~ ^Readygate\ (RG[0-9]+)\  ]] && VERDICT=${BASH_REMATCH[1]}
}

# as_wanted: whether the verdict is the table's, with exit 0 or 2, one line on stderr at most and nothing on stdout.
as_wanted() {
  [[ $VERDICT == "$DENY" && -z $OUT && $ERR != *$'\n'* ]] && [[ $STATUS == 0 || -n $VERDICT ]]
}

judge_all() {
  local failed=0 rows=0
  exec 8<"$BASE/cases"
  while next_case "$BASE"; do
    judge_case
    end_case
    ((++rows))
    as_wanted && continue
    ((++failed))
    printf 'FAILED %s: wanted %s, got %s (exit %s, stdout %s, stderr %s)\n' "$NAME" "${DENY:-pass}" "${VERDICT:-pass}" "$STATUS" "$OUT" "$ERR"
  done
  echo "$rows rows, $failed failed"
  ((failed == 0))
}

build_world "$BASE"
write_cases "$BASE" "$2" "$BASE/cases"
judge_all
