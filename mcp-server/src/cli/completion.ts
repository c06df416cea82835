/** readygate completion: a script that completes commands, options and session ids in bash, zsh or fish. */
import { template } from '../messages/messages.ts';
import { type CliCommand, type CliResult, EXIT } from './command.ts';
import { readOptions } from './options.ts';
import { misfit } from './usage.ts';

/** What is completed: the commands as they are registered. */
type Known = Pick<CliCommand, 'name' | 'options' | 'values' | 'argument' | 'summary'>;

const GLOBAL = ['--json', '--help'];
const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Names of plain letters alone: bash runs a `$(…)` in what it completes, and a branch may be called so. */
const PLAIN = "LC_ALL=C grep -E '^[A-Za-z0-9_][A-Za-z0-9._/@+-]*$'";

/** Ids of this work tree's sessions, newest first, in any shell. */
const SESSIONS = `ls -r "$(git rev-parse --show-toplevel 2>/dev/null || pwd)/.readygate/sessions" 2>/dev/null | ${PLAIN}`;
const BRANCHES = `git for-each-ref --format="%(refname:short)" refs/heads 2>/dev/null | ${PLAIN}`;

const wordsOf = ({ options = [] }: Known): string => [...options, ...GLOBAL].join(' ');
const taking = (commands: readonly Known[], argument: CliCommand['argument']): string[] =>
  commands.filter((command) => command.argument === argument).map(({ name }) => name);

/** Options whose value is of this kind, each with its command. */
const valued = (commands: readonly Known[], kind: 'file' | 'number'): { name: string; option: string }[] =>
  commands.flatMap(({ name, values = {} }) => Object.keys(values).flatMap((option) => (values[option] === kind ? [{ name, option }] : [])));

/** Lines of a `case` in bash and zsh, one for each pattern. */
const casesFor = (patterns: readonly string[], then: string): string => patterns.map((pattern) => `    ${pattern}) ${then} ;;\n`).join('');

/** `report:--out`, as it is matched against a command and the word before the one to complete. */
const pairs = (commands: readonly Known[], kind: 'file' | 'number'): string[] =>
  valued(commands, kind).map(({ name, option }) => `${name}:${option}`);

function bash(commands: readonly Known[]): string {
  const cases = commands.map((command) => `    ${command.name}) words="${wordsOf(command)}" ;;`);
  return `# readygate completion for bash: add to ~/.bashrc
#   eval "$(readygate completion bash)"
_readygate() {
  local word=\${COMP_WORDS[COMP_CWORD]} words= before=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...commands.map(({ name }) => name), 'help'].join(' ')} --version" -- "$word"))
    return
  fi
  # The = of --out=x is a word of its own here.
  before=\${COMP_WORDS[COMP_CWORD-1]}
  [ "$before" = = ] && before=\${COMP_WORDS[COMP_CWORD-2]}
  # Where nothing is offered, readline offers files.
  case \${COMP_WORDS[1]}:$before in
${casesFor(pairs(commands, 'file'), 'return')}${casesFor(pairs(commands, 'number'), 'compopt +o default 2>/dev/null; return')}  esac
  case \${COMP_WORDS[1]}:$word in
    *:-*) ;;
${casesFor(
  taking(commands, 'file').map((name) => `${name}:*`),
  'return',
)}  esac
  case \${COMP_WORDS[1]} in
    help) words="${commands.map(({ name }) => name).join(' ')}" ;;
    completion) words="${SHELLS.join(' ')} ${GLOBAL.join(' ')}" ;;
${cases.filter((line) => !line.includes(' completion)')).join('\n')}
  esac
  case \${COMP_WORDS[1]} in
    ${taking(commands, 'session').join('|')}) words="$words $(${SESSIONS})" ;;
    ${taking(commands, 'revision').join('|')}) words="$words $(${BRANCHES})" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _readygate readygate`;
}

/** Text in single quotes, for every shell here. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`;

function zsh(commands: readonly Known[], say: (key: string) => string): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${say(summary).replaceAll(':', '\\:')}`)}`);
  const cases = commands.map((command) => `    ${command.name}) compadd -- ${wordsOf(command)} ;;`);
  return `#compdef readygate
# readygate completion for zsh: add to ~/.zshrc, after compinit
#   source <(readygate completion zsh)
_readygate() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    compadd -- help --version
    return
  fi
  case $words[2]:$words[CURRENT-1] in
${casesFor(pairs(commands, 'file'), '_files; return')}${casesFor(pairs(commands, 'number'), 'return')}  esac
  case $words[2]:$words[CURRENT] in
${casesFor(
  pairs(commands, 'file').map((pair) => `${pair}=*`),
  "compset -P '*='; _files; return",
)}${casesFor(
  taking(commands, 'file').map((name) => `${name}:[^-]*|${name}:`),
  '_files; return',
)}  esac
  case $words[2] in
    help) _describe command commands ;;
    completion) compadd -- ${SHELLS.join(' ')} ;;
${cases.filter((line) => !line.includes(' completion)')).join('\n')}
  esac
  case $words[2] in
    ${taking(commands, 'session').join('|')}) compadd -- \${(f)"$(${SESSIONS})"} ;;
    ${taking(commands, 'revision').join('|')}) compadd -- \${(f)"$(${BRANCHES})"} ;;
  esac
}
compdef _readygate readygate`;
}

/** A command between double quotes, for fish to run later. */
const inFish = (command: string): string => command.replace(/[\\"$]/g, '\\$&');

function fish(commands: readonly Known[], say: (key: string) => string): string {
  const names = commands.map(({ name }) => name).join(' ');
  const behind = (command: string) => `complete -c readygate -n '__fish_seen_subcommand_from ${command}'`;
  const takes = { file: '-r -F', number: '-x', nothing: '-f' };
  const rows = commands.flatMap(({ name, options = [], values = {}, summary }) => [
    `complete -c readygate -f -n 'not __fish_seen_subcommand_from ${names} help' -a ${name} -d ${quoted(say(summary))}`,
    ...options.map((option) => `${behind(name)} ${takes[values[option] ?? 'nothing']} -l ${option.replace(/^--/, '')}`),
  ]);
  const files = taking(commands, 'file').map((name) => `${behind(name)} -F`);
  return `# readygate completion for fish: save as ~/.config/fish/completions/readygate.fish
complete -c readygate -f -n 'not __fish_seen_subcommand_from ${names} help' -a help
complete -c readygate -f -n '__fish_seen_subcommand_from help' -a '${names}'
complete -c readygate -f -n '__fish_seen_subcommand_from completion' -a '${SHELLS.join(' ')}'
complete -c readygate -f -l json
complete -c readygate -f -l help
${[...rows, ...files].join('\n')}
complete -c readygate -f -n '__fish_seen_subcommand_from ${taking(commands, 'session').join(' ')}' -a "(${inFish(SESSIONS)})"
complete -c readygate -f -n '__fish_seen_subcommand_from ${taking(commands, 'revision').join(' ')}' -a "(${inFish(BRANCHES)})"`;
}

/** The script for one shell. */
export function completionScript(shell: Shell, commands: readonly Known[], say: (key: string) => string): string {
  return { bash: () => bash(commands), zsh: () => zsh(commands, say), fish: () => fish(commands, say) }[shell]();
}

/** The command. `commands` are all there are, itself included. */
export function completionCommand(commands: () => readonly CliCommand[]): CliCommand {
  const command: CliCommand = {
    name: 'completion',
    usage: SHELLS.join('|'),
    summary: 'cli.completion.summary',
    run: async (args, { language }): Promise<CliResult> => {
      const [shell] = readOptions(args, {}, 1)?.rest ?? [];
      const known = SHELLS.find((name) => name === shell);
      if (!known) return misfit(command, args, language);
      const script = completionScript(known, commands(), (key) => template(key, language));
      return { code: EXIT.ok, text: script, data: { shell: known, script } };
    },
  };
  return command;
}
