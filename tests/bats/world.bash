#!/bin/bash
# shellcheck disable=SC2034,SC2153 # what is set here is used by judge-cases.bash; TEXT comes from session.sh
# The world of tests/cases/guards-*.jsonl in bash: the first row of guards-file.jsonl builds it, every other row is a call in it.
# In TypeScript: tests/vitest/guards/world.ts.

REPO=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
CASES=$REPO/tests/cases
# shellcheck source=/dev/null
. "$REPO/hooks/lib/session.sh" # json_text

# next_value: the next line on fd 8, a JSON string, into VALUE.
next_value() {
  IFS= read -r VALUE <&8 || return 1
  json_text "$VALUE"
  VALUE=$TEXT
}

# build_world BASE
build_world() {
  local kind at text
  while next_value; do
    kind=$VALUE
    next_value && at=$1/$VALUE
    next_value && text=$VALUE
    case $kind in
    dir) mkdir -p "$at" ;;
    file) mkdir -p "${at%/*}" && printf '%s' "$text" >"$at" ;;
    link) mkdir -p "${at%/*}" && ln -s "$text" "$at" ;;
    esac
  done 8< <(head -n 1 "$CASES/guards-file.jsonl" | jq -c '.world[] | .[0], .[1], .[2] // ""')
}

# write_cases BASE TABLE FILE: every row as lines of JSON strings: name, what layer 1 says, kind of hook, project, pwd, home, own,
# payload, number of sessions, and of each session root, kind and text.
write_cases() {
  local now
  now=$(($(date +%s) * 1000))
  grep -v '^{"world"' "$CASES/$2" | jq -c --arg base "$1" --arg plugin "$REPO" --argjson now "$now" '
    def placed: walk(if type == "string" then split("{base}") | join($base) | split("{plugin}") | join($plugin) else . end);
    def state: {gate: "closed", phase: "EXPLORATION", step: 5, session: "s-1", owner: null, age_h: 0, language: "en", branch: null, mutating_tools: []} + .
      | "{\"gate\":\"\(.gate)\",\"phase\":\"\(.phase)\",\"step\":\(.step | tojson),\"session\":\"\(.session)\",\"rev\":1,\n"
        + ({schema: 1, owner, last_activity: ($now - .age_h * 3600000), language, git: {branch}, config: {guard: {mutating_tools}}} | tojson | .[1:]) + "\n";
    def text: if .raw != null then .raw | split("NOW") | join($now | tojson) elif .kind == null then state else "" end;
    def kind: if test("^(Bash|PowerShell|Monitor)$") then "shell" elif test("^(Edit|Write|MultiEdit|NotebookEdit)$") then "file" else "mcp" end;
    (.cwd // "{base}/repo" | placed) as $cwd
    | (if .gate then {gate, step: (.step // 5)} + (if .branch then {branch} else {} end) else {} end) as $short
    | ((.sessions // {repo: $short}) | to_entries) as $sessions
    | (.tool // "Bash") as $tool
    | (.field // (if $tool == "NotebookEdit" then "notebook_path" else "file_path" end)) as $field
    | (if .input then .input elif .command then {command} elif .path == null then {} else {($field): .path} end | placed) as $input
    | .name, (if has("bash") then .bash else .deny end) // "", (if .path == null and .input == null and .command == null then "file" else $tool | kind end),
      (.project // "{base}/repo" | placed), (.pwd // $cwd | placed), (.home // "{base}/home" | placed), .own // "",
      ({session_id: "me", cwd: $cwd, hook_event_name: "PreToolUse", tool_name: $tool, tool_input: $input}
        + (if .agent then {agent_id: .agent} else {} end) | tojson),
      ($sessions | length | tostring), ($sessions[] | .key, (.value.kind // "file"), (.value | text))' >"$3"
}

# place_session BASE ROOT KIND TEXT
place_session() {
  local dir=$1/$2/.readygate
  mkdir -p "$dir"
  case $3 in
  directory) mkdir "$dir/state.json" ;;
  dangling) ln -s nowhere "$dir/state.json" ;;
  enforced)
    : >"$dir/enforce"
    [[ -z $4 ]] || printf '%s\n' "$4" >"$dir/enforce.lifted"
    ;;
  *) printf '%s' "$4" >"$dir/state.json" ;;
  esac
  PLACED+=("$dir")
}

# next_case BASE: reads a row from fd 8, sets NAME, DENY, KIND, PROJECT, FOLDER, USER_HOME, OWN and PAYLOAD, and places its sessions.
next_case() {
  local base=$1 count root kind
  PLACED=()
  next_value || return 1
  NAME=$VALUE
  next_value && DENY=$VALUE
  next_value && KIND=$VALUE
  next_value && PROJECT=$VALUE
  next_value && FOLDER=$VALUE
  next_value && USER_HOME=$VALUE
  next_value && OWN=$VALUE
  next_value && PAYLOAD=$VALUE
  next_value && count=$VALUE
  for (( ; count > 0; count--)); do
    next_value && root=$VALUE
    next_value && kind=$VALUE
    next_value
    place_session "$base" "$root" "$kind" "$VALUE"
  done
}

# end_case: takes the sessions away again.
end_case() {
  ((${#PLACED[@]} == 0)) || rm -rf "${PLACED[@]}"
}
