#!/usr/bin/env bats
# Layer 1 on the shared case table, each row through the real hook.

@test "the hook decides every row of guards-file.jsonl as the table says" {
  run /bin/bash "$BATS_TEST_DIRNAME/judge-cases.bash" "$BATS_TEST_TMPDIR"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output =~ ([0-9]+)\ rows,\ 0\ failed$ ]]
  ((BASH_REMATCH[1] >= 80))
}
