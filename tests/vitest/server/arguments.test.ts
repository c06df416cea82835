import { describe, expect, test } from 'vitest';
import { sessionAt, World } from '../session/world.ts';

const EXPLORED = { explored_files: ['readme.md'], findings: ['nothing yet'] };

describe('data', () => {
  const forms: [string, unknown][] = [
    ['an object', EXPLORED],
    ['the JSON text of an object', JSON.stringify(EXPLORED)],
    ['JSON text that was encoded twice', JSON.stringify(JSON.stringify(EXPLORED))],
    ['lists as JSON text', { explored_files: '["readme.md"]', findings: '["nothing yet"]' }],
    ['JSON text with space around it', `\n ${JSON.stringify(EXPLORED)} \n`],
  ];
  test.each(forms)('may be %s', async (_name, data) => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    expect(await host.submit(data)).toMatchObject({ phase: 'Q1' });
  });

  test.each(['true', 'True', ' true ', true])('a boolean may be sent as %j', async (sent) => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'Q1', '--no-doc add a greeting');
    expect((await host.submit({ needs_more_information: sent, reason: 'something is unknown' })).phase).toBe('SEMANTIC');
  });

  test('what is no boolean is not taken for one', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'Q1', '--no-doc add a greeting');
    for (const sent of ['yes', '1', 1, 'TRUE!', null]) {
      const answer = await host.submit({ needs_more_information: sent, reason: 'something is unknown' });
      expect(answer, String(sent)).toMatchObject({
        error: 'payload_mismatch',
        phase: 'Q1',
        problems: [{ pointer: '/needs_more_information' }],
      });
    }
  });

  test('what is no object is refused with what is right', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    const before = world.bytes();
    for (const data of [[], 'not JSON', '', 7, true, '[1]', '"text"', 'null', null]) {
      const answer = await host.submit(data);
      expect(answer, String(data)).toMatchObject({
        error: 'payload_mismatch',
        phase: 'EXPLORATION',
        message: expect.stringContaining('object'),
      });
      expect(answer.expected_payload).toEqual({ explored_files: 'list[str]', findings: 'list[str]' });
    }
    expect(world.bytes()).toBe(before);
  });
});

describe('other arguments', () => {
  test('step may be sent as text', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    expect((await host.submit(EXPLORED, { step: '5' })).phase).toBe('Q1');
  });

  test('flags may be JSON text', async () => {
    const world = new World();
    const host = await world.host();
    const answer = await host.start('add a greeting', { flags: '{"no-doc": "true"}' });
    expect(answer.phase).toBe('QUERY_FRAME');
  });

  const misfits: [string, Record<string, unknown>, string][] = [
    ['start_session', { intent: 'IMPLEMENT' }, '/request'],
    ['start_session', { request: 'x' }, '/intent'],
    ['start_session', { request: 'x', intent: 'PLAY' }, '/intent'],
    ['start_session', { request: 7, intent: 'IMPLEMENT' }, '/request'],
    ['start_session', { request: 'x', intent: 'IMPLEMENT', flags: 'fast' }, '/flags'],
    ['start_session', { request: 'x'.repeat(100_001), intent: 'IMPLEMENT' }, '/request'],
    ['submit_phase', {}, '/data'],
    ['submit_phase', { data: {}, step: 'five' }, '/step'],
    ['submit_phase', { data: {}, session_id: 5 }, '/session_id'],
    ['get_session_status', { session_id: ['a'] }, '/session_id'],
  ];
  test('that do not fit are named with their place, and start nothing', async () => {
    const world = new World();
    const host = await world.host();
    for (const [tool, args, pointer] of misfits) {
      const answer = await host.call(tool, args);
      expect(answer.error).toBe('bad_arguments');
      expect(answer.problems?.map((problem) => problem.pointer)).toEqual([pointer]);
      expect(answer.message).toContain(pointer);
    }
    expect(world.bytes()).toBeNull();
  });

  test('an unknown argument is ignored with a warning', async () => {
    const world = new World();
    const host = await world.host();
    const answer = await host.start('add a greeting', { intention: 'good' });
    expect(answer.phase).toBe('DOCUMENT_RESEARCH');
    expect(answer.warnings.join()).toContain('intention');
  });
});
