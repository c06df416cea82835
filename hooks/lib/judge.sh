#!/bin/bash
# shellcheck disable=SC2034,SC2153 # what is set here is used by the tools' own files; pre-tool.sh sets KIND
# The slow path: what a tool call would do (file-tool.sh, shell-tool.sh or mcp-tool.sh) against the guards of the catalog.
# Read by pre-tool.sh when a guard may refuse. The same rules in TypeScript: mcp-server/src/guards/judge.ts.

DORMANT_AFTER_MS=86400000
# FACTS, in order: the state, these, as many lines as OF_MORE says, and PER_GUARD lines for each guard from GUARDS_AT on.
OF_SESSION=1 OF_CWD=2 OF_TOOL=3 OF_BRANCH=4 OF_SUBJECT=5 OF_MORE=6 PER_GUARD=7

# read_rest: completes RAW; a parser needs the whole payload. Once it is whole, it stays as it is.
read_rest() {
  local rest=
  if [[ $BASH_VERSION == [1-3].* ]]; then
    rest=$(cat)
  else
    IFS= read -r -N 1073741824 rest # bash 4: 3.2 has no -N
  fi
  RAW+=$rest
}

# ask_jq STATE: sets FACTS to the lines of the tool's jq program about RAW and the session whose state is the file STATE.
ask_jq() {
  local answer IFS=$'\n'
  answer=$(exec jq -c -f "$HOOKS/lib/${FACTS_OF:-facts}.jq" --slurpfile catalog "${HOOKS%/hooks}/state/guards.json" \
    --slurpfile states "$1" ${JQ_FILES[@]+"${JQ_FILES[@]}"} 2>/dev/null <<<"$RAW") || return
  set -f
  # shellcheck disable=SC2206 # JSON on one line holds no newline
  FACTS=($answer)
  set +f
}

# read_state FACT: sets LANGUAGE_OF_STATE and OWNER (JSON) and AGE_MS; fails on a state that is not understood.
read_state() {
  local form='^\[([0-9]+)[^,]*,1,(-?[0-9]+)(\.[0-9]+)?,(null|"([^"\\]|\\.)*"),(.*),null]$'
  [[ $1 =~ $form ]] || return 1
  AGE_MS=$((BASH_REMATCH[1] * 1000 - BASH_REMATCH[2]))
  OWNER=${BASH_REMATCH[4]}
  LANGUAGE_OF_STATE=${BASH_REMATCH[6]}
}

# is_dormant SESSION: without activity for a day (a time as far ahead is none, either), and of another Claude session than SESSION (JSON).
is_dormant() {
  ((${AGE_MS#-} > DORMANT_AFTER_MS)) && [[ $OWNER != "$1" && $OWNER != "\"${CLAUDE_CODE_SESSION_ID-}\"" ]]
}

# add_effect KIND TARGET BY: remembers what the call would do.
add_effect() {
  KINDS+=("$1")
  TARGETS+=("$2")
  BYS+=("$3")
}

# step_fits APPLIES: whether a guard looks at this step of a session with or without a task branch; no steps mean every step.
step_fits() {
  local steps=${1#*'"steps":['} branchless=${1#*'"branchless_steps":['}
  steps=,${steps%%']'*},
  [[ $steps == ,, || $steps == *",$STEP,"* ]] || return 1
  [[ $branchless == "$1" || ${FACTS[OF_BRANCH]} == '["'[!\"]* || ,${branchless%%']'*}, == *",$STEP,"* ]]
}

# find_guard: sets GUARD to the first entry of the catalog that one of the effects meets, and MET to the effect's place.
find_guard() {
  local at n applies
  for ((at = GUARDS_AT; at < ${#FACTS[@]}; at += PER_GUARD)); do
    applies=${FACTS[at + 4]}
    [[ $applies == *"\"gate\":\"$GATE\""* || $applies == *'"gate":"any"'* ]] || continue
    for ((n = 0; n < ${#KINDS[@]}; n++)); do
      [[ ${applies#*'"kinds":'} == *"\"${KINDS[n]}\""* ]] || continue
      step_fits "$applies" || break
      GUARD=("${FACTS[@]:at:PER_GUARD}") # never empty: at is in it
      MET=$n
      return 0
    done
  done
  return 1
}

# refuse TOOL: prints the reason of GUARD for the effect MET. The target is filled in last, since only it could hold a placeholder.
refuse() {
  local reason message remedy language=3 path=${TARGETS[MET]} newline=$'\n' IFS='"'
  path=${path//"$newline"/\\n}
  [[ $LANGUAGE_OF_STATE == '"ja"' ]] && language=7
  set -f
  # Split at quotes, {"en":"text","ja":"text"} has its texts at 3 and 7; they hold no quote or backslash, tests see to it.
  # shellcheck disable=SC2206
  message=(${GUARD[5]}) remedy=(${GUARD[6]})
  set +f
  reason="Readygate ${GUARD[0]//\"/} ${GUARD[1]//\"/}: ${message[language]} ${remedy[language]}"
  reason=${reason//'{session}'/"$SESSION"}
  reason=${reason//'{phase}'/"$PHASE"}
  reason=${reason//'{step}'/"$STEP"}
  reason=${reason//'{tool}'/"$1"}
  reason=${reason//'{by}'/"${BYS[MET]}"}
  reason=${reason//'{path}'/"$path"}
  printf '%s\n' "$reason" >&2
}

# judge_effects ROOT: 2, with the reason on stderr, when a guard refuses what FACTS tells of.
judge_effects() {
  local cwd
  [[ -n ${FACTS[OF_TOOL]-} ]] || return 0
  GUARDS_AT=$((OF_MORE + 1 + FACTS[OF_MORE]))
  KINDS=() TARGETS=() BYS=()
  # A tool that no guard names has no effects that matter.
  ((${#FACTS[@]} > GUARDS_AT)) || return 0
  json_text "${FACTS[OF_CWD]}" && cwd=$TEXT
  find_effects "$1" "${cwd-}"
  find_guard || return 0
  refuse "${FACTS[OF_TOOL]//\"/}"
  return 2
}

# judge_facts ROOT: the same for the session of ROOT.
judge_facts() {
  if ! read_state "${FACTS[0]-}"; then
    note hook.state_unusable root "$1"
    return 0
  fi
  is_dormant "${FACTS[OF_SESSION]}" || judge_effects "$1"
}

# note_failed_jq STATUS ROOT
note_failed_jq() {
  if (($1 == 127)); then
    note hook.no_jq
  else
    note hook.bad_json root "$2"
  fi
}

# judge_session ROOT: 2 when this session refuses the call.
judge_session() {
  if ! read_gate "$1"; then
    note hook.not_a_state root "$1"
    return 0
  fi
  if [[ -z ${FACTS_OF-} ]] && plain_facts "$1/.readygate/state.json"; then
    judge_facts "$1"
    return
  fi
  read_rest
  if ask_jq "$1/.readygate/state.json"; then
    judge_facts "$1"
  else
    note_failed_jq $? "$1"
  fi
}

# judge_enforced ROOT: 2 when ROOT wants a session before any edit (RG00). The server's word that the user lifted it lies beside
# the marker; a forged one does not help, since layer 2 goes by its own memory.
judge_enforced() {
  local lifted=
  [[ -f $1/.readygate/enforce.lifted ]] && { IFS= read -r -n 200 lifted; } 2>/dev/null <"$1/.readygate/enforce.lifted"
  [[ -n $lifted && $RAW == *"\"session_id\":\"$lifted\""* ]] && return 0
  GATE=none PHASE='' STEP='' SESSION=''
  # shellcheck source=/dev/null
  . "$HOOKS/lib/say.sh"
  user_language "$1"
  LANGUAGE_OF_STATE="\"$LANGUAGE\""
  read_rest
  if ask_jq /dev/null; then
    judge_effects "$1"
  else
    note_failed_jq $? "$1"
  fi
}

# judge_each FUNCTION ROOT...: one refusal is enough, and then only its reason is told.
judge_each() {
  local judge=$1 root before=
  shift
  for root; do
    [[ $root == "$before" ]] && continue
    before=$root
    "$judge" "$root" || return 2
  done
}

# judge_call: every active session judges; without one, the project's own wish does.
judge_call() {
  NOTE=
  [[ $KIND == file ]] || read_rest
  if [[ ${ROOTS+x} ]]; then
    judge_each judge_session "${ROOTS[@]}" || return 2 # never empty: asked above
  else
    judge_each judge_enforced "${ENFORCED[@]}" || return 2 # never empty: pre-tool.sh asked
  fi
  [[ -z $NOTE ]] || printf 'readygate: %s\n' "$NOTE" >&2
}
