#!/usr/bin/env bats
# Layer 1 on the shared case tables, each row through the real hook.

# decides TABLE ROWS: the hook says of every row what the table says, and there are at least so many rows.
decides() {
  run "${BASH32:-/bin/bash}" "$BATS_TEST_DIRNAME/judge-cases.bash" "$BATS_TEST_TMPDIR" "$1"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output =~ ([0-9]+)\ rows,\ 0\ failed$ ]]
  ((BASH_REMATCH[1] >= $2))
}

@test "the hook decides every row of guards-file.jsonl as the table says" {
  decides guards-file.jsonl 80
}

@test "the hook decides every row of guards-shell.jsonl as the table says" {
  decides guards-shell.jsonl 60
}

@test "the hook decides every row of guards-tools.jsonl as the table says" {
  decides guards-tools.jsonl 60
}
