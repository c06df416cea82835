/** Each row of FLOW.md's steps table, both sides: what is accepted and where it leads, and what is refused. */
import { describe, expect, test } from 'vitest';
import { abort, override } from '../../../mcp-server/src/flow/engine.ts';
import type { Payload } from '../../../mcp-server/src/flow/types.ts';
import { type Beginning, changedFile, FACTS, pending, Session, STALE } from './session.ts';

const at = (node: string, beginning: Beginning = {}): Session => new Session(beginning).to(node);

const QUESTION: Beginning = { intent: 'QUESTION' };
const why = 'because of what was read';

describe('step 1 leads', () => {
  test('to step 2 when there are stale branches, else to step 3', () => {
    expect(new Session({ stale: [STALE] }).state).toMatchObject({ phase: 'BRANCH_INTERVENTION', step: 2 });
    expect(new Session().state).toMatchObject({ phase: 'DOCUMENT_RESEARCH', step: 3 });
  });

  test('to step 4 when step 3 is skipped as well', () => {
    expect(new Session({ request: '--no-doc x' }).state.step).toBe(4);
  });
});

describe('an accepted payload leads on', () => {
  const hypothesis = { hypothesis: 'h', result: 'inconclusive', evidence: { command: 'npm test', exit: 1 } };
  test.each<[string, Payload, string, Beginning?]>([
    ['BRANCH_INTERVENTION', { choice: 'delete' }, 'DOCUMENT_RESEARCH', { stale: [STALE] }],
    ['BRANCH_INTERVENTION', { choice: 'merge' }, 'DOCUMENT_RESEARCH', { stale: [STALE] }],
    ['BRANCH_INTERVENTION', { choice: 'continue' }, 'QUERY_FRAME', { stale: [STALE], request: '--no-doc x' }],
    ['DOCUMENT_RESEARCH', { documents_reviewed: [] }, 'QUERY_FRAME'],
    ['DOCUMENT_RESEARCH', { documents_reviewed: ['README.md', { path: 'b.md', rules: ['be brief'] }] }, 'QUERY_FRAME'],
    ['QUERY_FRAME', { action_type: 'add', target_symbols: ['f'], scope: 's', constraints: [{ no: 'deps' }] }, 'REQUEST_UNDERSTANDING'],
    [
      'QUERY_FRAME',
      { action_type: 'add', target_symbols: [], scope: 's', constraints: [], quotes: { scope: 'do', action: 'it' } },
      'EXPLORATION',
      { request: '--no-pre-planning do it' },
    ],
    ['QUERY_FRAME', { action_type: 'add', target_symbols: [], scope: 's', constraints: [] }, 'READY_PLAN', { request: '--fast x' }],
    ['QUERY_FRAME', { action_type: 'add', target_symbols: [], scope: 's', constraints: [] }, 'READY_PLAN', { request: '--quick x' }],
    ['EXPLORATION', { explored_files: ['a'], findings: [{ claim: 'c', file: 'a', line: 1 }] }, 'Q1'],
    ['Q1', { needs_more_information: true, reason: why }, 'SEMANTIC'],
    ['Q1', { needs_more_information: false, reason: why }, 'Q2'],
    ['SEMANTIC', { search_results: [{ query: 'q', file: 'a', line: 1 }] }, 'Q2', { request: '--gate=full x' }],
    ['Q2', { has_unverified_hypotheses: true, reason: 'r' }, 'VERIFICATION'],
    ['Q2', { has_unverified_hypotheses: false, reason: 'r' }, 'Q3'],
    ['VERIFICATION', { hypotheses_verified: [hypothesis] }, 'Q3', { request: '--gate=full x' }],
    ['Q3', { needs_impact_analysis: true, reason: 'r' }, 'IMPACT_ANALYSIS'],
    ['Q3', { needs_impact_analysis: false, reason: 'r' }, 'READY_PLAN'],
    ['Q3', { needs_impact_analysis: false, reason: 'r' }, 'investigated', QUESTION],
    ['Q3', { needs_impact_analysis: true, reason: 'r' }, 'IMPACT_ANALYSIS', QUESTION],
    ['IMPACT_ANALYSIS', { impact_summary: { affected_files: ['a'], risks: ['r'] } }, 'READY_PLAN', { request: '--gate=full x' }],
    [
      'IMPACT_ANALYSIS',
      { impact_summary: { affected_files: [], risks: [], tests: [], reason: 'r' } },
      'investigated',
      { ...QUESTION, request: '--gate=full x' },
    ],
    ['READY_PLAN', { tasks: [pending('a')] }, 'READY_IMPLEMENT'],
    ['READY_IMPLEMENT', { task_id: 't1', summary: 's' }, 'READY_FINISH'],
    ['READY_FINISH', {}, 'POST_IMPL_VERIFY'],
    ['READY_FINISH', {}, 'PRE_COMMIT', { request: '--no-verify x' }],
    ['READY_FINISH', {}, 'completed', { request: '--no-verify --quick x' }],
    ['READY_FINISH', {}, 'POST_IMPL_VERIFY', { request: '--quick x' }],
    ['POST_IMPL_VERIFY', { passed: true, details: 'd' }, 'PRE_COMMIT'],
    ['POST_IMPL_VERIFY', { passed: true, details: 'd', failed_tasks: [] }, 'completed', { request: '--quick x' }],
    ['POST_IMPL_VERIFY', { passed: false, details: 'd' }, 'READY_PLAN'],
    ['PRE_COMMIT', { reviewed_files: ['src/a.ts'], commit_message: 'm' }, 'QUALITY_REVIEW'],
    ['PRE_COMMIT', { reviewed_files: ['src/a.ts'], commit_message: 'm' }, 'MERGE', { request: '--no-quality x' }],
    ['PRE_COMMIT', { reviewed_files: ['src/a.ts'], commit_message: 'm' }, 'MERGE', { request: '--fast x' }],
    ['QUALITY_REVIEW', { quality_score: 0, issues: [] }, 'MERGE'],
    ['QUALITY_REVIEW', { quality_score: 100, issues: [{ description: 'd', severity: 'low', file: 'a' }] }, 'READY_PLAN'],
    ['MERGE', {}, 'completed'],
    ['MERGE', { strategy: 'merge' }, 'completed'],
    ['MERGE', { strategy: 'leave_branch' }, 'completed'],
  ])('at %s %j to %s', (node, payload, to, beginning) => {
    expect(at(node, beginning).send(payload).trail.at(-1)).toBe(to);
  });
});

describe('a payload that does not fit is refused', () => {
  const frame = { action_type: 'add', target_symbols: [], scope: 's', constraints: [] };
  test.each<[string, Payload, string, Beginning?]>([
    ['BRANCH_INTERVENTION', {}, '/choice', { stale: [STALE] }],
    ['BRANCH_INTERVENTION', { choice: 'keep' }, '/choice', { stale: [STALE] }],
    ['DOCUMENT_RESEARCH', {}, '/documents_reviewed'],
    ['DOCUMENT_RESEARCH', { documents_reviewed: [''] }, '/documents_reviewed/0'],
    ['DOCUMENT_RESEARCH', { documents_reviewed: [{ rules: [] }] }, '/documents_reviewed/0/path'],
    ['QUERY_FRAME', { ...frame, scope: '  ' }, '/scope'],
    ['QUERY_FRAME', { ...frame, action_type: undefined }, '/action_type'],
    ['QUERY_FRAME', { ...frame, quotes: { scope: 'nowhere in it' } }, '/quotes/scope'],
    ['QUERY_FRAME', { ...frame, quotes: { 'a/b~c': 'nowhere' } }, '/quotes/a~1b~0c'],
    ['QUERY_FRAME', { ...frame, quotes: { scope: '' } }, '/quotes/scope'],
    ['EXPLORATION', { explored_files: [], findings: ['f'] }, '/explored_files'],
    ['EXPLORATION', { explored_files: ['a'], findings: [] }, '/findings'],
    ['SEMANTIC', { search_results: [] }, '/search_results', { request: '--gate=full x' }],
    ['VERIFICATION', { hypotheses_verified: [] }, '/hypotheses_verified', { request: '--gate=full x' }],
    [
      'VERIFICATION',
      { hypotheses_verified: [{ hypothesis: 'h', result: 'maybe', evidence: 'e' }] },
      '/hypotheses_verified/0/result',
      { request: '--gate=full x' },
    ],
    [
      'VERIFICATION',
      { hypotheses_verified: [{ hypothesis: 'h', result: 'confirmed' }] },
      '/hypotheses_verified/0/evidence',
      { request: '--gate=full x' },
    ],
    ['IMPACT_ANALYSIS', {}, '/impact_summary', { request: '--gate=full x' }],
    ['IMPACT_ANALYSIS', { impact_summary: { affected_files: [], risks: ['r'] } }, '/impact_summary', { request: '--gate=full x' }],
    ['IMPACT_ANALYSIS', { impact_summary: { affected_files: ['a'], risks: [] } }, '/impact_summary', { request: '--gate=full x' }],
    ['READY_PLAN', { tasks: [] }, '/tasks'],
    ['READY_PLAN', { finish: 'later', reason: 'r' }, '/finish'],
    ['READY_PLAN', { finish: 'nothing_to_do' }, '/reason'],
    ['READY_PLAN', { task_id: 'a', summary: 's' }, '/tasks'],
    ['READY_IMPLEMENT', { summary: 's' }, '/task_id'],
    ['READY_IMPLEMENT', { task_id: 't1' }, '/summary'],
    ['READY_IMPLEMENT', { finish: 'nothing_to_do', summary: 's' }, '/task_id'],
    ['POST_IMPL_VERIFY', { passed: true }, '/details'],
    ['POST_IMPL_VERIFY', { passed: true, details: ' ' }, '/details'],
    ['POST_IMPL_VERIFY', { passed: false, details: 'd', failed_tasks: ['t1', 'who'] }, '/failed_tasks/1'],
    ['POST_IMPL_VERIFY', { passed: true, details: 'd', failed_tasks: ['t1'] }, '/failed_tasks'],
    ['QUALITY_REVIEW', { quality_score: 101, issues: [] }, '/quality_score'],
    ['QUALITY_REVIEW', { quality_score: -1, issues: [] }, '/quality_score'],
    ['QUALITY_REVIEW', { issues: [] }, '/quality_score'],
    ['QUALITY_REVIEW', { quality_score: 1 }, '/issues'],
    ['QUALITY_REVIEW', { quality_score: 1, issues: [''] }, '/issues/0'],
    ['MERGE', { strategy: 'rebase' }, '/strategy'],
  ])('at %s %j', (node, payload, pointer, beginning) => {
    const refused = at(node, beginning).refused(payload);
    expect(refused.error).toBe('payload_mismatch');
    expect(refused.message.params).toMatchObject({ step: expect.any(Number) });
    expect(refused.problems.map((problem) => problem.pointer)).toEqual([pointer]);
  });
});

describe('step 2', () => {
  const adopted = { name: 'readygate/old', base: 'develop' };
  test('stays while git could not do all of it, and takes another choice', () => {
    const session = at('BRANCH_INTERVENTION', { stale: [STALE] });
    session.send({ choice: 'merge' }, { results: { resolve_stale: { branch: 'main', adopted: null, incomplete: true, notes: [] } } });
    expect(session.state.step).toBe(2);
    expect(session.state.completed_steps).toEqual([1]);
    expect(session.send({ choice: 'continue' }).state.step).toBe(3);
  });

  test('that adopts a branch goes on with it, and plans without making another', () => {
    const results = { resolve_stale: { branch: 'readygate/old', adopted, incomplete: false, notes: [] } };
    const session = at('BRANCH_INTERVENTION', { stale: [STALE] }).send({ choice: 'continue' }, { results });
    expect(session.state.git).toMatchObject({ branch: 'readygate/old', base: 'develop' });
    session.to('READY_PLAN').usual();
    expect(session.effects).toEqual([]);
    expect(session.state.git).toMatchObject({ branch: 'readygate/old', base: 'develop' });
  });

  test('takes the branch that git ended on as the base', () => {
    const results = { resolve_stale: { branch: 'develop', adopted: null, incomplete: false, notes: [] } };
    const session = at('BRANCH_INTERVENTION', { stale: [STALE] }).send({ choice: 'delete' }, { results });
    expect(session.state.git).toMatchObject({ branch: null, base: 'develop' });
  });
});

describe('step 4', () => {
  test('takes a quote from the request as the user wrote it, flags included', () => {
    const frame = { action_type: 'add', target_symbols: [], scope: 's', constraints: [] };
    const session = at('QUERY_FRAME', { request: '--gate=auto Make it so' });
    expect(session.problems({ ...frame, quotes: { a: 'make it' } })).toEqual([['/quotes/a', 'problem.not_a_quote']]);
    expect(session.send({ ...frame, quotes: { a: 'Make it', b: '--gate=auto' } }).state.node).toBe('REQUEST_UNDERSTANDING');
  });
});

describe('nothing to do', () => {
  const payload = { finish: 'nothing_to_do', reason: 'it is there' };

  test('completes while nothing was changed, and drops an empty task branch if there is one', () => {
    const fresh = at('READY_PLAN').send(payload, { facts: { changed: [] } });
    expect([fresh.state.outcome, fresh.effects]).toEqual(['nothing_to_do', []]);
    const planned = at('READY_IMPLEMENT').send({ revert_to: 'EXPLORATION', reason: 'r' }).to('READY_PLAN');
    planned.send(payload, { facts: { changed: [] } });
    expect([planned.state.outcome, planned.effects]).toEqual(['nothing_to_do', ['drop_branch']]);
  });

  test('is refused when files changed or something was committed', () => {
    expect(at('READY_PLAN').problems(payload, { facts: { changed: [changedFile('a')] } })).toEqual([
      ['/finish', 'problem.something_changed'],
    ]);
    const again = at('QUALITY_REVIEW').send({ quality_score: 1, issues: ['i'] });
    expect(again.problems(payload, { facts: { changed: [] } })).toEqual([['/finish', 'problem.something_changed']]);
  });
});

describe('git work', () => {
  const effectsAt = (node: string, beginning: Beginning = {}): string[] => at(node, beginning).usual().effects;

  test('is asked for at 2, 12, 17 and 19 only', () => {
    expect(effectsAt('BRANCH_INTERVENTION', { stale: [STALE] })).toEqual(['resolve_stale']);
    expect(effectsAt('READY_PLAN')).toEqual(['create_branch']);
    expect(effectsAt('PRE_COMMIT')).toEqual(['commit']);
    expect(effectsAt('MERGE')).toEqual(['merge']);
    for (const node of ['QUERY_FRAME', 'READY_IMPLEMENT', 'READY_FINISH', 'POST_IMPL_VERIFY', 'QUALITY_REVIEW'])
      expect(effectsAt(node)).toEqual([]);
  });

  test('makes no branch under --quick or without git', () => {
    expect(effectsAt('READY_PLAN', { request: '--quick x' })).toEqual([]);
    expect(effectsAt('READY_PLAN', { request: '--quick x', git: null })).toEqual([]);
  });

  test('reuses the branch for later lists', () => {
    const session = at('POST_IMPL_VERIFY').fail();
    session.usual();
    expect(session.effects).toEqual([]);
    expect(session.state.git?.branch).toBe('readygate/s1');
  });

  test('counts a commit only when git made one', () => {
    expect(at('PRE_COMMIT').usual().state.git?.commits).toEqual(['c0ffee']);
    const empty = at('PRE_COMMIT').send(
      { reviewed_files: [], commit_message: 'm' },
      { facts: { changed: [] }, results: { commit: { commit: null } } },
    );
    expect([empty.state.git?.commits, empty.state.node]).toEqual([[], 'QUALITY_REVIEW']);
  });
});

describe('the gate', () => {
  test('is open at 13 and 14 and nowhere else on a whole walk', () => {
    const session = new Session({ stale: [STALE], request: '--gate=full x' });
    const open: number[] = [];
    while (!session.complete) {
      if (session.state.gate === 'open') open.push(session.state.step);
      session.usual({ facts: FACTS });
    }
    expect(open).toEqual([13, 14]);
    expect(session.state.gate).toBe('closed');
  });

  test('opened by the user closes again with the phase', () => {
    const opened = override(at('EXPLORATION').state, 'a hotfix');
    expect(opened).toMatchObject({ gate: 'open', override: { reason: 'a hotfix', step: 5 } });
    expect(new Session(opened).usual().state).toMatchObject({ gate: 'closed', override: null, step: 6 });
  });
});

describe('the user ends a session', () => {
  test.each(['DOCUMENT_RESEARCH', 'READY_IMPLEMENT', 'POST_IMPL_VERIFY', 'MERGE'])('at %s, and nothing is undone', (node) => {
    const before = at(node).state;
    const { phase, gate, outcome, ...rest } = abort(before);
    expect({ phase, gate, outcome }).toEqual({ phase: 'SESSION_COMPLETE', gate: 'closed', outcome: 'aborted' });
    expect({ ...before, ...rest }).toEqual(before);
  });
});
