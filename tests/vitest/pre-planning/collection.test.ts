/** PREPLANNING.md, rules P5 to P8 and P10: what is collected, assumed, or stays unknown. Both sides of every threshold. */
import { describe, expect, test } from 'vitest';
import type { Payload } from '../../../mcp-server/src/flow/types.ts';
import { collected, need } from '../flow/session.ts';
import { assumed, collecting, FILES, failed, item, preOf, results, statuses } from './engine.ts';

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

  test('a fallback that may not be assumed is not kept; how to look may name what it likes', () => {
    const wanted = need('a', {
      fallback_strategy: 'assume port 5439',
      collection_method: { tool: 'Grep', parameters: { pattern: 'password' } },
    });
    const session = collecting([wanted]);
    expect(session.warnings).toEqual([{ key: 'warning.forbidden_fallback', params: { id: 'a', category: 'environment' } }]);
    expect(JSON.stringify(session.state)).not.toContain('5439');
    expect(statuses(session.send(results(assumed('a'))))).toEqual({ a: 'assumed' });
    expect(item(session, 'a').collection_method.parameters).toEqual({ pattern: 'password' });
  });

  test.each(['default_assumption', 'assumed_value'])('the value of a forbidden %s survives in no other field of its item', (key) => {
    const value = 'orchid  grove';
    const wanted = need('a', {
      description: `the passphrase, perhaps ${value}`,
      purpose: `to open it with Orchid Grove`,
      collection_method: { tool: `try ${value}`, parameters: { pattern: ['x', `a ${value.toUpperCase()}`] } },
      fallback_strategy: 'take orchid grove',
      ...(key === 'default_assumption' ? { default_assumption: value } : {}),
    });
    let session = collecting([wanted]);
    const stays = { status: key === 'default_assumption' ? 'open' : 'gap' };
    if (key === 'assumed_value') {
      session = session.send(results({ info_id: 'a', status: 'failed', failure_reason: 'orchid grove is refused' }));
      session = session.send(results({ ...assumed('a', { assumed_value: value }), impact: 'without Orchid Grove it stays shut' }));
    }
    expect(item(session, 'a')).toMatchObject(stays);
    expect(JSON.stringify(session.state.pre_planning)).not.toMatch(/orchid\s+grove/i);
    expect(item(session, 'a').description).toContain('the passphrase, perhaps');
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
