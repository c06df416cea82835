import { runCommand } from './commands.ts';
import { effectTable } from './effects.ts';
import { evaluateArithmetic, expandAgain, expandText, expandWord, expandWords, type Runner } from './expansion.ts';
import { showsWrite } from './glance.ts';
import { afterFailure, both, either, endsOf, type Outcome, outcomeOf, runsCommands, settle } from './outcomes.ts';
import { parseShell } from './parser.ts';
import type { Scope } from './scope.ts';
import type { Assignment, Node, Redirect } from './syntax.ts';
import { absolute, normalize, TargetJudge } from './targets.ts';
import { isKnown, plain, UNKNOWN } from './values.ts';
import type { ShellContext } from './verdict.ts';

/** The operators of `[[ … ]]` whose operands are expressions or subscripts. */
const ARITHMETIC_TEST = /^-(eq|ne|lt|le|gt|ge|v|R)$/;
const MAX_STEPS = 10_000;
/** Milliseconds of processor time: a busy machine must not change a verdict, so the clock on the wall does not decide. */
const MAX_TIME = 120;
/** Ordinary commands are judged to the end, however slow the machine. */
const MIN_STEPS = 300;
const MAX_ITERATIONS = 12;
/** Characters of a text that are read in any case: they hold fewer pieces than the parser's limit. */
const ALWAYS_READ = 65_536;
const MAX_OUTPUT = 65_536;
const MAX_CALLS = 16;

type ListItem = Extract<Node, { kind: 'list' }>['items'][number];
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
  /** The words of the simple command that ran last. */
  private ran: readonly string[] = [];
  unparsable = false;
  /** Whether the command is longer than can be read: what lies behind may do anything. */
  unread = false;
  private readonly begun = performance.now();
  private readonly started = process.cpuUsage();
  private late = false;
  private checks = 0;
  private steps = 0;
  private pipes = 0;
  private depth = 0;

  constructor(context: ShellContext) {
    this.context = context;
    this.judge = new TargetJudge(context);
  }

  /** Parses and runs a text in `scope`, as eval and `bash -c` do. */
  text(code: string, scope: Scope, stdin: string | null): string {
    if (this.depth >= MAX_CALLS) return this.tooDeep(code, scope);
    this.depth++;
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

  /** What is nested deeper than any honest command is not followed; that it shows a write is enough. */
  private tooDeep(code: string, scope: Scope): string {
    this.notes.add('nested too deeply to be followed');
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

  /** Runs a command given by its words. */
  command(args: readonly string[], scope: Scope, stdin: string | null, direct = false): string {
    return runCommand(args, scope, stdin, this, direct);
  }

  run(node: Node, scope: Scope, stdin: string | null): string {
    if (this.expired()) return UNKNOWN;
    switch (node.kind) {
      case 'simple':
        return this.simple(node, scope, stdin);
      case 'list':
        return this.list(node.items, scope, stdin);
      case 'pipeline':
        return this.pipeline(node.commands, scope, stdin);
      case 'group':
        return this.around(node.redirects, scope, stdin, (input) => this.run(node.body, node.subshell ? scope.fork() : scope, input));
      case 'not':
        return this.run(node.body, scope, stdin);
      case 'function':
        scope.define(node.name, node.body);
        return '';
      case 'expression':
        return this.around(node.redirects, scope, stdin, () => {
          const texts = node.words.map((word) => expandText(word, scope, this));
          if (texts.some((text) => ARITHMETIC_TEST.test(text))) for (const text of texts) evaluateArithmetic(text, scope, this);
          return '';
        });
      default:
        return this.around(node.redirects, scope, stdin, (input) => this.branching(node, scope, input));
    }
  }

  /** Whether the command has had its share of work: what remains is left to the fingerprint. */
  expired(): boolean {
    this.checks++;
    if (!this.late && (this.steps > MAX_STEPS || (this.checks > MIN_STEPS && this.checks % 32 === 0 && this.spent() > MAX_TIME)))
      this.late = true;
    if (this.late) this.endsUnread();
    return this.late;
  }

  /** What is left of the command is not judged. */
  endsUnread(): void {
    this.unread = true;
    this.notes.add('only the first part of a very long command was judged');
  }

  private spent(): number {
    // To ask the system takes longer than many a command; less time than passed on the wall was not spent.
    const passed = performance.now() - this.begun;
    if (passed <= MAX_TIME) return passed;
    const { user, system } = process.cpuUsage(this.started);
    return (user + system) / 1000;
  }

  private list(items: readonly ListItem[], scope: Scope, stdin: string | null): string {
    const outcome = this.listOutcome(items, scope, stdin);
    settle(scope, endsOf(outcome));
    return outcome.printed;
  }

  /** Runs a list; its outcome is that of its last and/or chain. */
  private listOutcome(items: readonly ListItem[], outer: Scope, stdin: string | null): Outcome {
    let printed = '';
    let last: Outcome = { printed: '', ok: outer, failed: outer, sure: true };
    for (let from = 0, to = 0; from < items.length; from = to) {
      settle(outer, endsOf(last));
      for (to = from + 1; to < items.length && /^(&&|\|\|)$/.test(items[to - 1]?.operator ?? ''); ) to++;
      // A chain that ends in `&` runs in a subshell, all of it.
      const background = items[to - 1]?.operator === '&';
      last = this.chain(items.slice(from, to), background ? outer.fork() : outer, stdin);
      if (printed.length < MAX_OUTPUT) printed += last.printed;
      if (background) last = { printed: '', ok: outer, failed: outer, sure: true };
    }
    return { ...last, printed };
  }

  /** `a && b || c`: each part runs in the states in which those before it can have left the shell. */
  private chain(items: readonly ListItem[], scope: Scope, stdin: string | null): Outcome {
    let printed = '';
    let state: Outcome = { printed, ok: scope, failed: scope, sure: true };
    items.forEach(({ node }, index) => {
      const operator = items[index - 1]?.operator;
      if (operator === undefined) state = this.outcome(node, scope, stdin);
      else {
        // What cannot run is judged all the same.
        const start = (operator === '&&' ? (state.ok ?? state.failed) : afterFailure(state)) ?? scope;
        const next = this.outcome(node, start.fork(), stdin);
        state = operator === '&&' ? both(state, next) : either(state, next, start);
      }
      if (printed.length < MAX_OUTPUT) printed += state.printed;
    });
    return { ...state, printed };
  }

  /** Runs a command, and keeps apart what it leaves behind when it succeeds and when it fails. */
  private outcome(node: Node, scope: Scope, stdin: string | null): Outcome {
    if (node.kind === 'list') return this.listOutcome(node.items, scope, stdin);
    if (node.kind === 'not') {
      const { printed, ok, failed } = this.outcome(node.body, scope, stdin);
      return { printed, ok: failed, failed: ok, sure: false };
    }
    if (node.kind === 'group' && !node.subshell) {
      let inner: Outcome = { printed: '', ok: scope, failed: scope, sure: false };
      const printed = this.around(node.redirects, scope, stdin, (input) => {
        inner = this.outcome(node.body, scope, input);
        return inner.printed;
      });
      return { ...inner, printed };
    }
    const before = scope.fork();
    const made = this.made.size;
    const printed = this.run(node, scope, stdin);
    return { ...outcomeOf(node, this.ran, before, scope, this, made), printed };
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

  private branching(node: Node, scope: Scope, stdin: string | null): string {
    let output = '';
    const enter = (body: Node, inner: Scope): Scope[] => {
      const outcome = this.outcome(body, inner, stdin);
      output += outcome.printed;
      return endsOf(outcome);
    };
    if (node.kind === 'if') {
      const ends: Scope[] = [];
      let rest: Scope | null = scope.fork();
      for (const { condition, body } of node.branches) {
        const inner: Scope = rest ?? scope.fork();
        const tested = this.outcome(condition, inner, stdin);
        output += tested.printed;
        const left = enter(body, (tested.ok ?? inner).fork());
        if (rest !== null && tested.ok !== null) ends.push(...left);
        if (rest !== null) rest = tested.sure || tested.failed === null ? null : tested.failed.fork();
        if (rest === null && node.otherwise !== null) enter(node.otherwise, (tested.failed ?? inner).fork());
      }
      if (rest !== null) ends.push(...(node.otherwise === null ? [rest] : enter(node.otherwise, rest)));
      settle(scope, ends);
    } else if (node.kind === 'while') {
      output += this.run(node.condition, scope, stdin);
      settle(scope, [scope.fork(), ...enter(node.body, scope.fork())]);
    } else if (node.kind === 'for') {
      const values = node.words === null ? (scope.positional ?? [UNKNOWN]) : expandWords(node.words, scope, this);
      const before = scope.fork();
      for (const value of values.slice(0, MAX_ITERATIONS)) {
        scope.set(node.name, value);
        output += this.run(node.body, scope, stdin);
      }
      if (!values.some(isKnown)) settle(scope, [before, scope.fork()]);
    } else if (node.kind === 'case') {
      expandText(node.subject, scope, this);
      const ends = [scope.fork()];
      for (const arm of node.arms) {
        for (const pattern of arm.patterns) expandText(pattern, scope, this);
        ends.push(...enter(arm.body, scope.fork()));
      }
      settle(scope, ends);
    }
    return output;
  }

  /** Evaluates a simple command once for each of the values its expansions may have. */
  private simple(node: SimpleNode, scope: Scope, stdin: string | null): string {
    this.steps++;
    scope.choices = 1;
    const trial = scope.fork();
    const output = this.simpleOnce(node, scope, stdin);
    const choices = Math.min(scope.choices, MAX_ITERATIONS);
    if (choices < 2 || scope.pick !== 0) return output;
    const branches = [scope.fork()];
    for (let pick = 1; pick < choices; pick++) {
      const branch = trial.fork();
      branch.pick = pick;
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
    const printed = this.command(args, scope, stdin, true);
    this.ran = args;
    return printed;
  }

  private assign(assignment: Assignment, scope: Scope): void {
    const { name, value, append, subscript } = assignment;
    if (subscript.length > 0) evaluateArithmetic(`[${expandText({ parts: subscript, start: 0, end: 0 }, scope, this)}]`, scope, this);
    if (Array.isArray(value)) {
      const items = expandWords(value, scope, this);
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
  private around(redirects: readonly Redirect[], scope: Scope, stdin: string | null, body: (stdin: string | null) => string): string {
    const files = redirects.filter(({ operator, target }) => operator !== '<' && !runsCommands(target));
    let choices = files.length > 0 && scope.pick === 0 ? 2 : 0;
    for (let pick = 1; pick < choices; pick++) {
      const branch = scope.fork();
      branch.pick = pick;
      for (const redirect of files) if (!redirect.operator.startsWith('<<')) this.redirect(redirect, branch, [], () => {});
      choices = Math.min(branch.choices, MAX_ITERATIONS);
    }
    return this.redirected(redirects, scope, stdin, body);
  }

  /** Judges the redirections, and runs `body` with the input they give; what goes to a file is kept under its name. */
  private redirected(redirects: readonly Redirect[], scope: Scope, stdin: string | null, body: (stdin: string | null) => string): string {
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
    for (const path of outputs) this.files.set(path, (redirectsAppend(redirects) ? (this.files.get(path) ?? '') : '') + printed);
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
    if (scope.callDepth >= MAX_CALLS) return UNKNOWN;
    const outer = scope.positional;
    scope.positional = [...args];
    scope.callDepth++;
    const output = scope.within(() => this.run(body, scope, stdin));
    scope.callDepth--;
    scope.positional = outer;
    return output;
  }
}

function redirectsAppend(redirects: readonly Redirect[]): boolean {
  return redirects.some((redirect) => redirect.operator === '>>' || redirect.operator === '&>>');
}
