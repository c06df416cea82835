#!/usr/bin/env bats
# The hook and commands that nobody writes by hand: an answer, and no crash.

setup() {
  # shellcheck source=tests/bats/hook.bash
  . "$BATS_TEST_DIRNAME/hook.bash"
  make_repository
  start_session
}

# judge_command: a payload with the command on stdin, raw; sets status, OUT and ERR.
judge_command() {
  jq -Rsc --arg cwd "$WORK" '{session_id: "me", cwd: $cwd, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {command: .}}' >"$BATS_TEST_TMPDIR/payload"
  run_hook shell <"$BATS_TEST_TMPDIR/payload"
  show
  [[ -z $OUT && $ERR != *$'\n'* && ($status == 0 || $status == 2) ]]
}

# times TEXT COUNT
times() {
  yes "$1" | head -n "$2" | tr -d '\n'
}

@test "a command of 1 MB is left to layer 2, with a note" {
  for piece in 'echo "a b" | sort; ' a 'rm x; '; do
    judge_command < <(times "$piece" $((1000000 / ${#piece})))
    [[ $status == 0 ]]
  done
}

@test "a command that could not be read, or is longer than this hook reads, passes with a note about the server" {
  judge_command < <(printf 'echo x > src/a.js; if')
  [[ $status == 0 ]]
  passes_with_note 'the server does'
  judge_command < <(printf 'echo ' && times x 65515 && printf ' > src/a.js')
  [[ $status == 2 ]]
  judge_command < <(printf 'echo ' && times x 65526 && printf ' > src/a.js')
  passes_with_note '65536'
}

@test "a command of wrappers in wrappers is refused, and hides nothing behind it" {
  judge_command < <(times 'env ' 900 && printf 'true')
  [[ $status == 2 && $ERR == *RG04* ]]
  judge_command < <(times '(' 20 && times 'nice ' 900 && printf 'true' && times ')' 20 && printf '; rm -rf src')
  [[ $status == 2 && $ERR == *"$WORK/src"* ]]
  judge_command < <(printf 'env nice nohup timeout 5 cat src/a.js')
  [[ $status == 0 ]]
}

@test "a written state and command need no jq" {
  [[ -n ${EPOCHSECONDS-} ]] || skip 'bash before 5 has no clock'
  start_written_session en
  jq -cn --arg cwd "$WORK" '{session_id: "me", cwd: $cwd, hook_event_name: "PreToolUse", tool_name: "Bash",
    tool_input: {command: "cd \"src\" &&\n\tsed -i \"s/\\\\/b/\" a.js", description: "x"}}' >"$BATS_TEST_TMPDIR/payload"
  path_without jq
  run_hook shell <"$BATS_TEST_TMPDIR/payload"
  refuses RG04
  [[ $ERR == *"$WORK/src/a.js"* ]]
}

@test "deep nesting, unbalanced quotes and open substitutions get an answer" {
  judge_command < <(times '(' 20000)
  judge_command < <(times '$(' 20000)
  judge_command < <(times 'echo $(' 3000 && times ')' 3000)
  judge_command < <(times 'echo "' 5001)
  judge_command < <(yes 'cat <<E' | head -n 3000)
}

@test "text that is no text gets an answer" {
  judge_command < <(printf 'rm \xff\xfe\x80 src/a.js\n')
  [[ $status == 2 ]]
  judge_command < <(head -c 20000 /dev/urandom | tr -d '\0')
  judge_command < <(printf 'a\0b > src/a.js')
  [[ $status == 0 ]]
}

@test "a raw payload that is broken passes with a note" {
  run_hook shell < <(printf '{"cwd":"%s","tool_name":"Bash","tool_input":{"command":"rm a' "$WORK")
  passes_with_note 'not valid JSON'
  run_hook shell < <(printf '{"cwd":"%s","tool_name":"Bash","tool_input":{"command":5}}' "$WORK")
  passes_with_note 'no command'
}

@test "an open gate needs neither jq nor awk for a plain command, and both for a suspicious one" {
  start_session open READY 13
  path_without jq
  judge_command < <(printf 'npm test -- --run src/a.test.js 2>&1 | tail -40; ls .gitignore')
  passes
  judge_command < <(printf 'git commit -m x')
  passes_with_note 'jq is not installed'
}
