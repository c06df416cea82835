/** PREPLANNING.md, rules P11 and P12, and the assumptions that come up again at step 15. */
import { describe, expect, test } from 'vitest';
import type { Payload } from '../../../mcp-server/src/flow/types.ts';
import { prePlanningResult } from '../../../mcp-server/src/pre-planning/hand-over.ts';
import { collected, need, type Session, understanding } from '../flow/session.ts';
import { assumed, at, type Configured, collecting, failed, item, preOf, results, statuses } from './engine.ts';

describe('P11: numbers are the server’s', () => {
  test('tool calls are summed up, and the rate is collected of required', () => {
    const session = collecting([need('a'), need('b'), need('c', { category: 'external' })]);
    session.send(results({ ...collected('a'), tool_calls_used: 3 }, failed('b'))).send(results(assumed('b'), collected('c')));
    const result = prePlanningResult(preOf(session));
    expect(result).toMatchObject({
      total_tool_calls: 5,
      collection_success_rate: 2 / 3,
      assumptions: [{ info_id: 'b' }],
      information_gaps: [],
    });
    expect(result.collected_information).toMatchObject({ codebase: [{ info_id: 'a' }], context: [], external: [{ info_id: 'c' }] });
  });

  test('the rate is null when nothing was required', () => {
    const session = at('REQUEST_UNDERSTANDING').send({
      ...understanding(),
      information_needs: { skip_collection: true, skip_reason: 'simple_task' },
    });
    expect(prePlanningResult(preOf(session)).collection_success_rate).toBeNull();
  });

  test.each(['high', 'NaN', Number.NaN, -0.01, 1.01, null, true, [0.5]])('a confidence of %j is a mismatch', (confidence) => {
    const sent = JSON.parse(JSON.stringify(understanding({ understanding_confidence: confidence }))) as Payload;
    expect(
      at('REQUEST_UNDERSTANDING')
        .problems(sent)
        .map(([pointer]) => pointer),
    ).toEqual(['/request_understanding/understanding_confidence']);
    const assumption = JSON.parse(JSON.stringify(results(assumed('a', { confidence })))) as Payload;
    expect(
      collecting([need('a')])
        .problems(assumption)
        .map(([pointer]) => pointer),
    ).toEqual(['/collection_results/0/assumption/confidence']);
  });
});

describe('P12: parts can be switched off', () => {
  test('without assumptions a failed item becomes a gap after its retries', () => {
    const session = collecting([need('a')], { pre_planning: { assumption: { enabled: false } } });
    session.send(results(failed('a'))).send(results(failed('a')));
    expect(statuses(session)).toEqual({ a: 'open' });
    expect(item(session.send(results(failed('a'))), 'a').gap).toEqual({ impact: 'to know what a touches', reason: 'assumption_disabled' });
  });

  test('without assumptions an assumption becomes a gap', () => {
    const session = collecting([need('a')], { pre_planning: { assumption: { enabled: false } } }).send(results(assumed('a')));
    expect(item(session, 'a').gap?.reason).toBe('assumption_disabled');
  });

  test('without collection 4a leads to exploration', () => {
    const session = at('REQUEST_UNDERSTANDING', { pre_planning: { collection: { enabled: false } } });
    expect(session.send(understanding()).state.node).toBe('EXPLORATION');
  });

  test.each<Configured>([{ enabled: false }, { pre_planning: { enabled: false } }])('%j: no pre-planning at all', (planning) => {
    expect(at('EXPLORATION', planning).trail).not.toContain('REQUEST_UNDERSTANDING');
  });
});

describe('assumptions at step 15', () => {
  const verifying = (): Session =>
    collecting([need('naming'), need('naming-2')])
      .send(results(assumed('naming'), assumed('naming-2')))
      .to('POST_IMPL_VERIFY');

  test.each<[string, Record<string, string>]>([
    ['npm test: exit 0. naming: held; naming-2: did not hold', { naming: 'held', 'naming-2': 'not_held' }],
    ['naming-2: not checked\nnaming: confirmed by a.ts:3', { naming: 'held', 'naming-2': 'unchecked' }],
    ['仮定 naming は成り立った。naming-2 は誤り', { naming: 'held', 'naming-2': 'not_held' }],
    ['naming held and naming-2 didn’t hold'.replace('’', "'"), { naming: 'held', 'naming-2': 'not_held' }],
  ])('%j answers both', (details, verdicts) => {
    const session = verifying().send({ passed: true, details });
    expect(preOf(session).verdicts).toEqual(verdicts);
    expect(session.state.node).toBe('PRE_COMMIT');
  });

  test.each(['npm test: exit 0', 'all assumptions held', 'naming: see above', 'renaming held, naming-20 held'])(
    '%j answers none',
    (details) => {
      expect(verifying().problems({ passed: true, details })).toEqual([
        ['/details', 'problem.assumption_unanswered'],
        ['/details', 'problem.assumption_unanswered'],
      ]);
    },
  );

  test('ids that are letters of the verdict stand in no way', () => {
    const ids = ['d', 'e', 'timeout'];
    const session = collecting(ids.map((id) => need(id)))
      .send(results(...ids.map((id) => assumed(id))))
      .to('POST_IMPL_VERIFY')
      .send({ passed: true, details: 'd: held, e: held, timeout: did not hold' });
    expect(preOf(session).verdicts).toEqual({ d: 'held', e: 'held', timeout: 'not_held' });
  });

  test('a failed verification may leave them open', () => {
    expect(verifying().send({ passed: false, details: 'npm test: exit 1; naming: wrong' }).state.pre_planning?.verdicts).toEqual({
      naming: 'not_held',
    });
  });
});
