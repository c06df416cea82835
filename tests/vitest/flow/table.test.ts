/** The tables against each other and against the code: every name that is used exists, and what exists is used. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCheck } from '../../../mcp-server/src/flow/checks.ts';
import { conditionNames, holds } from '../../../mcp-server/src/flow/conditions.ts';
import { advance, type Decision } from '../../../mcp-server/src/flow/engine.ts';
import { applyMove } from '../../../mcp-server/src/flow/moves.ts';
import { schemas } from '../../../mcp-server/src/flow/payload-schemas.ts';
import { type Accept, COMPLETE, order, table } from '../../../mcp-server/src/flow/table.ts';
import type { Effect, Outcome } from '../../../mcp-server/src/flow/types.ts';
import { hasMessage } from '../../../mcp-server/src/messages/messages.ts';
import { beginning, FACTS, GIT_GOES_WELL } from './session.ts';

const source = join(import.meta.dirname, '../../../mcp-server/src');
const flowFiles = readdirSync(join(source, 'flow')).map((file) => readFileSync(join(source, 'flow', file), 'utf8'));
const nodes = Object.values(table.nodes);
const accepts = nodes.flatMap((node) => node.accepts);
const transitions = accepts.flatMap((accept) => accept.next);
const usedConditions = [
  ...nodes.flatMap((node) => node.skip.flat()),
  ...transitions.flatMap((transition) => transition.when ?? []),
  ...accepts.flatMap((accept) => (accept.effects ?? []).flatMap((effect) => effect.when ?? [])),
  ...table.outcomes.flatMap((rule) => rule.when ?? []),
].map((name) => name.replace(/^!/, ''));
const moment = { state: beginning(), data: {}, facts: FACTS, results: {} };

describe('names in state/phases.json', () => {
  test('of conditions are implemented, and no implemented one is unused', () => {
    expect([...new Set(usedConditions)].sort()).toEqual([...conditionNames].sort());
    expect(() => holds('no_such', moment)).toThrow('unknown condition');
  });

  test('of checks and moves are implemented', () => {
    for (const { check } of accepts) expect(() => runCheck(check, moment)).not.toThrow(/unknown check/);
    for (const { move } of accepts) expect(() => applyMove(move, moment)).not.toThrow(/unknown move/);
    expect(() => runCheck('no_such', moment)).toThrow('unknown check');
    expect(() => applyMove('no_such', moment)).toThrow('unknown move');
  });

  test('of effects are known to the edge, and all of the edge’s are used', () => {
    const known: Record<Effect['do'], true> = {
      resolve_stale: true,
      create_branch: true,
      drop_branch: true,
      discard: true,
      commit: true,
      merge: true,
      merge_base: true,
    };
    const used = accepts.flatMap((accept) => (accept.effects ?? []).map((effect) => effect.do));
    expect([...new Set(used)].sort()).toEqual(Object.keys(known).sort());
    expect(Object.keys(GIT_GOES_WELL).sort()).toEqual(Object.keys(known).sort());
  });

  test('of schemas exist, and no schema of a payload is unused', () => {
    expect([...new Set(accepts.map((accept) => accept.payload))].sort()).toEqual(Object.keys(schemas.payloads).sort());
    const text = JSON.stringify(schemas);
    for (const name of Object.keys(schemas.$defs)) expect(text).toContain(`"#/$defs/${name}"`);
  });

  test('of nodes exist where a transition leads', () => {
    const places = [...order, '@next', '@same', '@complete'];
    expect(transitions.filter(({ to }) => !places.includes(to))).toEqual([]);
  });

  test('of messages exist: one instruction for each node, and every key that the engine names', () => {
    for (const key of [...order, COMPLETE]) expect(hasMessage(`instruction.${key}`), key).toBe(true);
    for (const { warning } of transitions) if (warning) expect(hasMessage(warning), warning).toBe(true);
    const keys = flowFiles.flatMap((text) => [...text.matchAll(/'((?:problem|error|warning)\.[a-z_]+)'/g)].map((match) => match[1] ?? ''));
    expect(keys.length).toBeGreaterThan(40);
    expect([...new Set(keys)].filter((key) => !hasMessage(key))).toEqual([]);
  });

  test('of outcomes are the eight of FLOW.md, abort coming from the user as well', () => {
    const all: Record<Outcome, true> = {
      completed: true,
      completed_with_issues: true,
      accepted_unverified: true,
      investigated: true,
      verified: true,
      verification_failed: true,
      nothing_to_do: true,
      aborted: true,
    };
    const named = [...transitions.flatMap(({ outcome }) => outcome ?? []), ...table.outcomes.map(({ outcome }) => outcome)];
    expect([...new Set(named)].sort()).toEqual(Object.keys(all).sort());
  });
});

describe('the shape of the table', () => {
  test('steps rise in walking order, and each phase has one step', () => {
    const steps = order.map((key) => table.nodes[key]?.step ?? 0);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(new Set(steps)).toEqual(new Set(Array.from({ length: 18 }, (_, index) => index + 2)));
  });

  test('the gate is open at 13 and 14 only', () => {
    expect(new Set(nodes.filter((node) => node.gate === 'open').map((node) => node.step))).toEqual(new Set([13, 14]));
  });

  test('every node ends in a kind of payload without a key, and keys come first', () => {
    for (const key of order) {
      const keys = table.nodes[key]?.accepts.map((accept: Accept) => accept.key) ?? [];
      expect(keys.indexOf(undefined), key).toBe(keys.length - 1);
    }
  });

  test('every list of transitions ends in one without a condition, so that none can be stuck', () => {
    for (const accept of accepts) {
      const open = accept.next.map((transition) => transition.when === undefined);
      expect(open.indexOf(true), accept.kind).toBe(accept.next.length - 1);
    }
    expect(table.outcomes.map((rule) => rule.when === undefined).indexOf(true)).toBe(table.outcomes.length - 1);
  });

  test('flags do not share a spelling', () => {
    const spellings = Object.entries(table.flags).flatMap(([name, rule]) => [
      `--${name}`,
      ...(rule.aliases ?? []).map((alias) => `--${alias}`),
      ...(rule.short ? [`-${rule.short}`] : []),
    ]);
    expect(new Set(spellings).size).toBe(spellings.length);
  });

  test('a table without a way on is a defect that is reported, not passed over', () => {
    const decision: Decision = { accept: { kind: 'x', payload: 'ready_finish', next: [] }, data: {}, effects: [], warnings: [] };
    expect(() => advance(beginning(), decision, {}, {})).toThrow('no transition leaves');
  });
});
