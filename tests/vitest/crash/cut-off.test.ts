/** A server killed in the middle of an effect: what the next one finds in git and in the journal, and what it makes of it. */
import { describe, expect, test } from 'vitest';
import { checkJournal } from '../../../mcp-server/src/state/check-journal.ts';
import type { Answer, Host } from '../server/host.ts';
import { placeOf } from '../session/world.ts';
import { afterDeath, discarded, expectAllWell, isDeath, Project } from './project.ts';

const REQUEST = '--fast --no-doc add a greeting';

interface Dead {
  project: Project;
  /** The answer before the call in which the server died, and what was sent. */
  at: Answer;
  payload: Record<string, unknown>;
  /** A new server. */
  host: Host;
}

/** The number of a point of this kind in a session: the first, or the one at `index`. */
let points: { point?: number; what?: string }[] | null = null;
async function numberOf(what: RegExp, index: number): Promise<number> {
  if (!points) {
    const whole = new Project();
    await dieAt(whole, 0);
    points = whole.points();
  }
  const found = points.filter((line) => what.test(line.what ?? '')).at(index);
  if (!found?.point) throw new Error(`no point ${what}`);
  return found.point;
}

async function dieAt(project: Project, at: number): Promise<{ at: Answer; payload: Record<string, unknown> } | null> {
  const host = await project.host(at);
  let answer = await host.start(REQUEST);
  while (answer.phase !== 'SESSION_COMPLETE') {
    expect(answer.error, answer.message).toBeUndefined();
    const payload = project.reply(answer);
    try {
      answer = await host.submit(payload);
    } catch (error) {
      if (!isDeath(error)) throw error;
      await afterDeath(project);
      return { at: answer, payload };
    }
  }
  return null;
}

async function killed(what: RegExp, index = 0): Promise<Dead> {
  const at = await numberOf(what, index);
  const project = new Project();
  const died = await dieAt(project, at);
  if (!died) throw new Error(`the server survived ${what}`);
  return { project, ...died, host: await project.host() };
}

async function toTheEnd({ project, host }: Dead, from: Answer): Promise<Answer> {
  let answer = from;
  while (answer.phase !== 'SESSION_COMPLETE') {
    expect(answer.error, answer.message).toBeUndefined();
    answer = await host.submit(project.reply(answer));
  }
  const { broken } = checkJournal(project.world.path('sessions', answer.session_id, 'journal.jsonl'));
  expect(broken).toBeNull();
  return answer;
}

const inCommit: [string, RegExp][] = [
  ['before git commits', /^before git commit$/],
  ['while git commits', /^during git commit$/],
  ['after git has committed', /^behind git commit$/],
];

describe('a server killed at the review', () => {
  test.each(inCommit)('%s: the same payload sent again finishes, with one commit', async (_name, what) => {
    const dead = await killed(what);
    const { project, at, payload, host } = dead;
    expect(placeOf(at)).toBe('PRE_COMMIT');
    const next = await host.submit(payload);
    expect(next.phase).toBe('MERGE');
    const { git } = project.world.state();
    expect(git.commits).toEqual([project.world.box.head()]);
    const lines = project.world.journal(at.session_id).filter((line) => line.effect === 'commit');
    expect(lines.map((line) => line.event)).toEqual(['intent', 'recovered', 'intent', 'done']);
    // A git that loses its server as it starts may or may not commit.
    if (!/during/.test(what.source)) expect(lines[1]).toMatchObject({ moved: /behind/.test(what.source) });
    expect(lines[3]).toMatchObject({ result: { commit: git.commits[0] } });
    expectAllWell(project, await toTheEnd(dead, next));
  });

  test('after git has committed: whoever asks first what is to be reviewed makes no second commit', async () => {
    const dead = await killed(/^behind git commit$/);
    const { project, host } = dead;
    const next = await host.submit(project.reply(await host.status()));
    expect(project.world.state().git.commits).toEqual([project.world.box.head()]);
    expectAllWell(project, await toTheEnd(dead, next));
  });

  test('after git has committed: the work can also go back to planning, and nothing of it is lost', async () => {
    const dead = await killed(/^behind git commit$/);
    const { project, at, host } = dead;
    const back = await host.submit({ revert_to: 'READY', reason: 'one more thing' });
    expect(placeOf(back)).toBe('READY.plan');
    // Which point has that number depends a little on the clock: the commit may still have been before it.
    expect(project.world.journal(at.session_id).filter((line) => line.event === 'recovered')).toMatchObject([{ effect: 'commit' }]);
    const tasks = [{ id: 'more', description: 'one more', status: 'pending' }];
    await host.submit({ tasks });
    project.world.box.write('more.txt', 'more\n');
    const end = await toTheEnd(dead, await host.submit({ task_id: 'more', summary: 'done' }));
    expect(end.outcome).toBe('completed');
    expect(project.world.box.committed('main')).toEqual(['hello.txt', 'more.txt']);
    expect(project.users.picture()).toEqual(project.picture);
  });

  test('after the discarded file was saved, and after it was undone: the answer still says where its copy is', async () => {
    for (const what of [/^behind rename .*\/discarded\//, /^behind unlink junk\.txt$/]) {
      const dead = await killed(what);
      const next = await dead.host.submit(dead.payload);
      expect(next.instruction).toContain('/discarded/');
      expect(discarded(dead.project.world, dead.at.session_id)).toContain('to be discarded\n');
      expectAllWell(dead.project, await toTheEnd(dead, next));
    }
  });
});

const elsewhere: [string, RegExp, number?][] = [
  ['while a stale branch is removed', /^behind git update-ref/],
  ['after the task branch was made', /^behind git switch readygate/],
  ['while the task branch is merged', /^during git merge/],
  ['after the task branch was merged', /^behind git merge/],
  ['before the new state is in place', /^before renameSync .*\/new$/, -2],
  ['after the new state is in place', /^behind renameSync .*\/new$/, -2],
];

test.each(elsewhere)('a server killed %s: the same payload sent again goes on to the merge', async (_name, what, index) => {
  const dead = await killed(what, index);
  const next = await dead.host.submit(dead.payload);
  expectAllWell(dead.project, await toTheEnd(dead, next));
});
