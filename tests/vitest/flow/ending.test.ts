/** Steps 17 to 19 and the eight outcomes (FLOW.md, Branches and git; Loops end). */
import { describe, expect, test } from 'vitest';
import { abort } from '../../../mcp-server/src/flow/engine.ts';
import type { Facts, Outcome, Payload } from '../../../mcp-server/src/flow/types.ts';
import { BLOCKED, CONFLICT, changedFile, FACTS, pending, Session } from './session.ts';

const at = (node: string, request = 'x'): Session => new Session({ request }).to(node);

describe('the review before the commit', () => {
  const facts: Facts = { changed: ['a.ts', 'b.ts', 'c/d.ts'].map(changedFile) };
  const review = (...reviewed_files: unknown[]): Payload => ({ reviewed_files, commit_message: 'm' });

  test('names every changed file, as a path or with a decision', () => {
    const session = at('PRE_COMMIT').send(
      review('a.ts', { path: './b.ts' }, { path: '/repo/c/d.ts', decision: 'discard', reason: 'debug output' }),
      { facts },
    );
    expect(session.effects).toEqual(['discard', 'commit']);
  });

  test('hands exactly the kept files to the commit and the others to the discard', () => {
    const decision = at('PRE_COMMIT').decide(review('a.ts', 'b.ts', { path: 'c/d.ts', decision: 'discard', reason: 'r' }), { facts });
    expect('effects' in decision && decision.effects).toEqual([
      { do: 'discard', files: [{ path: 'c/d.ts', decision: 'discard', reason: 'r' }] },
      { do: 'commit', files: ['a.ts', 'b.ts'], message: 'm', merging: false },
    ]);
  });

  test.each<[string, unknown[], [string, string][]]>([
    ['misses one', ['a.ts', 'b.ts'], [['/reviewed_files', 'problem.review_missing']]],
    ['names one too many', ['a.ts', 'b.ts', 'c/d.ts', 'e.ts'], [['/reviewed_files', 'problem.review_extra']]],
    ['names one twice', ['a.ts', './a.ts', 'b.ts', 'c/d.ts'], [['/reviewed_files', 'problem.review_twice']]],
    [
      'discards without a reason',
      ['a.ts', 'b.ts', { path: 'c/d.ts', decision: 'discard' }],
      [['/reviewed_files/2/reason', 'problem.discard_reason']],
    ],
    [
      'discards with a blank reason',
      ['a.ts', 'b.ts', { path: 'c/d.ts', decision: 'discard', reason: ' ' }],
      [['/reviewed_files/2/reason', 'problem.discard_reason']],
    ],
    [
      'misses one and names another',
      ['a.ts', 'b.ts', 'd.ts'],
      [
        ['/reviewed_files', 'problem.review_missing'],
        ['/reviewed_files', 'problem.review_extra'],
      ],
    ],
  ])('that %s is refused with the difference', (_, files, problems) => {
    const session = at('PRE_COMMIT');
    expect(session.refused(review(...files), { facts })).toMatchObject({ error: 'guard_blocked', guard: 'RG16' });
    expect(session.problems(review(...files), { facts })).toEqual(problems);
  });

  test('lists the files of the difference', () => {
    const [missing, extra] = at('PRE_COMMIT').refused(review('a.ts', 'x.ts'), { facts }).problems;
    expect(missing?.message.params).toEqual({ count: 2, files: 'b.ts, c/d.ts' });
    expect(extra?.message.params).toEqual({ count: 1, files: 'x.ts' });
  });

  test.each([
    [{ path: 'a.ts', decision: 'revert' }, '/reviewed_files/0/decision'],
    [{ decision: 'keep' }, '/reviewed_files/0/path'],
    ['', '/reviewed_files/0'],
    [7, '/reviewed_files/0'],
  ])('with %j in it says which part is wrong', (file, pointer) => {
    expect(
      at('PRE_COMMIT')
        .problems(review(file), { facts })
        .map(([where]) => where),
    ).toEqual([pointer]);
  });

  test('of nothing is right when nothing changed', () => {
    expect(at('PRE_COMMIT').send(review(), { facts: { changed: [] } }).state.node).toBe('QUALITY_REVIEW');
  });

  test('needs a message for the commit', () => {
    expect(at('PRE_COMMIT').problems({ reviewed_files: ['a.ts'], commit_message: '\n' }, { facts })).toEqual([
      ['/commit_message', 'problem.blank'],
    ]);
  });

  test('while merging need not name files that equal the base, but may', () => {
    const merging = { ...facts, equal_to_base: ['b.ts'] };
    expect(at('PRE_COMMIT').send(review('a.ts', 'c/d.ts'), { facts: merging }).state.node).toBe('QUALITY_REVIEW');
    expect(at('PRE_COMMIT').send(review('a.ts', 'b.ts', 'c/d.ts'), { facts: merging }).state.node).toBe('QUALITY_REVIEW');
  });
});

describe('revert_to READY at 17', () => {
  const revert = { revert_to: 'READY', reason: 'the commit hook found a lint error' };

  test('goes back to 12 with its reason, in a new round', () => {
    const session = at('PRE_COMMIT').send(revert);
    expect(session.state).toMatchObject({
      node: 'READY_PLAN',
      round: 2,
      failure: { from: 'PRE_COMMIT', reason: revert.reason, highest: 0 },
    });
    expect(session.effects).toEqual([]);
  });

  test('is refused the fourth time', () => {
    const session = at('PRE_COMMIT');
    for (let times = 1; times <= 3; times++) session.send(revert).to('PRE_COMMIT');
    expect(session.refused(revert)).toMatchObject({ error: 'guard_blocked', guard: 'RG15' });
    expect(session.end().state.outcome).toBe('completed');
  });

  test('needs a reason and leads nowhere else', () => {
    expect(at('PRE_COMMIT').problems({ revert_to: 'READY' })).toEqual([['/reason', 'problem.missing']]);
    expect(at('PRE_COMMIT').problems({ revert_to: 'EXPLORATION', reason: 'r' })).toEqual([['/revert_to', 'problem.enum']]);
  });
});

describe('the quality review', () => {
  const issues = { quality_score: 40, issues: ['naming', { description: 'no test', severity: 'high', file: 'a.ts' }] };
  const back = (session: Session, times: number): Session => {
    for (let left = times; left > 0; left--) session.to('QUALITY_REVIEW').send(issues);
    return session;
  };

  test('with issues goes back to 12 and says them there', () => {
    const session = back(at('QUALITY_REVIEW'), 1);
    expect(session.state).toMatchObject({ node: 'READY_PLAN', counters: { quality_revert_count: 1 } });
    expect(session.state.failure?.reason).toBe('naming\n{"description":"no test","severity":"high","file":"a.ts"}');
  });

  test('goes back three times; the fourth report with issues goes on with a warning', () => {
    const session = back(at('QUALITY_REVIEW'), 3);
    expect([session.state.node, session.warnings]).toEqual(['READY_PLAN', []]);
    back(session, 1);
    expect([session.state.node, session.warningKeys()]).toEqual(['MERGE', ['warning.quality_cap']]);
    expect(session.end().state).toMatchObject({ outcome: 'completed_with_issues', warnings: [{ key: 'warning.quality_cap' }] });
  });

  test('without issues after three returns completes as usual', () => {
    expect(back(at('QUALITY_REVIEW'), 3).end().state.outcome).toBe('completed');
  });

  test('does not look at the score', () => {
    expect(at('QUALITY_REVIEW').send({ quality_score: 0, issues: [] }).state.node).toBe('MERGE');
  });

  test('forgets open issues when a later review, after a conflict, finds none', () => {
    const session = back(at('QUALITY_REVIEW'), 4).send({}, { results: CONFLICT }).send({ revert_to: 'READY' });
    expect(session.end().state.outcome).toBe('completed');
  });

  test('goes back again once the user’s retry has zeroed its counter', () => {
    const session = back(at('QUALITY_REVIEW'), 4).send({}, { results: CONFLICT }).send({ revert_to: 'READY' });
    session.implement([pending('r')]);
    const asked = new Session({ ...session.state, counters: { ...session.state.counters, verify_failures: 8 } });
    asked.fail().send({ user_decision: 'retry' });
    expect(back(asked, 1).state).toMatchObject({ node: 'READY_PLAN', open_issues: false, counters: { quality_revert_count: 1 } });
  });
});

describe('the merge', () => {
  test.each(['conflict', 'blocked'] as const)('that is stopped (%s) stays at 19 and may be tried again', (status) => {
    const session = at('MERGE').send({}, { results: status === 'conflict' ? CONFLICT : BLOCKED });
    expect(session.state).toMatchObject({ node: 'MERGE', step: 19, outcome: null });
    expect(session.state.completed_steps).not.toContain(19);
    expect(session.usual().state.outcome).toBe('completed');
  });

  test('that is stopped may leave the branch', () => {
    const session = at('MERGE').send({}, { results: CONFLICT });
    session.send({ strategy: 'leave_branch' }, { results: { merge: { status: 'left', files: [], commit: null, note: '' } } });
    expect(session.state.outcome).toBe('completed');
  });

  test('hands its strategy to git', () => {
    const effectsOf = (payload: Payload, facts = FACTS): unknown => {
      const decision = at('MERGE').decide(payload, { facts });
      return 'effects' in decision ? decision.effects : decision.error;
    };
    expect(effectsOf({})).toEqual([{ do: 'merge', strategy: 'merge' }]);
    expect(effectsOf({ strategy: 'leave_branch' })).toEqual([{ do: 'merge', strategy: 'leave_branch' }]);
    expect(effectsOf({ strategy: 'pull_request' }, { pull_request_wanted: true })).toEqual([{ do: 'merge', strategy: 'pull_request' }]);
  });

  test.each([{ pull_request_wanted: false }, {}])('makes no pull request that nobody asked for: %j', (facts) => {
    expect(at('MERGE').refused({ strategy: 'pull_request' }, { facts })).toMatchObject({ error: 'guard_blocked', guard: 'RG09' });
  });
});

describe('revert_to READY at 19', () => {
  const revert = { revert_to: 'READY' };
  const stopped = (session: Session): Session => session.to('MERGE').send({}, { results: CONFLICT });

  test('needs a reason where there is no conflict', () => {
    expect(at('MERGE').problems(revert)).toEqual([['/reason', 'problem.no_conflict']]);
    const blocked = at('MERGE').send({}, { results: BLOCKED });
    expect(blocked.problems(revert)).toEqual([['/reason', 'problem.no_conflict']]);
  });

  test('with a reason is the way back for whatever else is in the way of the merge, without touching git', () => {
    const session = at('MERGE')
      .send({}, { results: BLOCKED })
      .send({ ...revert, reason: 'a.ts changed after the commit' });
    expect(session.effects).toEqual([]);
    expect(session.state).toMatchObject({
      node: 'READY_PLAN',
      failure: { from: 'MERGE.back', reason: 'a.ts changed after the commit' },
      counters: { merge_reverts: 1 },
      git: { merging: false },
    });
  });

  test('merges the base and comes to 12 with the files in conflict', () => {
    const session = stopped(at('MERGE')).send(revert, { results: { merge_base: { status: 'conflict', files: ['x.ts', 'y.ts'] } } });
    expect(session.effects).toEqual(['merge_base']);
    expect(session.state).toMatchObject({ node: 'READY_PLAN', failure: { from: 'MERGE', reason: 'x.ts\ny.ts' }, git: { merging: true } });
    expect(session.state.round).toBe(2);
  });

  test('makes the next commit the merge’s, once', () => {
    const session = stopped(at('MERGE')).send(revert).to('PRE_COMMIT');
    const decision = session.decide({ reviewed_files: ['src/a.ts'], commit_message: 'm' });
    expect('effects' in decision && decision.effects).toMatchObject([{ do: 'commit', merging: true }]);
    expect(session.usual().state.git?.merging).toBe(false);
  });

  test('is not possible again before the merge was tried again', () => {
    const session = stopped(at('MERGE')).send(revert).to('MERGE');
    expect(session.problems(revert)).toEqual([['/reason', 'problem.no_conflict']]);
  });

  test('is refused the fourth time, and the other ways stay open', () => {
    const session = at('MERGE');
    for (let times = 1; times <= 3; times++) stopped(session).send(revert);
    expect(stopped(session).refused(revert)).toMatchObject({ error: 'guard_blocked', guard: 'RG15' });
    expect(session.send({ strategy: 'leave_branch' }).state.outcome).toBe('completed');
  });

  test('makes a new task start from zero, as nothing failed', () => {
    const session = at('POST_IMPL_VERIFY').fail().to('MERGE');
    expect(
      stopped(session)
        .send(revert)
        .send({ tasks: [pending('n')] })
        .task('n').failure_count,
    ).toBe(0);
  });
});

describe('every outcome is reached', () => {
  const quality = { quality_score: 1, issues: ['i'] };
  const issuesStay = (): Session => {
    const session = at('QUALITY_REVIEW');
    for (let times = 0; times < 4; times++) session.to('QUALITY_REVIEW').send(quality);
    return session.end();
  };
  const accepted = (): Session => {
    const session = at('READY_PLAN', '--quick x');
    while (session.state.node === 'READY_PLAN') session.implement([pending('a')]).fail();
    return session.usual();
  };

  test.each<[Outcome, () => Session]>([
    ['completed', () => at('MERGE').end()],
    ['completed_with_issues', issuesStay],
    ['accepted_unverified', accepted],
    ['investigated', () => new Session({ intent: 'INVESTIGATE' }).end()],
    ['verified', () => new Session({ request: '-v' }).end()],
    ['verification_failed', () => new Session({ request: '-v' }).fail()],
    ['nothing_to_do', () => at('READY_PLAN').send({ finish: 'nothing_to_do', reason: 'r' }, { facts: { changed: [] } })],
    ['aborted', () => new Session(abort(at('Q1').state))],
  ])('%s', (outcome, reach) => {
    expect(reach().state).toMatchObject({ phase: 'SESSION_COMPLETE', gate: 'closed', outcome });
  });

  test('nothing_to_do is said where nothing was committed, whatever else there was to say', () => {
    const merge = { status: 'nothing' as const, files: [], commit: null, note: '' };
    const state = { ...at('MERGE').state, accepted_unverified: true, open_issues: true };
    expect(new Session(state).send({}, { results: { merge } }).state.outcome).toBe('nothing_to_do');
  });

  test('accepted_unverified is said even when issues stayed open, too', () => {
    const state = { ...at('MERGE').state, accepted_unverified: true, open_issues: true };
    expect(new Session(state).usual().state.outcome).toBe('accepted_unverified');
  });
});
