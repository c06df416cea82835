import { describe, expect, test } from 'vitest';
import { sessionAt, usualReply, World, walk } from './world.ts';

describe('when there is no session to answer for', () => {
  test('no_session says how to start one', async () => {
    const host = await new World().host();
    for (const answer of [await host.status(), await host.submit({}), await host.submit({}, { session_id: '20200101-000000-abcdef' })]) {
      expect(answer.error).toBe('no_session');
      expect(answer.session_id).toBeNull();
    }
    expect((await host.status()).message).toContain('start_session');
  });

  test('a completed session answers session_complete, and says how to start another', async () => {
    const world = new World();
    const host = await world.host();
    const { answer } = await walk(world, host, await host.start('--only-verify'));
    for (const more of [{}, { session_id: answer.session_id }]) {
      const after = await host.submit({ passed: true, details: 'again' }, more);
      expect(after).toMatchObject({ error: 'session_complete', session_id: answer.session_id, phase: 'SESSION_COMPLETE', step: null });
      expect(after.message).toContain('start_session');
    }
    expect((await host.start('--only-verify')).phase).toBe('POST_IMPL_VERIFY');
  });

  test('the newest of several completed sessions answers', async () => {
    const world = new World();
    const host = await world.host();
    await walk(world, host, await host.start('--only-verify'));
    const second = await walk(world, host, await host.start('--only-verify'), {
      replies: { POST_IMPL_VERIFY: { passed: false, details: 'red' } },
    });
    const newest = await host.status();
    // Ids of the same second differ by chance alone, so either may be the newer one there.
    expect(['verified', 'verification_failed']).toContain(newest.outcome);
    expect((await host.status({ session_id: second.answer.session_id })).outcome).toBe('verification_failed');
  });

  test('a session id that is not ours is refused', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    const before = world.bytes();
    for (const session_id of ['no-such', '../../etc/passwd', '', 'a'.repeat(200), '日本語', '20200101-000000-abcdef']) {
      for (const answer of [
        await host.submit({ explored_files: ['a'], findings: ['b'] }, { session_id }),
        await host.status({ session_id }),
      ]) {
        expect(answer.error, session_id).toBe('no_session');
      }
    }
    expect(world.bytes()).toBe(before);
  });
});

describe('a session that is active already', () => {
  test('answers session_active with age, branch, last activity and the three ways on', async () => {
    const world = new World();
    const host = await world.host();
    const at = await sessionAt(world, host, 'READY.implement', '--fast --no-doc add a greeting');
    const before = world.bytes();
    const other = await world.host({ owner: 'another Claude session' });
    for (const starter of [host, other]) {
      const answer = await starter.start('something else');
      expect(answer).toMatchObject({ error: 'session_active', session_id: at.session_id, phase: 'READY', current_phase: 'READY' });
      expect(answer.message).toContain(`readygate/${at.session_id}`);
      expect(answer.message).toMatch(/begun 0 min ago, last activity 0 min ago/);
      expect(answer.message).toMatch(/get_session_status.*--clean.*git worktree add/);
    }
    expect(world.bytes()).toBe(before);
    expect(world.sessions()).toEqual([at.session_id]);
  });

  test('is taken over by the client that submits', async () => {
    const world = new World();
    const host = await world.host({ owner: 'first' });
    const at = await sessionAt(world, host, 'QUERY_FRAME', '--no-doc add a greeting');
    expect(world.state().owner).toBe('first');
    const other = await world.host({ owner: 'second' });
    await other.submit(usualReply(world, at));
    expect(world.state().owner).toBe('second');
  });
});

describe('a repeated submission', () => {
  test('of what was accepted last is answered with the present step, and changes nothing', async () => {
    const world = new World();
    const host = await world.host();
    let answer = await host.start('add a greeting');
    while (answer.phase !== 'READY') {
      const data = usualReply(world, answer);
      answer = await host.submit(data);
      const before = world.bytes();
      const again = await host.submit(data);
      expect(again).toMatchObject({ replayed: true, phase: answer.phase, step: answer.step, instruction: answer.instruction });
      expect(again.error).toBeUndefined();
      expect(world.bytes()).toBe(before);
    }
  });

  test('counts as one although its keys come in another order', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    await host.submit({ explored_files: ['readme.md'], findings: [{ claim: 'x', file: 'readme.md' }] });
    const again = await host.submit({ findings: [{ file: 'readme.md', claim: 'x' }], explored_files: ['readme.md'] });
    expect(again.replayed).toBe(true);
  });

  test('of something older is a mistake', async () => {
    const world = new World();
    const host = await world.host();
    const at = await sessionAt(world, host, 'QUERY_FRAME', '--no-doc --no-pre-planning add a greeting');
    const frame = usualReply(world, at);
    const explored = { explored_files: ['readme.md'], findings: ['x'] };
    await host.submit(frame);
    await host.submit(explored);
    expect((await host.submit(frame)).error).toBe('payload_mismatch');
    expect((await host.submit(explored)).replayed).toBe(true);
  });

  test('of a refused payload is refused again', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    for (let time = 0; time < 3; time++) expect((await host.submit({ explored_files: [] })).error).toBe('payload_mismatch');
  });

  test('of the last report, of a review and of a quality report moves nothing on', async () => {
    const world = new World();
    const host = await world.host();
    for (const place of ['READY.implement', 'PRE_COMMIT', 'QUALITY_REVIEW']) {
      const status = await host.status();
      const from = status.error ? await host.start('--no-doc add a greeting') : status;
      const { answer } = await walk(world, host, from, { until: place });
      const data = usualReply(world, answer);
      const next = await host.submit(data);
      const before = world.bytes();
      const again = await host.submit(data);
      expect(again, place).toMatchObject({ replayed: true, phase: next.phase, step: next.step });
      expect(world.bytes()).toBe(before);
    }
  });
});

describe('the step that a payload is for', () => {
  test('lets it pass when it is the present one, and is never a transition otherwise', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    const data = { explored_files: ['readme.md'], findings: ['x'] };
    const before = world.bytes();
    for (const step of [4, 6, 0, -1, 99]) {
      expect(await host.submit(data, { step })).toMatchObject({
        error: 'payload_mismatch',
        step: 5,
        message: expect.stringContaining(String(step)),
      });
    }
    expect(world.bytes()).toBe(before);
    expect((await host.submit(data, { step: 5 })).phase).toBe('Q1');
    expect((await host.submit(data, { step: 5 })).replayed).toBe(true);
  });
});

describe('an error', () => {
  test('has everything that the answer it stands for has, and what is wrong', async () => {
    const world = new World();
    const host = await world.host();
    const at = await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    const answer = await host.submit({ explored_files: 'none', findings: [7, ''], more: 1 });
    expect(answer).toMatchObject({
      error: 'payload_mismatch',
      current_phase: 'EXPLORATION',
      session_id: at.session_id,
      phase: at.phase,
      step: at.step,
      instruction: at.instruction,
      expected_payload: at.expected_payload,
      call: 'submit_phase',
    });
    const pointers = answer.problems?.map(({ pointer }) => pointer);
    expect(pointers).toEqual(expect.arrayContaining(['/explored_files', '/findings/0', '/findings/1']));
  });
});
