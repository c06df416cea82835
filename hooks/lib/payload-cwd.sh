#!/bin/bash
# Sets CWD from the raw payload, as far as that goes without a parser. Read by pre-tool.sh when the hook does not run in the
# payload's cwd, or when bash is too old for `read -N`.
