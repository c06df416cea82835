import { setKeys } from './arrays.ts';
import { Budget } from './budget.ts';
import { runCommand } from './commands.ts';
import { Control } from './control.ts';
import { effectTable } from './effects.ts';
import { evaluateArithmetic, expandAgain, expandText, expandWord, expandWords, type Runner } from './expansion.ts';
import { showsWrite } from './glance.ts';
import { joined, runsCommands } from './outcomes.ts';
import { parseShell } from './parser.ts';
import type { Scope } from './scope.ts';
import type { Assignment, Node, Redirect, Word } from './syntax.ts';
import { absolute, normalize, TargetJudge } from './targets.ts';
import { CUT, isKnown, plain, UNKNOWN } from './values.ts';
import type { ShellContext } from './verdict.ts';

/** The operators of `[[ … ]]` whose operands are expressions or subscripts. */
const ARITHMETIC_TEST = /^-(eq|ne|lt|le|gt|ge|v|R)$/;
/** Characters of a text that are read in any case: they hold fewer pieces than the parser's limit. */
const ALWAYS_READ = 65_536;
/** Texts in texts, and functions that call functions. */
const MAX_CALLS = 16;
/** Commands that only run another command. */
const MAX_WRAPPED = 12;
/** Characters that count as one step of the work to read them. */
const CHARS_A_STEP = 200;
/** Names that are kept, as one step of the work to keep one more. */
const NAMES_A_STEP = 100;

type SimpleNode = Extract<Node, { kind: 'simple' }>;

/** Walks a syntax tree as a shell would, with values as far as they are known, and collects what would be written. */
export class Evaluator implements Runner {
  readonly context: ShellContext;
  readonly judge: TargetJudge;
  readonly notes = new Set<string>();
  /** Files the command itself has written, and pipes, by absolute path: a script may be run later on. */
  readonly files = new Map<string, string>();
  /** Folders the command itself has made. */
  readonly made = new Set<string>();
  private readonly control = new Control(this);
  /** The words of the simple command that ran last. */
  ran: readonly string[] = [];
  unparsable = false;
  /** Whether a part of the command was not judged that may do anything. */
  unread = false;
  readonly budget = new Budget();
  private pipes = 0;
  private depth = 0;
  private wrapped = 0;
  /** Above 0, the command is judged for values of which only is known that there are some: no unknown target may pass. */
  private blind = 0;
  private readonly beyond = new Set<Node>();
  private running: { body: Node; args: readonly string[] } | null = null;

  constructor(context: ShellContext) {
    this.context = context;
    this.judge = new TargetJudge(context, (value) => this.meetsUnknown(value));
  }

  /** Parses and runs a text in `scope`, as eval and `bash -c` do. */
  text(code: string, scope: Scope, stdin: string | null): string {
    if (this.depth >= MAX_CALLS) return this.tooDeep(code, scope);
    if (!isKnown(code)) this.meetsUnknown(code);
    this.depth++;
    this.budget.spend(Math.ceil(code.length / CHARS_A_STEP));
    let parsed = parseShell(code);
    if (parsed.error?.tooLong) {
      this.endsUnread();
      // A command that is cut in its middle still shows how it begins.
      const start = parseShell(code.slice(0, ALWAYS_READ));
      if (start.node.items.length >= parsed.node.items.length) parsed = start;
    } else if (parsed.error !== null) this.unparsable = true;
    if (parsed.error?.tooDeep) this.tooDeep(code, scope);
    const output = this.run(parsed.node, scope, stdin);
    this.depth--;
    return output;
  }

  /** What is nested deeper than any honest command is not followed: it may do anything, and that it shows a write is told. */
  private tooDeep(code: string, scope: Scope): string {
    this.notes.add('nested too deeply to be followed');
    this.endsUnread();
    if (showsWrite(code)) this.judge.repository('a deeply nested command', 'tree', scope.folder);
    return UNKNOWN;
  }

  capture(node: Node, scope: Scope, stdin: string | null): string {
    return this.run(node, scope.fork(), stdin);
  }

  processPath(node: Node, direction: '<' | '>', scope: Scope): string {
    const path = `/dev/fd/${63 + this.pipes++}`;
    const output = this.capture(node, scope, null);
    if (direction === '<') this.files.set(path, output);
    return path;
  }

  /** Runs a command that another one runs, given by its words. */
  command(args: readonly string[], scope: Scope, stdin: string | null, direct = false): string {
    if (this.expired()) return UNKNOWN;
    if (this.wrapped >= MAX_WRAPPED) return this.tooDeep(`${plain(args.join(' '))}\n`, scope);
    this.wrapped++;
    this.budget.spend();
    const output = runCommand(args, scope, stdin, this, direct);
    this.wrapped--;
    return output;
  }

  /** Runs `body` for each value as long as there is work left for it, and for all others once, as if nothing were known of them. */
  each(values: readonly string[], body: (value: string) => string): string {
    const enough = this.budget.half();
    let output = '';
    for (const [at, value] of values.entries()) {
      if (at > 0 && enough()) return this.blindly(() => joined(output, body(UNKNOWN)));
      output = joined(output, body(value));
    }
    return output;
  }

  /** Judges what was cut off: where it could write to a place that is not known, the command counts as unread. */
  private blindly(body: () => string): string {
    this.blind++;
    const output = body();
    this.blind--;
    return output;
  }

  /** Something unknown is written to or run: everyday, unless it stands for what was cut off. */
  meetsUnknown(value: string): void {
    if (this.blind > 0 || value.includes(CUT)) this.endsUnread();
  }

  run(node: Node, scope: Scope, stdin: string | null): string {
    this.budget.spend();
    if (this.expired()) return UNKNOWN;
    switch (node.kind) {
      case 'simple':
        return this.simple(node, scope, stdin);
      case 'list':
        return this.control.list(node.items, scope, stdin);
      case 'pipeline':
        return this.pipeline(node.commands, scope, stdin);
      case 'group':
        return this.around(node.redirects, scope, stdin, (input) => this.run(node.body, node.subshell ? scope.fork() : scope, input));
      case 'not':
        return this.run(node.body, scope, stdin);
      case 'function':
        this.budget.spend(scope.functions.size / NAMES_A_STEP);
        scope.define(node.name, node.body);
        return '';
      case 'expression':
        return this.around(node.redirects, scope, stdin, () => {
          const texts = node.words.map((word) => expandText(word, scope, this));
          if (texts.some((text) => ARITHMETIC_TEST.test(text))) for (const text of texts) evaluateArithmetic(text, scope, this);
          return '';
        });
      default:
        return this.around(node.redirects, scope, stdin, (input) => this.control.branching(node, scope, input));
    }
  }

  /** Whether the command has had its share of work: what remains is left to the fingerprint. */
  expired(): boolean {
    if (this.budget.spent) this.endsUnread();
    return this.budget.spent;
  }

  /** Something of the command is not judged that may write. */
  endsUnread(): void {
    this.unread = true;
    this.notes.add('not all of a very long or deeply nested command was judged');
  }

  /** Whether a folder is known to exist: the disk says so, the command made it, or every system has it. */
  isFolder(path: string): boolean {
    const plainPath = normalize(path);
    if (this.made.has(plainPath) || [this.context.tmpdir, this.context.home, this.context.root].includes(plainPath)) return true;
    return this.context.isDirectory !== undefined && !this.judge.inside(plainPath) && this.context.isDirectory(plainPath);
  }

  /** The command makes a folder. */
  makes(folder: string, scope: Scope): void {
    const path = absolute(folder, scope.folder, scope);
    if (path !== null) this.made.add(normalize(path));
  }

  /** Whether a folder may turn out not to be there. */
  mayFail(folder: string): boolean {
    return isKnown(folder) && !this.made.has(normalize(folder)) && this.judge.mayFail(folder);
  }

  private pipeline(commands: readonly Node[], scope: Scope, stdin: string | null): string {
    let flow = stdin;
    for (const command of commands) flow = this.run(command, scope.fork(), flow);
    return flow ?? UNKNOWN;
  }

  /** Evaluates a simple command once for each of the values its expansions may have. */
  private simple(node: SimpleNode, scope: Scope, stdin: string | null): string {
    scope.choices = 1;
    const trial = scope.mayVary() || expands(node) ? scope.fork() : null;
    const output = this.simpleOnce(node, scope, stdin);
    const { choices } = scope;
    if (choices < 2 || trial === null || scope.pick !== 0) return output;
    const branches = [scope.fork()];
    for (let pick = 1; pick < choices; pick++) {
      const branch = trial.fork();
      branch.pick = pick;
      this.budget.spend();
      if (this.expired()) break;
      this.simpleOnce(node, branch, stdin);
      branch.pick = 0;
      branches.push(branch);
    }
    scope.join(branches);
    return output;
  }

  private simpleOnce(node: SimpleNode, scope: Scope, stdin: string | null): string {
    const args = expandWords(node.words, scope, this);
    if (args.length === 0) {
      for (const assignment of node.assignments) this.assign(assignment, scope);
      return this.redirected(node.redirects, scope, stdin, () => '');
    }
    if (node.assignments.length === 0) return this.redirected(node.redirects, scope, stdin, (input) => this.direct(args, scope, input));
    const keepsVariables = /^(declare|local|export|readonly|typeset)$/.test(args[0] ?? '');
    const inner = keepsVariables || args[0] === 'read' || args[0] === 'cd' ? scope : scope.fork();
    for (const assignment of node.assignments) {
      this.assign(assignment, inner);
      if (effectTable().codeVariables.has(assignment.name))
        this.text(plain(inner.choose(inner.variables.get(assignment.name)?.alternatives ?? [''])), scope.fork(), null);
    }
    return this.redirected(node.redirects, inner, stdin, (input) => this.direct(args, inner, input));
  }

  private direct(args: readonly string[], scope: Scope, stdin: string | null): string {
    const printed = runCommand(args, scope, stdin, this, true);
    this.ran = args;
    return printed;
  }

  private assign(assignment: Assignment, scope: Scope): void {
    const { name, value, append, subscript } = assignment;
    this.budget.spend(scope.variables.size / NAMES_A_STEP);
    if (subscript.length > 0) evaluateArithmetic(`[${expandText({ parts: subscript, start: 0, end: 0 }, scope, this)}]`, scope, this);
    if (Array.isArray(value)) {
      const items = expandWords(value, scope, this);
      setKeys(assignment, items, scope);
      scope.setItems(name, append ? [...(scope.variables.get(name)?.items ?? []), ...items] : items);
      return;
    }
    const text = expandText(value, scope, this);
    // The trace of `set -x` begins with it.
    if (name === 'PS4') expandAgain(text, scope, this);
    const old = scope.variables.get(name);
    if (append && old?.items != null) scope.setItems(name, [...old.items, text]);
    else scope.set(name, append ? scope.choose(old?.alternatives ?? ['']) + text : text);
  }

  /** The redirections of a compound command, judged for each of the values they may have. */
  around(redirects: readonly Redirect[], scope: Scope, stdin: string | null, body: (stdin: string | null) => string): string {
    const files = redirects.filter(({ operator, target }) => operator !== '<' && !runsCommands(target));
    let choices = files.length > 0 && scope.pick === 0 ? 2 : 0;
    for (let pick = 1; pick < choices; pick++) {
      const branch = scope.fork();
      branch.pick = pick;
      for (const redirect of files) if (!redirect.operator.startsWith('<<')) this.redirect(redirect, branch, [], () => {});
      choices = branch.choices;
    }
    return this.redirected(redirects, scope, stdin, body);
  }

  /** Judges the redirections, and runs `body` with the input they give; what goes to a file is kept under its name. */
  redirected(redirects: readonly Redirect[], scope: Scope, stdin: string | null, body: (stdin: string | null) => string): string {
    if (redirects.length === 0) return body(stdin);
    let input = stdin;
    const outputs: string[] = [];
    for (const redirect of redirects) {
      const { operator } = redirect;
      if (operator === '<<' || operator === '<<-') {
        input = redirect.body === null ? '' : expandText(redirect.body, scope, this);
      } else if (operator === '<<<') input = `${expandText(redirect.target, scope, this)}\n`;
      else
        this.redirect(redirect, scope, outputs, (text) => {
          input = text;
        });
    }
    const printed = body(input);
    if (outputs.length === 0) return printed;
    const appends = redirectsAppend(redirects);
    for (const path of new Set(outputs)) this.files.set(path, (appends ? (this.files.get(path) ?? '') : '') + printed);
    return '';
  }

  private redirect(redirect: Redirect, scope: Scope, outputs: string[], setInput: (text: string) => void): void {
    const { operator, fd } = redirect;
    for (const target of expandWord(redirect.target, scope, this)) {
      if (operator === '<&' || (operator === '>&' && /^(\d+-?|-)$/.test(target))) continue;
      const path = absolute(target, scope.folder, scope);
      const key = path === null ? null : normalize(path);
      if (operator === '<') {
        setInput((key === null ? null : this.files.get(key)) ?? UNKNOWN);
        continue;
      }
      this.judge.target(target, operator, scope);
      if (key !== null && (fd === null || fd === '1') && operator !== '<>') outputs.push(key);
    }
  }

  /** Calls a shell function. */
  call(body: Node, args: readonly string[], scope: Scope, stdin: string | null): string {
    const { running } = this;
    const tooLong = scope.callDepth >= MAX_CALLS;
    // A function that hands on to itself what it got does the same again.
    if (tooLong && (this.beyond.has(body) || (running?.body === body && running.args.join('\0') === args.join('\0')))) return UNKNOWN;
    const outer = scope.positional;
    scope.positional = tooLong ? null : [...args];
    scope.callDepth++;
    this.running = { body, args };
    const output = scope.within(() => (tooLong ? this.callBeyond(body, scope, stdin) : this.run(body, scope, stdin)));
    this.running = running;
    scope.callDepth--;
    scope.positional = outer;
    return output;
  }

  /** A chain of calls longer than is followed: each function is judged once more, whatever its arguments. */
  private callBeyond(body: Node, scope: Scope, stdin: string | null): string {
    this.beyond.add(body);
    this.blindly(() => this.run(body, scope, stdin));
    this.beyond.delete(body);
    return UNKNOWN;
  }
}

/** Whether anything in a command is filled in when it runs. */
function expands({ words, assignments, redirects }: SimpleNode): boolean {
  const filledIn = ({ parts }: Word): boolean => parts.some(({ kind }) => kind !== 'text');
  return assignments.length > 0 || words.some(filledIn) || redirects.some(({ target }) => filledIn(target));
}

function redirectsAppend(redirects: readonly Redirect[]): boolean {
  return redirects.some((redirect) => redirect.operator === '>>' || redirect.operator === '&>>');
}
