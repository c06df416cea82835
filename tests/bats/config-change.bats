#!/usr/bin/env bats
# The ConfigChange hook: hooks stay on while a session is active.

setup() {
  # shellcheck source=tests/bats/hook.bash
  . "$BATS_TEST_DIRNAME/hook.bash"
  make_repository
  SETTINGS=$WORK/.claude/settings.local.json
  mkdir -p "$WORK/.claude"
}

# change_config TEXT [SOURCE]: the settings file holds TEXT now; sets status, OUT and ERR.
change_config() {
  status=0
  printf '%s' "$1" >"$SETTINGS"
  jq -cn --arg cwd "$WORK" --arg file "$SETTINGS" --arg source "${2:-local_settings}" \
    '{session_id: "me", cwd: $cwd, hook_event_name: "ConfigChange", source: $source, file_path: $file}' |
    env -i PATH="${HOOK_PATH-$PATH}" HOME="$BATS_TEST_TMPDIR" CLAUDE_PROJECT_DIR="$WORK" CLAUDE_PLUGIN_ROOT="$PLUGIN" \
      "${BASH32:-/bin/bash}" "$PLUGIN/hooks/config-change.sh" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
  OUT=$(cat "$BATS_TEST_TMPDIR/out")
  ERR=$(cat "$BATS_TEST_TMPDIR/err")
}

@test "switching all hooks off is refused at every gate, and the reason says the way out" {
  for gate in closed open; do
    start_session "$gate"
    change_config '{"disableAllHooks": true}'
    refuses RG06
    [[ $ERR == *disableAllHooks* && $ERR == *"$SETTINGS"* && $ERR == */readygate:abort* ]]
  done
}

@test "switching this plugin off is refused" {
  start_session
  change_config '{"enabledPlugins": {"other@x": true, "readygate@readygate": false}}'
  refuses RG06
}

@test "other changes pass" {
  start_session
  for text in '{}' '{"disableAllHooks": false}' '{"enabledPlugins": {"readygate@readygate": true, "other@x": false}}' '{"env": {"A": "disableAllHooks"}}' \
    '{"enabledPlugins": []}' '[]' 'null' '"disableAllHooks"'; do
    change_config "$text"
    passes
  done
}

@test "a policy is not ours to refuse" {
  start_session
  change_config '{"disableAllHooks": true}' policy_settings
  passes
}

@test "without a session, and with one that rests, hooks may be switched off" {
  change_config '{"disableAllHooks": true}'
  passes
  start_session closed Q1 6 "\"schema\":1,\"owner\":\"someone\",\"last_activity\":$((($(date +%s) - 90000) * 1000))}"
  change_config '{"disableAllHooks": true}'
  passes
}

@test "settings that cannot be read, a damaged state and a missing jq pass" {
  start_session
  change_config '{"disableAllHooks": tru'
  [[ $status == 0 && -z $OUT ]]
  path_without jq
  change_config '{"disableAllHooks": true}'
  passes_with_note 'jq is not installed'
  echo garbage >"$STATE"
  change_config '{"disableAllHooks": true}'
  passes_with_note 'not a state'
}
