/** Lists, chains and branches: which states each part runs in, and which it may leave behind. */
import type { Evaluator } from './evaluator.ts';
import { expandText, expandWords } from './expansion.ts';
import { afterFailure, both, either, endsOf, joined, type Outcome, outcomeOf, settle } from './outcomes.ts';
import type { Scope } from './scope.ts';
import type { Node } from './syntax.ts';
import { isKnown, UNKNOWN } from './values.ts';

type ListItem = Extract<Node, { kind: 'list' }>['items'][number];

const isChained = (item: ListItem | undefined): boolean => item?.operator === '&&' || item?.operator === '||';

export class Control {
  private readonly evaluator: Evaluator;

  constructor(evaluator: Evaluator) {
    this.evaluator = evaluator;
  }

  list(items: readonly ListItem[], scope: Scope, stdin: string | null): string {
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
      for (to = from + 1; to < items.length && isChained(items[to - 1]); ) to++;
      // A chain that ends in `&` runs in a subshell, all of it.
      const background = items[to - 1]?.operator === '&';
      const scope = background ? outer.fork() : outer;
      const only = to === from + 1 ? items[from] : undefined;
      last = only ? this.outcome(only.node, scope, stdin) : this.chain(items.slice(from, to), scope, stdin);
      printed = joined(printed, last.printed);
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
      printed = joined(printed, state.printed);
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
      const printed = this.evaluator.around(node.redirects, scope, stdin, (input) => {
        inner = this.outcome(node.body, scope, input);
        return inner.printed;
      });
      return { ...inner, printed };
    }
    const { folders, previous, stack } = scope;
    const met = { place: { folders, previous, stack }, made: this.evaluator.made.size };
    return outcomeOf(node, this.evaluator.run(node, scope, stdin), scope, this.evaluator, met);
  }

  /** Runs a compound command. */
  branching(node: Node, scope: Scope, stdin: string | null): string {
    let output = '';
    const enter = (body: Node, inner: Scope): Scope[] => {
      const outcome = this.outcome(body, inner, stdin);
      output = joined(output, outcome.printed);
      return endsOf(outcome);
    };
    if (node.kind === 'if') {
      const ends: Scope[] = [];
      let rest: Scope | null = scope.fork();
      for (const { condition, body } of node.branches) {
        const inner: Scope = rest ?? scope.fork();
        const tested = this.outcome(condition, inner, stdin);
        output = joined(output, tested.printed);
        const left = enter(body, (tested.ok ?? inner).fork());
        if (rest !== null && tested.ok !== null) ends.push(...left);
        if (rest !== null) rest = tested.sure || tested.failed === null ? null : tested.failed.fork();
        if (rest === null && node.otherwise !== null) enter(node.otherwise, (tested.failed ?? inner).fork());
      }
      if (rest !== null) ends.push(...(node.otherwise === null ? [rest] : enter(node.otherwise, rest)));
      settle(scope, ends);
    } else if (node.kind === 'while') {
      output = joined(output, this.evaluator.run(node.condition, scope, stdin));
      settle(scope, [scope.fork(), ...enter(node.body, scope.fork())]);
    } else if (node.kind === 'for') {
      const values = node.words === null ? (scope.positional ?? [UNKNOWN]) : expandWords(node.words, scope, this.evaluator);
      const before = scope.fork();
      const printed = this.evaluator.each(values, (value) => {
        scope.set(node.name, value);
        return this.evaluator.run(node.body, scope, stdin);
      });
      output = joined(output, printed);
      if (!values.some(isKnown)) settle(scope, [before, scope.fork()]);
    } else if (node.kind === 'case') {
      expandText(node.subject, scope, this.evaluator);
      const ends = [scope.fork()];
      for (const arm of node.arms) {
        for (const pattern of arm.patterns) expandText(pattern, scope, this.evaluator);
        ends.push(...enter(arm.body, scope.fork()));
      }
      settle(scope, ends);
    }
    return output;
  }
}
