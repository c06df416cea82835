#!/bin/bash
# Sets CWD from the raw payload, as far as that goes without a parser. Read by pre-tool.sh when the hook does not seem to run in the
# payload's cwd, or when bash is too old for `read -N`.

# read_payload_cwd: the first "cwd" with a string. Inside another string its quotes would be escaped, so this is a field.
read_payload_cwd() {
  local field='"cwd"[[:space:]]*:[[:space:]]*"(([^"\\]|\\.)*)"'
  if [[ $BASH_VERSION == [1-3].* ]]; then
    # Byte by byte, so not far.
    # shellcheck disable=SC2034 # for pre-tool.sh
    BOUND=$HEAD
    IFS= read -r -d '' -n "$HEAD" RAW
  fi
  [[ $RAW =~ $field ]] || return 0
  CWD=${BASH_REMATCH[1]}
  if [[ $CWD == *\\* ]]; then
    # shellcheck source=/dev/null
    . "${BASH_SOURCE[0]%/*}/session.sh"
    json_text "$CWD" && CWD=$TEXT
  fi
}

read_payload_cwd
