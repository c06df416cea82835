#!/bin/bash
# shellcheck disable=SC2034 # LOCK_* are the state of these functions
# The lock state.json.lock, made with mkdir. The same rules in TypeScript: mcp-server/src/state/lock.ts.
# lock_take sets traps for EXIT, HUP, INT and TERM: whoever reads this file leaves them to it.

LOCK_DEADLINE=5 LOCK_STALE=10
LOCK_HELD='' LOCK_STAMP='' LOCK_GUARD='' LOCK_SEEN='' LOCK_SINCE=0

# lock_stat FOLDER: prints its time in seconds, and behind a space what tells it from another folder of that name.
if stat -c %Y / >/dev/null 2>&1; then                  # GNU: tried first
  lock_stat() { stat -c '%Y %i:%y' "$1" 2>/dev/null; } # GNU: as tried
else
  lock_stat() { stat -f '%m %i:%Fm' "$1" 2>/dev/null; }
fi

# lock_age STAMP: prints the seconds since, negative for a time in the future.
lock_age() {
  echo $(($(date +%s) - ${1%% *}))
}

# lock_is_stale LOCK: older than ten seconds; or dated in the future, and unchanged for as long as it was watched.
lock_is_stale() {
  local stamp age
  stamp=$(lock_stat "$1") || return 1
  age=$(lock_age "$stamp")
  if ((age >= -1)); then
    LOCK_SEEN=''
    ((age > LOCK_STALE))
    return
  fi
  [[ $LOCK_SEEN == "$stamp" ]] || LOCK_SEEN=$stamp LOCK_SINCE=$SECONDS
  ((SECONDS - LOCK_SINCE > LOCK_STALE))
}

# lock_drop_old_guard GUARD: removes a guard that its process left behind.
lock_drop_old_guard() {
  local stamp age
  stamp=$(lock_stat "$1") || return 0
  age=$(lock_age "$stamp")
  ((${age#-} > LOCK_STALE)) && rmdir "$1" 2>/dev/null
  return 0
}

# lock_break LOCK: removes a stale lock; of several at once, one does, and only after it looked again. Fails when there is nothing to break.
lock_break() {
  lock_is_stale "$1" || return 1
  if ! mkdir "$1.break" 2>/dev/null; then
    lock_drop_old_guard "$1.break"
    return 1
  fi
  LOCK_GUARD=$1.break
  lock_is_stale "$1" && rmdir "$1" 2>/dev/null
  rmdir "$LOCK_GUARD" 2>/dev/null
  LOCK_GUARD=''
  # What is no empty folder stays: it is not for a lock to remove, and trying again at once would never end.
  ! lock_is_stale "$1"
}

# lock_wait_over BEGUN: whether the deadline has passed. A lock dated in the future is watched until its fate is known.
lock_wait_over() {
  local limit=$LOCK_DEADLINE
  [[ -n $LOCK_SEEN ]] && limit=$((LOCK_DEADLINE + LOCK_STALE))
  ((SECONDS - $1 > limit))
}

# lock_take ROOT: fails with 1 when another holds it until the deadline, with 2 when it cannot be made at all.
lock_take() {
  local lock=$1/.readygate/state.json.lock begun=$SECONDS
  LOCK_HELD='' LOCK_SEEN=''
  trap lock_release EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  while ! mkdir "$lock" 2>/dev/null; do
    [[ -w $1/.readygate ]] || return 2
    lock_break "$lock" && continue
    lock_wait_over "$begun" && return 1
    sleep "0.0$((RANDOM % 9 + 1))"
  done
  LOCK_STAMP=$(lock_stat "$lock")
  LOCK_HELD=$lock
}

# lock_release: gives the lock back, unless somebody took it over.
lock_release() {
  [[ -n $LOCK_HELD && $(lock_stat "$LOCK_HELD") == "$LOCK_STAMP" ]] && rmdir "$LOCK_HELD" 2>/dev/null
  [[ -n $LOCK_GUARD ]] && rmdir "$LOCK_GUARD" 2>/dev/null
  LOCK_HELD='' LOCK_GUARD=''
  return 0
}
