/** PREPLANNING.md rule by rule, in the engine alone; both sides of every threshold. */
import { describe, expect, test } from 'vitest';
import { settle } from '../../../mcp-server/src/config/config.ts';
import type { Facts, Payload } from '../../../mcp-server/src/flow/types.ts';
import { prePlanningResult } from '../../../mcp-server/src/pre-planning/hand-over.ts';
import type { Item, PrePlanning } from '../../../mcp-server/src/pre-planning/types.ts';
import { collected, FACTS, need, Session, understanding } from '../flow/session.ts';

const FILES: Facts = { ...FACTS, files: { 'src/a.ts': 12, src: 'folder', 'gone.ts': null } };
const UNUSED_UP: Facts = { ...FILES, failed_attempts: 2 };
const USED_UP: Facts = { ...FILES, failed_attempts: 3 };

interface Configured {
  pre_planning?: Record<string, unknown>;
  enabled?: boolean;
}

/** A session at this node, with this configuration. */
function at(node: string, planning: Configured = {}): Session {
  const session = new Session().to('QUERY_FRAME');
  const { config, warnings } = settle({ planning });
  expect(warnings).toEqual([]);
  return new Session({ ...session.state, config }).usual().to(node);
}

const plan = (...needs: Record<string, unknown>[]): Payload => ({ information_needs: { required_information: needs } });

/** A session at 4c with these needs. */
const collecting = (needs: Record<string, unknown>[], planning: Configured = {}): Session =>
  at('INFORMATION_PLANNING', planning).send(plan(...needs));

const results = (...collection_results: Record<string, unknown>[]): Payload => ({ collection_results });
const failed = (info_id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  info_id,
  status: 'failed',
  tool_calls_used: 1,
  ...more,
});
const assumed = (info_id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  info_id,
  status: 'assumed',
  assumption: { assumed_value: 'camelCase', reasoning: 'the other modules do so', confidence: 0.8, ...more },
});

function preOf(session: Session): PrePlanning {
  const pre = session.state.pre_planning;
  if (!pre) throw new Error('no pre-planning');
  return pre;
}

function item(session: Session, id: string): Item {
  const found = preOf(session).items.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`no item ${id}`);
  return found;
}

const statuses = (session: Session): Record<string, string> =>
  Object.fromEntries(preOf(session).items.map(({ id, status }) => [id, status]));

describe('P1: sufficient is what the server says', () => {
  test.each<[string, Record<string, unknown>, boolean]>([
    ['a confidence of exactly 0.7', { understanding_confidence: 0.7 }, false],
    ['a confidence of 0.69', { understanding_confidence: 0.69 }, true],
    ['full confidence', { understanding_confidence: 1 }, false],
    ['no confidence at all', { understanding_confidence: 0 }, true],
    ['an empty task_type', { task_type: ' ' }, true],
    ['an empty primary_goal', { primary_goal: '' }, true],
  ])('%s goes on; low confidence: %s', (_name, more, low) => {
    const session = at('REQUEST_UNDERSTANDING').send(understanding(more));
    expect(session.state.node).toBe('INFORMATION_PLANNING');
    expect(preOf(session).low_confidence).toBe(low);
    expect(session.warningKeys().includes('warning.low_confidence')).toBe(low);
  });

  test('the threshold is the configured one', () => {
    const pre_planning = { understanding: { confidence_threshold: 0.9 } };
    expect(
      preOf(at('REQUEST_UNDERSTANDING', { pre_planning }).send(understanding({ understanding_confidence: 0.89 }))).low_confidence,
    ).toBe(true);
    expect(preOf(at('REQUEST_UNDERSTANDING', { pre_planning }).send(understanding({ understanding_confidence: 0.9 }))).low_confidence).toBe(
      false,
    );
  });
});

describe('P2: a payload is corrected three times, then the session goes on', () => {
  test.each([0, 1, 2])('after %s failures the next one is refused and counted', (failed_attempts) => {
    const refused = at('REQUEST_UNDERSTANDING').refused({}, { facts: { ...FACTS, failed_attempts } });
    expect(refused).toMatchObject({
      error: 'payload_mismatch',
      message: { key: 'error.payload_counted', params: { attempt: failed_attempts + 1, limit: 3 } },
    });
  });

  test('the fourth failure at 4a goes on with a minimal understanding', () => {
    const session = at('REQUEST_UNDERSTANDING').send({}, { facts: USED_UP });
    expect(session.state.node).toBe('INFORMATION_PLANNING');
    expect(preOf(session)).toMatchObject({
      degraded: ['REQUEST_UNDERSTANDING'],
      low_confidence: true,
      understanding: { task_type: 'unknown', primary_goal: 'do it', understanding_confidence: 0 },
    });
    expect(session.warningKeys()).toEqual(['warning.degraded']);
  });

  test('the fourth failure at 4b goes on as if collection were skipped', () => {
    const session = at('INFORMATION_PLANNING').send({ information_needs: 'none' }, { facts: USED_UP });
    expect(session.state.node).toBe('EXPLORATION');
    expect(preOf(session)).toMatchObject({ degraded: ['INFORMATION_PLANNING'], items: [], skip_reason: null });
  });

  test('the fourth failure at 4c makes every open item a gap, and keeps what was collected', () => {
    const session = collecting([need('a'), need('b')]).send(results(collected('a')));
    session.refused(results(), { facts: UNUSED_UP });
    session.send(results(), { facts: USED_UP });
    expect(session.state.node).toBe('EXPLORATION');
    expect(statuses(session)).toEqual({ a: 'collected', b: 'gap' });
    expect(item(session, 'b').gap).toEqual({ impact: 'to know what b touches', reason: 'degraded' });
  });

  test('a valid payload is taken after however many failures', () => {
    expect(preOf(at('REQUEST_UNDERSTANDING').send(understanding(), { facts: USED_UP })).degraded).toEqual([]);
  });

  test('the model cannot call itself degraded', () => {
    expect(preOf(at('REQUEST_UNDERSTANDING').send({ ...understanding(), degraded: true })).degraded).toEqual([]);
  });
});

describe('P3: skipping the collection needs one of three reasons', () => {
  test.each(['simple_task', 'known_from_history', 'no_ambiguity'])('%s is one', (skip_reason) => {
    const session = at('INFORMATION_PLANNING').send({ information_needs: { skip_collection: true, skip_reason } });
    expect(session.state.node).toBe('EXPLORATION');
    expect(preOf(session).skip_reason).toBe(skip_reason);
  });

  test('another, or none, is not', () => {
    const session = at('INFORMATION_PLANNING');
    expect(session.problems({ information_needs: { skip_collection: true, skip_reason: 'lazy' } })).toEqual([
      ['/information_needs/skip_reason', 'problem.enum'],
    ]);
    expect(session.problems({ information_needs: { skip_collection: true } })).toEqual([
      ['/information_needs/skip_reason', 'problem.skip_reason'],
    ]);
    expect(session.problems({ information_needs: {} })).toEqual([['/information_needs', 'problem.nothing_wanted']]);
  });

  test('the same holds for the answer sent ahead, which saves 4b and 4c', () => {
    const session = at('REQUEST_UNDERSTANDING');
    const ahead = (information_needs: Payload): Payload => ({ ...understanding(), information_needs });
    expect(session.problems(ahead({ skip_collection: true }))).toEqual([['/information_needs/skip_reason', 'problem.skip_reason']]);
    expect(session.send(ahead({ skip_collection: true, skip_reason: 'simple_task' })).state.node).toBe('EXPLORATION');
  });

  test('anything but a skip sent ahead is dropped, and said', () => {
    const session = at('REQUEST_UNDERSTANDING').send({ ...understanding(), ...plan(need('a')) });
    expect(session.state.node).toBe('INFORMATION_PLANNING');
    expect(session.warningKeys()).toContain('warning.information_ahead');
    expect(preOf(session).items).toEqual([]);
  });

  test('what is listed although the collection is skipped is a gap', () => {
    const session = at('INFORMATION_PLANNING').send({
      information_needs: { required_information: [need('a')], skip_collection: true, skip_reason: 'no_ambiguity' },
    });
    expect(session.state.node).toBe('EXPLORATION');
    expect(item(session, 'a').gap?.reason).toBe('not_collected');
  });
});

describe('P4: ids are unique, and the order names known ones', () => {
  test('a duplicate and an unknown id are told', () => {
    const session = at('INFORMATION_PLANNING');
    const payload = { information_needs: { required_information: [need('a'), need('a')], collection_order: ['a', 'z'] } };
    expect(session.problems(payload)).toEqual([
      ['/information_needs/required_information/1/id', 'problem.info_duplicate'],
      ['/information_needs/collection_order/1', 'problem.info_unknown'],
    ]);
  });

  test('what the order leaves out comes after it', () => {
    const session = at('INFORMATION_PLANNING').send({
      information_needs: { required_information: [need('a'), need('b'), need('c')], collection_order: ['c', 'c'] },
    });
    expect(preOf(session).items.map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  });
});

describe('P5: what is collected points at something', () => {
  test.each<[unknown]>([
    ['src/a.ts'],
    ['src/a.ts:1'],
    ['src/a.ts:12'],
    ['src/a.ts:3-12'],
    ['src/a.ts#L3-L12'],
    ['`src/a.ts:3`'],
    ['src'],
    ['npm test (exit 0)'],
    ['npm test: exit code 1'],
    ['npm test（終了コード 0）'],
    ['https://example.com/issue/1'],
    [{ path: 'src/a.ts', line: 3 }],
    [{ file: 'src/a.ts', line: 3, end_line: 12 }],
    [{ path: 'src/a.ts', lines: '3-12' }],
    [{ command: 'npm test', exit_code: 0 }],
    [{ url: 'https://example.com' }],
  ])('%j does', (pointer) => {
    const session = collecting([need('a')]).send(results(collected('a', pointer)), { facts: FILES });
    expect(statuses(session)).toEqual({ a: 'collected' });
  });

  test.each<[unknown, string]>([
    ['src/b.ts', 'problem.pointer_no_file'],
    ['gone.ts:1', 'problem.pointer_no_file'],
    ['npm test', 'problem.pointer_no_file'],
    ['src/a.ts:0', 'problem.pointer_no_line'],
    ['src/a.ts:13', 'problem.pointer_no_line'],
    ['src/a.ts:3-13', 'problem.pointer_no_line'],
    ['src/a.ts:5-3', 'problem.pointer_no_line'],
    ['src:1', 'problem.pointer_no_line'],
    [{ note: 'I know it' }, 'problem.pointer_form'],
    ['exit 0', 'problem.pointer_form'],
    [{ path: '__proto__' }, 'problem.pointer_no_file'],
  ])('%j does not: %s', (pointer, key) => {
    const problems = collecting([need('a')]).problems(results(collected('a', pointer)), { facts: FILES });
    expect(problems).toEqual([['/collection_results/0/collected_data/pointer', key]]);
  });

  test('a summary is not empty', () => {
    const data = { summary: ' ', pointer: 'src/a.ts' };
    const problems = collecting([need('a')]).problems(results({ info_id: 'a', status: 'collected', collected_data: data }), {
      facts: FILES,
    });
    expect(problems).toEqual([['/collection_results/0/collected_data/summary', 'problem.blank']]);
    expect(collecting([need('a')]).problems(results({ info_id: 'a', status: 'collected' }))).toEqual([
      ['/collection_results/0/collected_data', 'problem.collected_what'],
    ]);
  });
});

describe('P6: what was not found is looked for three times', () => {
  test('retry 1 of 2, retry 2 of 2, then an assumption or a gap is due', () => {
    const session = collecting([need('a')]);
    const said = (retry: number) => ({ key: 'warning.retry', params: { id: 'a', retry, max: 2 } });
    expect(session.send(results(failed('a'))).warnings).toEqual([said(1)]);
    expect(session.send(results(failed('a', { failure_reason: 'other words' }))).warnings).toEqual([said(2)]);
    expect(session.send(results(failed('a'))).warnings).toEqual([{ key: 'warning.info_due', params: { id: 'a', tries: 3 } }]);
    expect(session.state.node).toBe('INFORMATION_COLLECTION');
    expect(session.problems(results(failed('a')))).toEqual([['/collection_results/0/impact', 'problem.info_due']]);
    expect(session.send(results(failed('a', { impact: 'the callers may break' }))).state.node).toBe('EXPLORATION');
    expect(item(session, 'a').gap).toEqual({ impact: 'the callers may break', reason: 'not_found' });
  });

  test('an impact does not shorten the search, but ends it with the third look', () => {
    const session = collecting([need('a')]);
    const payload = results(failed('a', { impact: 'i' }));
    expect(statuses(session.send(payload))).toEqual({ a: 'open' });
    expect(statuses(session.send(payload))).toEqual({ a: 'open' });
    expect(statuses(session.send(payload))).toEqual({ a: 'gap' });
  });

  test('when it is due an assumption may take its place', () => {
    const session = collecting([need('a')]);
    for (let look = 0; look < 3; look++) session.send(results(failed('a')));
    expect(statuses(session.send(results(assumed('a'))))).toEqual({ a: 'assumed' });
  });

  test('the number of retries is the configured one', () => {
    const session = collecting([need('a')], { pre_planning: { collection: { max_retries_per_tool: 0 } } });
    expect(session.send(results(failed('a'))).warningKeys()).toEqual(['warning.info_due']);
  });
});

describe('P7: an assumption has a reason and a confidence', () => {
  test.each<[number, string]>([
    [0.5, 'assumed'],
    [0.51, 'assumed'],
    [0.49, 'gap'],
    [0.4999, 'gap'],
    [0, 'gap'],
  ])('a confidence of %s makes it: %s', (confidence, status) => {
    const session = collecting([need('a')]).send(results(assumed('a', { confidence })));
    expect(statuses(session)).toEqual({ a: status });
    expect(session.warningKeys()).toEqual(status === 'gap' ? ['warning.gap_low'] : []);
  });

  test('neither may be missing, and a default has none until the model states one', () => {
    const session = collecting([need('a')]);
    const without = (key: string): Payload => results(assumed('a', { [key]: undefined }));
    expect(session.problems(without('reasoning')).map(([, key]) => key)).toEqual(['problem.missing']);
    expect(session.problems(without('confidence')).map(([, key]) => key)).toEqual(['problem.missing']);
    expect(session.problems(results({ info_id: 'a', status: 'assumed' }))).toEqual([
      ['/collection_results/0/assumption', 'problem.assumption_what'],
    ]);
    session.send(results({ info_id: 'a', status: 'assumed', assumption: { reasoning: 'usual', confidence: 0.6 } }));
    expect(item(session, 'a').assumption).toEqual({ assumed_value: 'in the module of that name', reasoning: 'usual', confidence: 0.6 });
  });

  test('without a default the value must be said', () => {
    const session = collecting([need('a', { default_assumption: null })]);
    const payload = results({ info_id: 'a', status: 'assumed', assumption: { reasoning: 'usual', confidence: 0.6 } });
    expect(session.problems(payload)).toEqual([['/collection_results/0/assumption/assumed_value', 'problem.assumption_value']]);
  });

  test('what the plan says may not be assumed is a gap', () => {
    const session = collecting([need('a', { can_assume: false })]).send(results(assumed('a')));
    expect(item(session, 'a').gap?.reason).toBe('not_assumable');
  });
});

describe('P8: what may never be assumed', () => {
  test('the server wins over can_assume, names the category, and keeps nothing of the value', () => {
    const session = collecting([need('which one')]).send(
      results(assumed('which one', { assumed_value: 'the port 5439', reasoning: 'postgres uses 5439' })),
    );
    expect(item(session, 'which one')).toMatchObject({ status: 'gap', gap: { reason: 'forbidden', category: 'environment' } });
    expect(session.warnings).toEqual([{ key: 'warning.forbidden', params: { id: 'which one', category: 'environment' } }]);
    expect(JSON.stringify(session.state)).not.toContain('5439');
  });

  test.each(['id', 'description', 'purpose'])('it is tested over the %s of the need', (key) => {
    const wanted = { ...need('a'), [key]: 'api_key' };
    const session = collecting([wanted]).send(results(assumed(String(wanted.id))));
    expect(preOf(session).items[0]?.gap).toMatchObject({ reason: 'forbidden', category: 'credentials' });
  });

  test.each(['assumed_value', 'reasoning'])('and over the %s of the assumption', (key) => {
    const session = collecting([need('a')]).send(results(assumed('a', { [key]: 'パスワード' })));
    expect(item(session, 'a').gap).toMatchObject({ reason: 'forbidden', category: 'credentials' });
  });

  test('a default that may not be assumed is dropped when it is planned', () => {
    const session = collecting([need('a', { default_assumption: 'password hunter2' })]);
    expect(session.warnings).toEqual([{ key: 'warning.forbidden_default', params: { id: 'a', category: 'credentials' } }]);
    expect(JSON.stringify(session.state)).not.toContain('hunter2');
  });

  test('tokenizer_layout is not a token', () => {
    const session = collecting([need('tokenizer_layout')]).send(results(assumed('tokenizer_layout')));
    expect(statuses(session)).toEqual({ tokenizer_layout: 'assumed' });
  });

  test('an impact that tells the value is not kept, either', () => {
    const payload = results({
      ...assumed('a', { assumed_value: 'host db9', reasoning: 'database host' }),
      impact: 'without host db9 nothing starts',
    });
    const session = collecting([need('a')]).send(payload);
    expect(JSON.stringify(session.state)).not.toContain('db9');
  });
});

describe('P10: 4c ends when every item is collected, assumed or a gap', () => {
  test('in parts, with what is missing still open', () => {
    const session = collecting([need('a'), need('b'), need('c')]);
    expect(session.send(results(collected('a'))).state.node).toBe('INFORMATION_COLLECTION');
    expect(statuses(session)).toEqual({ a: 'collected', b: 'open', c: 'open' });
    expect(session.send(results(assumed('b'), failed('c'))).state.node).toBe('INFORMATION_COLLECTION');
    expect(session.send(results(assumed('c', { confidence: 0.1 }))).state.node).toBe('EXPLORATION');
    expect(statuses(session)).toEqual({ a: 'collected', b: 'assumed', c: 'gap' });
    expect(item(session, 'c').gap?.impact).toBe('to know what c touches');
  });

  test('what has ended stays; a payload about nothing else is refused, and names what is open', () => {
    const session = collecting([need('a'), need('b')]).send(results(collected('a')));
    expect(session.problems(results(assumed('a')))).toEqual([['/collection_results', 'problem.info_ended']]);
    session.send(results(assumed('a'), collected('b')));
    expect(session.warningKeys()).toEqual(['warning.info_ended']);
    expect(statuses(session)).toEqual({ a: 'collected', b: 'collected' });
  });

  test('an unknown id, and one answered twice, are refused', () => {
    const problems = collecting([need('a')]).problems(results(collected('z'), collected('a'), failed('a')));
    expect(problems).toEqual([
      ['/collection_results/0/info_id', 'problem.info_unknown'],
      ['/collection_results/2/info_id', 'problem.info_twice'],
    ]);
  });
});

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
