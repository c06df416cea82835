/** Pre-planning with the real server over stdio: what reaches the disk, what does not, and what survives its end. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PrePlanningResult } from '../../../mcp-server/src/pre-planning/hand-over.ts';
import { collected, need, understanding } from '../flow/session.ts';
import type { Answer, Host } from '../server/host.ts';
import { type Payload, sessionAt, usualReply, World, walk } from '../session/world.ts';
import { SECRETS } from './secrets.ts';

const plan = (...required_information: Payload[]): Payload => ({ information_needs: { required_information } });
const results = (...collection_results: Payload[]): Payload => ({ collection_results });
const failed = (info_id: string, more: Payload = {}): Payload => ({ info_id, status: 'failed', tool_calls_used: 1, ...more });
const assumed = (info_id: string, more: Payload = {}): Payload => ({
  info_id,
  status: 'assumed',
  assumption: { assumed_value: 'camelCase', reasoning: 'the other modules do so', confidence: 0.8, ...more },
});

const NOT_SMALL = (world: World): Payload => {
  const { request_understanding } = usualReply(world, { phase: 'REQUEST_UNDERSTANDING', substep: '4a' } as Answer);
  return { request_understanding };
};

/** Every file below a folder, as text. */
function textsBelow(folder: string): { file: string; text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}

async function at(
  substep: '4a' | '4b' | '4c',
  needs: Payload[] = [need('a'), need('b')],
  request = '--no-doc add a greeting',
): Promise<{ world: World; host: Host; answer: Answer }> {
  const world = new World();
  const host = await world.host();
  let answer = await sessionAt(world, host, 'REQUEST_UNDERSTANDING.4a', request);
  if (substep !== '4a') answer = await host.submit(NOT_SMALL(world));
  if (substep === '4c') answer = await host.submit(plan(...needs));
  expect(answer.substep).toBe(substep);
  return { world, host, answer };
}

function handOver(world: World, session: string): PrePlanningResult {
  return (
    JSON.parse(readFileSync(world.path('sessions', session, 'pre_planning.json'), 'utf8')) as { pre_planning_result: PrePlanningResult }
  ).pre_planning_result;
}

describe('a small request', () => {
  test('costs one submission more than without pre-planning, at most two are allowed', async () => {
    const trails = [];
    for (const request of ['add a greeting', '--no-pre-planning add a greeting']) {
      const world = new World();
      const host = await world.host();
      trails.push((await walk(world, host, await host.start(request), { until: 'READY.plan' })).trail);
    }
    const [withIt = [], without = []] = trails;
    expect(withIt.length - without.length).toBe(1);
    expect(withIt.filter((place) => !without.includes(place))).toEqual(['REQUEST_UNDERSTANDING.4a']);
  });
});

describe('P2 at the edge', () => {
  test('a refused payload leaves state.json byte for byte, is counted in the journal, and the fourth goes on', async () => {
    const { world, host, answer } = await at('4a');
    const before = world.bytes();
    const bad = ['no object', { request_understanding: { task_type: 7 } }, understanding({ understanding_confidence: 'high' })];
    for (const [index, data] of bad.entries()) {
      const refused = await host.submit(data);
      expect(refused).toMatchObject({ error: 'payload_mismatch', phase: 'REQUEST_UNDERSTANDING' });
      if (index > 0) expect(refused.message).toContain(`failure ${index + 1}`);
      expect(world.bytes()).toBe(before);
    }
    // An answer to another step is a mistake about the step, not about the payload.
    expect((await host.submit({}, { step: 12 })).error).toBe('payload_mismatch');
    expect(world.journal(answer.session_id).filter((line) => line.event === 'attempt')).toHaveLength(3);
    const went = await host.submit('still no object');
    expect(went).toMatchObject({ phase: 'INFORMATION_PLANNING', substep: '4b' });
    expect(went.error).toBeUndefined();
    expect(went.warnings.join()).toContain(
      '4a was given up after 4 payloads that did not fit; the session goes on without an understanding',
    );
    expect(world.journal(answer.session_id).filter(({ notice }) => notice === 'understood')).toEqual([]);
    expect(world.state().pre_planning).toMatchObject({
      degraded: ['REQUEST_UNDERSTANDING'],
      understanding: { primary_goal: 'add a greeting' },
    });
    // A new phase has corrections of its own, and a new process goes on counting.
    for (let attempt = 1; attempt <= 3; attempt++) {
      const next = await world.host();
      expect((await next.submit({})).message).toContain(`failure ${attempt}`);
      await next.close();
    }
    expect(await host.submit({})).toMatchObject({ phase: 'EXPLORATION' });
    expect(handOver(world, answer.session_id)).toMatchObject({
      degraded: ['REQUEST_UNDERSTANDING', 'INFORMATION_PLANNING'],
      collection_success_rate: null,
    });
    expect((await host.status()).warnings.join()).toMatch(/4a was given up.*4b was given up/);
  });
});

describe('P5 and P10 at the edge', () => {
  test('local pointers are looked up, and what is missing stays listed', async () => {
    const { world, host } = await at('4c');
    world.box.git('check-ignore', '-q', '.readygate');
    const refused = await host.submit(results(collected('a', 'readme.md:2'), collected('b', 'nowhere.md')));
    expect(refused.problems?.map(({ pointer, message }) => [pointer, message.split(' ')[0]])).toEqual([
      ['/collection_results/0/collected_data/pointer', 'readme.md'],
      ['/collection_results/1/collected_data/pointer', 'nowhere.md'],
    ]);
    const part = await host.submit(results(collected('a', 'readme.md:1')));
    expect(part).toMatchObject({ phase: 'INFORMATION_COLLECTION', substep: '4c' });
    expect(part.instruction).toContain('- b (codebase)');
    expect(part.instruction).not.toContain('- a (codebase)');
    expect((await host.submit(results(collected('b', { path: join(world.root, 'readme.md'), line: 1 })))).phase).toBe('EXPLORATION');
  });
});

describe('P9: secrets', () => {
  const everywhere = (text: string): Payload[] => [
    { request_understanding: { task_type: 7, [text]: text, primary_goal: text } },
    {
      request_understanding: {
        task_type: text.slice(0, 150),
        primary_goal: `do ${text}`,
        expected_deliverables: [text, { [text]: text }],
        constraints: [text],
        scope: { in_scope: [text], out_of_scope: [{ why: text }] },
        understanding_confidence: 0.9,
        ambiguities: [{ item: text, possible_interpretations: [text], selected_interpretation: text, reasoning: text }],
      },
      extra: text,
      [text]: text,
    },
    plan({ ...need('a'), category: text }),
    plan(
      {
        ...need('a'),
        description: text,
        purpose: text,
        collection_method: { tool: text.slice(0, 150), parameters: { query: text } },
        fallback_strategy: text,
        default_assumption: text,
      },
      { ...need('b'), collection_method: { tool: 'Grep', parameters: text } },
      need('c'),
      need(`d ${text.slice(0, 150).replace(/\s/g, '')}`),
    ),
    results({ info_id: text.slice(0, 150), status: text }),
    results({
      info_id: 'a',
      status: 'collected',
      collected_data: { summary: text, details: { [text]: [text] }, pointer: { command: `curl ${text}`, exit_code: 0 } },
    }),
    results(failed('b', { failure_reason: text, impact: text }), assumed('c', { assumed_value: text, reasoning: text })),
    { ...results(failed('b', { impact: text })), recommendations_for_planning: [text, { note: text }] },
    results(failed('b', { impact: `because of ${text}` })),
  ];

  test('of every shape, sent in every field, are in no file below .readygate and in no answer', async () => {
    const secret = SECRETS.join('\n');
    const world = new World();
    const host = await world.host({ lenient: true });
    const answers: Answer[] = [await sessionAt(world, host, 'REQUEST_UNDERSTANDING.4a', '--no-doc add a greeting')];
    for (const payload of everywhere(secret)) answers.push(await host.submit(payload));
    const open = (world.state().pre_planning as { items: { id: string; status: string }[] }).items.filter(
      ({ status }) => status === 'open',
    );
    answers.push(await host.submit(results(...open.map(({ id }) => assumed(id, { assumed_value: secret })))));
    expect(answers.at(-1)?.phase).toBe('EXPLORATION');
    answers.push(await host.status());
    const { answer } = await walk(world, host, answers.at(-1) as Answer, { before: (next) => void answers.push(next) });
    answers.push(answer);
    expect(answer.outcome).toBe('completed');
    const told = [...answers.map((one) => JSON.stringify(one)), ...textsBelow(world.path()).map(({ file, text }) => `${file} ${text}`)];
    const needles = SECRETS.map((one) => /:\/\/[^:]+:(.+)@/.exec(one)?.[1] ?? one.match(/[\w+/@.-]{12,}/)?.[0] ?? one);
    for (const text of told)
      expect(
        needles.filter((needle) => text.includes(needle)),
        text.slice(0, 300),
      ).toEqual([]);
    const { pre_planning_result: kept } = JSON.parse(readFileSync(world.path('sessions', answer.session_id, 'pre_planning.json'), 'utf8'));
    expect(JSON.stringify(kept)).toContain('[masked:');
  });
});

describe('P13: a session that was cut off', () => {
  test('goes on at the interrupted sub-step with everything stored, and nothing twice', async () => {
    const world = new World();
    const first = await world.host();
    await sessionAt(world, first, 'REQUEST_UNDERSTANDING.4a', '--no-doc add a greeting');
    await first.submit(NOT_SMALL(world));
    await first.submit(plan(need('a'), need('b'), need('c')));
    await first.submit(results(collected('a', 'readme.md:1'), failed('b')));
    process.kill(first.pid, 'SIGKILL');
    const second = await world.host();
    const status = await second.status();
    expect(status).toMatchObject({ phase: 'INFORMATION_COLLECTION', step: 4, substep: '4c' });
    expect(status.pre_planning).toMatchObject({ open: ['b', 'c'], collected: ['a'] });
    expect(status.instruction).toContain('- b (codebase): where b stands; Grep [retry 1 of 2]');
    expect((await second.submit(results(collected('a', 'readme.md:1')))).problems?.[0]?.message).toContain('Still open: b, c');
    await second.submit(results(failed('b')));
    process.kill(second.pid, 'SIGKILL');
    const third = await world.host();
    await third.submit(results(failed('b'), assumed('c')));
    const done = await third.submit(results(failed('b', { impact: 'the plan covers both cases' })));
    expect(done.phase).toBe('EXPLORATION');
    const result = handOver(world, done.session_id);
    expect(result).toMatchObject({ total_tool_calls: 5, collection_success_rate: 1 / 3 });
    expect(result.collected_information.codebase.map(({ info_id }) => info_id)).toEqual(['a']);
    expect(result.assumptions.map(({ info_id }) => info_id)).toEqual(['c']);
    expect(result.information_gaps).toEqual([
      { info_id: 'b', description: 'where b stands', impact: 'the plan covers both cases', reason: 'not_found' },
    ]);
    const told = world.journal(done.session_id).filter((line) => line.event === 'notice');
    expect(told.map(({ notice, about }) => `${notice}${about ? ` ${about}` : ''}`)).toEqual([
      'started',
      'understood',
      'collection_started',
      'assumed c',
      'completed',
    ]);
  });
});

describe('the hand-over', () => {
  test('is shown apart in the plan, comes up again at step 15, and ends in the summary', async () => {
    const { world, host } = await at('4c', [
      need('callers'),
      need('naming'),
      need('owner', { description: 'who owns the greeting', purpose: 'to ask them' }),
    ]);
    const explore = await host.submit(
      results(collected('callers', 'readme.md:1'), assumed('naming'), assumed('owner', { assumed_value: 'the API key of the team' })),
    );
    expect(explore.warnings.join()).toContain('owner may never be assumed (credentials)');
    expect(explore.instruction).toContain('assumptions to check (naming) and gaps to close (owner)');
    const { answer: ready } = await walk(world, host, explore, { until: 'READY.plan' });
    const file = `.readygate/sessions/${ready.session_id}/pre_planning.json`;
    expect(existsSync(join(world.root, file))).toBe(true);
    const shown = ready.instruction.split('\n');
    const after = (heading: string): string => shown[shown.findIndex((line) => line.startsWith(heading)) + 1] ?? '';
    expect(ready.instruction).toContain(`whole in ${file}. Understood as feature: a greeting (confidence 90 %)`);
    expect(after('Known:')).toBe('- callers: callers is known (readme.md:1)');
    expect(after('Assumed')).toBe('- naming = camelCase (confidence 80 %): the other modules do so');
    expect(after('Unknown:')).toBe('- owner: who owns the greeting. Impact: to ask them (may not be assumed: credentials; ask the user)');
    const { answer: verify } = await walk(world, host, ready, { until: 'POST_IMPL_VERIFY' });
    expect(verify.instruction).toContain('naming = camelCase');
    const silent = await host.submit({ passed: true, details: 'npm test: 3 passed' });
    expect(silent.problems).toEqual([{ pointer: '/details', message: expect.stringContaining('"naming: held"') }]);
    await host.submit({ passed: true, details: 'npm test: 3 passed; naming: held' });
    expect((await host.status()).pre_planning).toMatchObject({
      assumptions: [{ info_id: 'naming', assumed_value: 'camelCase', confidence: 0.8, held: 'held' }],
      gaps: ['owner'],
    });
    const { answer: end } = await walk(world, host, await host.status());
    expect(end.instruction).toContain('Assumptions: naming = camelCase (held). Never found out: owner.');
    const summary = readFileSync(world.path('sessions', String(end.session_id), 'summary.md'), 'utf8');
    expect(summary).toContain('- naming = camelCase (held): the other modules do so');
    const result = handOver(world, end.session_id);
    expect(Date.parse(String(result.completed_at))).toBeGreaterThanOrEqual(Date.parse(String(result.started_at)));
  });

  test('many facts do not push assumptions and gaps out of sight, and the answer stays short', async () => {
    const many = Array.from({ length: 40 }, (_, index) => need(`fact${index}`, { description: 'x'.repeat(2000) }));
    const world = new World();
    const host = await world.host({ lenient: true });
    await sessionAt(world, host, 'REQUEST_UNDERSTANDING.4a', '--no-doc add a greeting');
    await host.submit(NOT_SMALL(world));
    await host.submit(plan(...many, need('guess'), need('gap')));
    const all = many.map(({ id }) => ({
      ...collected(String(id), 'readme.md:1'),
      collected_data: { summary: 'y'.repeat(2000), pointer: 'readme.md:1' },
    }));
    const explore = await host.submit(results(...all, assumed('guess'), assumed('gap', { confidence: 0.2 })));
    const { answer } = await walk(world, host, explore, { until: 'READY.plan' });
    expect(answer.instruction).toContain('- guess = camelCase');
    expect(answer.instruction).toContain('- gap: where gap stands');
    expect(answer.instruction).toContain('… and 32 more in .readygate/sessions/');
    expect(answer.instruction.length).toBeLessThan(5000);
  });

  test('is said in Japanese where the session is', async () => {
    const { planParts, summaryPart, openItems } = await import('../../../mcp-server/src/session/pre-planning-text.ts');
    const { world, host } = await at('4c', [need('naming'), need('open')]);
    await host.submit(results(assumed('naming')));
    const state = world.state() as unknown as Parameters<typeof planParts>[0]['state'];
    expect(openItems({ state, language: 'ja' })).toMatch(/^- open（codebase）: .*、Grep$/);
    expect(planParts({ state, language: 'ja' })).toMatch(
      /理解: feature: a greeting（確信度 90 %）[\s\S]*仮定[\s\S]*- naming = camelCase（確信度 80 %）/,
    );
    expect(summaryPart({ state, language: 'ja' })).toBe('仮定: naming = camelCase（未確認）。');
  });
});
