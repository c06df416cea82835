/** A person may answer half an hour later: what they say is about the state that they were shown. */
import { describe, expect, test } from 'vitest';
import type { Answer, Host } from '../server/host.ts';
import { placeOf, sessionAt, World, walk } from './world.ts';

const red = { passed: false, details: 'the greeting is rude' };
const retry = { tasks: [{ id: 'greet', description: 'add the greeting', status: 'pending' }] };
const TYPIST = 'claude-1';

/** Fails six times, so that the person has to decide. */
async function failSixTimes(world: World, host: Host, from: Answer): Promise<Answer> {
  let answer = from;
  for (let failures = 0; failures < 6; failures++) {
    const replies = { POST_IMPL_VERIFY: () => red, 'READY.plan': () => retry };
    answer = (await walk(world, host, answer, { replies, until: 'POST_IMPL_VERIFY' })).answer;
    answer = await host.submit(red);
  }
  return answer;
}

async function typed(host: Host, prompt: string): Promise<void> {
  await host.client.callTool({ name: 'on_prompt', arguments: { prompt, session_id: TYPIST } });
}

describe('while a decision is asked for, the session goes on elsewhere', () => {
  test.each(['accept', 'decline', 'cancel'])('and a late %s changes nothing; the answer is how it stands now', async (said) => {
    const world = new World();
    const host = await world.host({ owner: TYPIST, person: late });
    const other = await world.host({ owner: TYPIST });
    async function late(): Promise<string> {
      await typed(other, '/readygate:decide retry');
      return said;
    }
    const at = await sessionAt(world, host, 'POST_IMPL_VERIFY', '--fast --no-doc -ni add a greeting');
    const answer = await failSixTimes(world, host, at);
    expect(host.questions).toHaveLength(1);
    expect(placeOf(answer)).toBe('READY.plan');
    expect(answer.warnings.join()).toContain('went on while the user was asked');
    expect(answer.warnings.join().includes('What they answered')).toBe(said === 'accept');
    const decisions = world.journal(answer.session_id).filter(({ kind }) => kind === 'decision');
    expect(decisions).toEqual([expect.objectContaining({ decision: 'retry' })]);
  });

  test('and an old accept does not land on a newer escalation', async () => {
    const world = new World();
    let asked = 0;
    const host = await world.host({ owner: TYPIST, person: late });
    const other = await world.host({ owner: TYPIST });
    async function late(): Promise<string> {
      if (++asked > 1) return 'decline';
      await typed(other, '/readygate:decide retry');
      await failSixTimes(world, other, await other.status());
      return 'accept';
    }
    const at = await sessionAt(world, host, 'POST_IMPL_VERIFY', '--fast --no-doc -ni add a greeting');
    const answer = await failSixTimes(world, host, at);
    expect(placeOf(answer)).toBe('VERIFY_INTERVENTION.escalation');
    expect(world.journal(answer.session_id).filter(({ decision }) => decision === 'accept')).toEqual([]);
  });

  test('and an approval that waits is shown as it is now', async () => {
    const world = new World();
    const host = await world.host({ owner: TYPIST, person: late });
    const other = await world.host({ owner: TYPIST });
    async function late(): Promise<string> {
      await typed(other, '/readygate:abort');
      return 'wait';
    }
    await sessionAt(world, host, 'READY.plan', '--approve --fast --no-doc add a greeting');
    expect(await host.submit(retry)).toMatchObject({ error: 'session_complete', phase: 'SESSION_COMPLETE' });
  });
});

test('old branches are left alone by a late choice', async () => {
  const world = new World();
  world.box.git('branch', 'readygate/20200101-000000-aaaaaa');
  world.box.git('config', 'branch.readygate/20200101-000000-aaaaaa.readygateBase', 'main');
  const host = await world.host({ person: late });
  const other = await world.host();
  async function late(): Promise<string> {
    await other.submit({ choice: 'continue' }, { session_id: world.state().session });
    return 'delete';
  }
  const answer = await host.start('--no-doc add a greeting');
  expect(answer.phase).toBe('QUERY_FRAME');
  expect(answer.warnings.join()).toContain('went on while the user was asked');
  expect(world.box.branches()).toContain('readygate/20200101-000000-aaaaaa');
});

test('changed files are put to the person again when the session went on', async () => {
  const world = new World();
  const host = await world.host({ person: late });
  const other = await world.host();
  async function late(): Promise<string> {
    await other.submit({ resolve_changes: 'undo' });
    return 'undo';
  }
  await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
  world.box.write('smuggled.txt', 'x');
  const answer = await host.submit({ explored_files: ['readme.md'], findings: ['nothing'] });
  expect(host.questions).toHaveLength(1);
  expect(answer).toMatchObject({ phase: 'EXPLORATION' });
  expect(answer.error).toBeUndefined();
  expect(answer.warnings.join()).toContain('went on while the user was asked');
  expect(world.box.has('smuggled.txt')).toBe(false);
});
