#!/usr/bin/env bats
# The hook's reading of shell commands: awk for the text, bash for links and ignored files.

setup() {
  LIB=$BATS_TEST_DIRNAME/../../hooks/lib
  HOOKS=${LIB%/lib}
  local part
  for part in session path place special-place shell; do
    # shellcheck source=/dev/null
    source "$LIB/$part.sh"
  done
  HOME=$(cd "$BATS_TEST_TMPDIR" && pwd -P)
  ROOT=$HOME/app
  export HOME TMPDIR=$HOME/tmp
  mkdir -p "$ROOT/.git/info" "$ROOT/src" "$ROOT/.readygate" "$TMPDIR" "$HOME/out"
  printf '%s\n' 'gen/' '*.log' '/bin/cache' >"$ROOT/.gitignore"
  ln -s src "$ROOT/in-link"
  ln -s "$HOME/out" "$ROOT/out-link"
  ln -s "$ROOT/src" "$HOME/into"
  ln -s "$ROOT/.readygate" "$HOME/gate"
}

findings() {
  collect_findings "$1" "${2-$ROOT}" "$ROOT" "$HOME"
  ((${#FINDINGS[@]} == 0)) || printf '%s\n' "${FINDINGS[@]}"
}
denied() {
  [[ -n $(findings "$@") ]] || {
    echo "allowed: $1"
    return 1
  }
}
free() {
  local found
  found=$(findings "$@" 2>/dev/null)
  [[ -z $found ]] || {
    echo "denied: $1: $found"
    return 1
  }
}

@test "a write into the work tree is found, with its kind, path and command" {
  [[ $(findings 'cd src && echo x > a.js') == "tree	$ROOT/src/a.js	>" ]]
  [[ $(findings 'git commit -m x') == "history	$ROOT	git commit" ]]
  [[ $(findings 'rm -rf .readygate') == "guard	$ROOT/.readygate	rm" ]]
}

@test "reads, prose and targets outside are free" {
  free 'git log --format="%h > %s" 2>/dev/null | head'
  free "cat <<'EOF' > /tmp/x
rm -rf src > y; don't
EOF"
  free 'echo x > ../note.txt'
  free 'awk "\$1 > 5" x'
}

@test "links decide, not names" {
  free 'echo x > out-link/a'
  denied 'echo x > in-link/a'
  denied "echo x > $HOME/into/a"
  [[ $(findings "echo x > $HOME/gate/state.json") == guard* ]]
}

@test "a tree around the work tree counts" {
  denied "rm -rf $HOME"
  free "rm -rf $HOME/out"
}

@test "what the tree's own ignore file names is free" {
  free 'touch gen/x'
  free 'npm test > test.log'
  free 'echo x > bin/cache/y'
  denied 'echo x > bin/y'
  free 'rm -rf node_modules'
}

@test "unparsable text is free, and so is what cannot be seen" {
  free 'echo "open'
  free 'rm -rf src; echo $('
  free './run.sh'
  free 'rm "$UNKNOWN/x"'
}

@test "a very long command gets an answer in time" {
  local long
  long=$(printf 'true; %.0s' {1..5000})
  free "$long"
  free "echo $(printf 'a%.0s' {1..70000})"
}

@test "every awk on this machine gives the same answers" {
  local awk expected found commands command
  commands=(
    'cd src && cat > a <<EOF && rm b
body $(touch c)
EOF' "sed -i.bak 's/a/b/' x; sort -ro y z" 'f() { rm "$1"; }; f q' 'for f in a b; do mv "$f" "${f}x"; done' $'echo $\'\\x61\' > $\'b\\tc\''
    'if true; then cp x{,.bak}; else git checkout -b fix/main-menu; fi' 'python3 -c "open('"'a'"', '"'w'"')"' 'xargs rm <<< "a b"' 'tar xzf a.tgz -C src'
  )
  for command in "${commands[@]}"; do
    expected=$(findings "$command")
    [[ -n $expected ]]
    for awk in mawk gawk original-awk bwk busybox; do
      command -v "$awk" >/dev/null || continue
      [[ $awk == busybox ]] && awk=$BATS_TEST_TMPDIR/busybox-awk && printf '#!/bin/sh\nexec busybox awk "$@"\n' >"$awk" && chmod +x "$awk"
      found=$(READYGATE_AWK=$awk findings "$command")
      [[ $found == "$expected" ]] || {
        echo "$awk: $command: $found"
        return 1
      }
    done
  done
}
