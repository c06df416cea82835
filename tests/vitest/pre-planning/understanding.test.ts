/** PREPLANNING.md, rules P1 to P4: what is understood, and what is planned to be known. Both sides of every threshold. */
import { describe, expect, test } from 'vitest';
import type { Payload } from '../../../mcp-server/src/flow/types.ts';
import { collected, FACTS, need, understanding } from '../flow/session.ts';
import { at, collecting, item, plan, preOf, results, statuses, UNUSED_UP, USED_UP } from './engine.ts';

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
    expect(session.warningKeys()).toEqual(['warning.given_up.REQUEST_UNDERSTANDING']);
    expect(session.state.warnings).toEqual([{ key: 'warning.given_up.REQUEST_UNDERSTANDING', params: { count: 4 } }]);
  });

  test('the fourth failure at 4b goes on as if collection were skipped', () => {
    const session = at('INFORMATION_PLANNING').send({ information_needs: 'none' }, { facts: USED_UP });
    expect(session.state.node).toBe('EXPLORATION');
    expect(preOf(session)).toMatchObject({ degraded: ['INFORMATION_PLANNING'], items: [], skip_reason: null });
    expect(session.state.warnings).toEqual([{ key: 'warning.given_up.INFORMATION_PLANNING', params: { count: 4 } }]);
  });

  test('the fourth failure at 4c makes every open item a gap, and keeps what was collected', () => {
    const session = collecting([need('a'), need('b')]).send(results(collected('a')));
    session.refused(results(), { facts: UNUSED_UP });
    session.send(results(), { facts: USED_UP });
    expect(session.state.node).toBe('EXPLORATION');
    expect(statuses(session)).toEqual({ a: 'collected', b: 'gap' });
    expect(item(session, 'b').gap).toEqual({ impact: 'to know what b touches', reason: 'degraded' });
    expect(session.state.warnings).toEqual([{ key: 'warning.given_up.INFORMATION_COLLECTION', params: { count: 4 } }]);
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
