/**
 * What is known about commands, as data. A command that is not named here is taken for a check of the work when it ends
 * with 0: a test, a build, a lint, a type check, or a run of the program, however the project calls it.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** By name; a Map, since a command may be called `toString`. */
const table = <Value>(entries: Record<string, Value>): ReadonlyMap<string, Value> => new Map(Object.entries(entries));

/** They look, print, move or wait: their success says nothing about the work. */
export const TRIVIAL = words(
  `: true false echo printf print pwd cd pushd popd dirs ls ll la tree cat tac head tail less more most bat nl wc sort uniq cut tr rev column
  fold fmt paste join split shuf seq yes tee xxd od hexdump strings grep egrep fgrep zgrep rg ag ack find fd fdfind locate sed awk gawk mawk
  file stat du df date cal sleep wait test [ basename dirname realpath readlink which whereis type hash alias unalias export unset set
  shopt declare local readonly typeset let read mapfile source . exit return break continue shift trap umask ulimit bg fg jobs disown kill
  pkill killall ps top htop pgrep lsof whoami id groups users uname hostname arch nproc free uptime env printenv history clear reset tput stty
  mkdir rmdir touch cp mv rm ln install chmod chown chgrp mktemp truncate dd sync rsync scp tar zip unzip gzip gunzip xz md5sum sha1sum
  sha256sum cksum base64 git gh glab svn hg man help info apropos open xdg-open code vim vi nano emacs ed pbcopy pbpaste xclip claude readygate
  apt apt-get apk brew dnf yum pacman Get-Content Get-ChildItem Get-Item Select-String Write-Output Write-Host Set-Location Get-Location`,
);

/** Of these only some subcommands are no check. */
export const TRIVIAL_SUBCOMMANDS: ReadonlyMap<string, ReadonlySet<string>> = table({
  npm: words(
    'install i ci add remove uninstall rm ls list ll view info show outdated config get set init link root prefix bin help whoami cache fund',
  ),
  pnpm: words('install i add remove rm ls list why outdated config init link root bin help store fetch import'),
  yarn: words('install add remove list why info outdated config init link bin help cache dir global'),
  bun: words('install i add remove rm link pm init help'),
  pip: words('install uninstall list show freeze config cache download help index'),
  pip3: words('install uninstall list show freeze config cache download help index'),
  uv: words('sync lock add remove venv pip tree init cache python'),
  poetry: words('install add remove show lock config env update init self'),
  cargo: words('add remove fetch tree metadata update new init search login help version'),
  go: words('env list mod get install version help fmt clean work'),
  rustup: words('show update default install target component toolchain'),
  bundle: words('install add list show config info'),
  gem: words('install list env'),
  composer: words('install require show update'),
  dotnet: words('restore add list new'),
  docker: words('ps images ls pull logs inspect version info stop rm rmi'),
  kubectl: words('get describe logs config version'),
  mvn: words('dependency:tree help:effective-pom'),
  make: words('help'),
});

/** With one of these a command tells about itself, or lists what it would run. */
export const RUNS_NOTHING = words(
  '--help --dry-run --just-print --collect-only --co --list-tests --listTests --list --showConfig --show-config --print-config',
);

/** Alone behind a command they do the same. */
export const ABOUT_ITSELF = words('--version -version -V -v -h -? version help');

/** Programs that run a program given as text, and the options that give it. */
export const INLINE: ReadonlyMap<string, ReadonlySet<string>> = table({
  node: words('-e -p --eval --print -pe'),
  deno: words('eval'),
  bun: words('-e --eval -p --print'),
  python: words('-c'),
  python3: words('-c'),
  python2: words('-c'),
  ruby: words('-e'),
  perl: words('-e -E -ne -pe'),
  php: words('-r'),
  lua: words('-e'),
});

/** A program given as text checks something only if it reaches for something: `node -e 0` does not. */
export const REACHES_OUT =
  /\b(?:import|require|from|open|read\w*|load\w*|exec\w*|spawn\w*|subprocess|assert\w*|expect|fetch|connect|run\w*|system|popen|include|use)\b/;

/** Commands that run the command behind them, and which of their options take a value. */
export const WRAPPERS: ReadonlyMap<string, ReadonlySet<string>> = table({
  env: words('-u --unset -C --chdir -S'),
  timeout: words('-k --kill-after -s --signal'),
  gtimeout: words('-k --kill-after -s --signal'),
  time: words('-f --format -o --output'),
  nice: words('-n --adjustment'),
  ionice: words('-c -n -p'),
  nohup: words('-'),
  setsid: words('-'),
  stdbuf: words('-i -o -e'),
  sudo: words('-u -g -C -D -h -p -R -T -U'),
  doas: words('-u -C'),
  command: words('-'),
  builtin: words('-'),
  exec: words('-a'),
  xargs: words('-n -I -P -L -d -s -E -a --max-args --max-procs --delimiter'),
  chronic: words('-'),
  unbuffer: words('-'),
  'xvfb-run': words('-n -s -e -f -w'),
});

export const SHELL_PROGRAMS = words('bash sh zsh dash ksh');

/** They name a file without looking into it. */
export const READS_NOTHING = words(
  `: true false echo printf print pwd cd pushd popd test [ sleep wait export unset set shopt declare local readonly let alias exit return touch mkdir
  rmdir cp mv rm ln install chmod chown chgrp truncate mktemp kill pkill which whereis type hash basename dirname realpath tee dd date`,
);

/** Of git only these show files. */
export const GIT_READING = words(
  'show diff log blame annotate grep ls-files ls-tree cat-file whatchanged difftool range-diff format-patch',
);

/** How a search is asked to cover a folder. `always` searches folders without being asked. */
export interface Search {
  always: boolean;
  /** Options that make it cover folders. */
  deep?: ReadonlySet<string>;
  /** Options that take a value, which is no folder. */
  valued: ReadonlySet<string>;
  /** The first operand is what is searched for. */
  pattern: boolean;
  /** Options that give what is searched for, or make it needless. */
  patternOptions?: ReadonlySet<string>;
  /** Options whose value narrows the files. */
  narrowing?: ReadonlySet<string>;
}

const GREP: Search = {
  always: false,
  deep: words('-r -R --recursive --dereference-recursive'),
  valued: words(
    '-A -B -C -m -e -f -d -D --include --exclude --exclude-dir --max-count --context --after-context --before-context --regexp --file --color',
  ),
  pattern: true,
  patternOptions: words('-e -f --regexp --file'),
  narrowing: words('--include'),
};

const RIPGREP: Search = {
  always: true,
  valued: words(
    '-A -B -C -m -e -f -g -t -T -j -M -r -E --glob --iglob --type --type-not --regexp --file --max-count --max-depth --context --sort --replace --color',
  ),
  pattern: true,
  patternOptions: words('-e -f --regexp --file --files'),
  narrowing: words('-g --glob --iglob'),
};

export const SEARCHES: ReadonlyMap<string, Search> = table({
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  zgrep: GREP,
  rg: RIPGREP,
  ag: { ...RIPGREP, valued: words('-A -B -C -m -g -G --depth --ignore'), narrowing: words('-G') },
  ack: { ...RIPGREP, valued: words('-A -B -C -m --type') },
  fd: { always: true, valued: words('-e -t -d -E -x -X -S --extension --type --max-depth --exclude --exec'), pattern: true },
  fdfind: { always: true, valued: words('-e -t -d -E -x -X -S --extension --type --max-depth --exclude --exec'), pattern: true },
  tree: { always: true, valued: words('-L -P -I -o --filelimit'), pattern: false, narrowing: words('-P') },
  du: { always: true, valued: words('-d --max-depth -t -B'), pattern: false },
});
