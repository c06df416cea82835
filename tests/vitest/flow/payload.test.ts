/** What the model may send: coercion, older names, extra keys, both forms of list elements, and what an error says. */
import { describe, expect, test } from 'vitest';
import { asPayload, readPayload } from '../../../mcp-server/src/flow/payload.ts';
import { expectedPayload, type Shape, schemas } from '../../../mcp-server/src/flow/payload-schemas.ts';
import { order, table } from '../../../mcp-server/src/flow/table.ts';
import type { Payload } from '../../../mcp-server/src/flow/types.ts';
import { fill, template } from '../../../mcp-server/src/messages/messages.ts';
import { deepFreeze } from './session.ts';

const read = (name: string, payload: Payload) => readPayload(deepFreeze(payload), name);
const said = (name: string, payload: Payload): string[] =>
  read(name, payload).problems.map(({ pointer, message }) => `${pointer}: ${fill(template(message.key, 'en'), message.params)}`);
const kindsOf = (name: string): string[] => order.filter((key) => table.nodes[key]?.accepts.some((accept) => accept.payload === name));

describe('a string that can only mean one thing is taken for it', () => {
  test.each<[string, Payload, Payload]>([
    ['verify', { passed: 'true', details: 'd' }, { passed: true, details: 'd' }],
    ['verify', { passed: ' False ', details: 'd', failed_tasks: '["a"]' }, { passed: false, details: 'd', failed_tasks: ['a'] }],
    ['quality', { quality_score: '87.5', issues: '[]' }, { quality_score: 87.5, issues: [] }],
    ['quality', { quality_score: ' 3 ', issues: '[{"description":"d"}]' }, { quality_score: 3, issues: [{ description: 'd' }] }],
    [
      'impact',
      { impact_summary: '{"affected_files":"[\\"a\\"]","risks":["r"]}' },
      { impact_summary: { affected_files: ['a'], risks: ['r'] } },
    ],
    [
      'tasks',
      { tasks: '[{"id":"a","description":"d","status":"pending","failure_count":"2"}]' },
      { tasks: [{ id: 'a', description: 'd', status: 'pending', failure_count: 2 }] },
    ],
    [
      'tasks',
      { tasks: ['{"id":"a","description":"d","status":"pending"}'] },
      { tasks: [{ id: 'a', description: 'd', status: 'pending' }] },
    ],
    ['documents', { documents_reviewed: [{ path: 'a', rules: '["r"]' }] }, { documents_reviewed: [{ path: 'a', rules: ['r'] }] }],
    ['exploration', { explored_files: ['[x]', '{"a":1}'], findings: ['true'] }, { explored_files: ['[x]', '{"a":1}'], findings: ['true'] }],
    ['verify', { passed: true, details: '["a"]' }, { passed: true, details: '["a"]' }],
  ])('%s %j', (name, sent, wanted) => {
    expect(read(name, sent)).toEqual({ data: wanted, problems: [], warnings: [] });
  });

  test.each<[string, Payload, string]>([
    ['verify', { passed: 'yes', details: 'd' }, '/passed'],
    ['verify', { passed: 1, details: 'd' }, '/passed'],
    ['verify', { passed: '', details: 'd' }, '/passed'],
    ['verify', { passed: null, details: 'd' }, '/passed'],
    ['verify', { passed: ['true'], details: 'd' }, '/passed'],
    ['verify', { passed: true, details: 5 }, '/details'],
    ['verify', { passed: false, details: 'd', failed_tasks: 'a' }, '/failed_tasks'],
    ['verify', { passed: false, details: 'd', failed_tasks: '[a' }, '/failed_tasks'],
    ['verify', { passed: false, details: 'd', failed_tasks: '{"a":1}' }, '/failed_tasks'],
    ['quality', { quality_score: '80%', issues: [] }, '/quality_score'],
    ['quality', { quality_score: '1e2', issues: [] }, '/quality_score'],
    ['quality', { quality_score: true, issues: [] }, '/quality_score'],
    ['tasks', { tasks: '{"id":"a"}' }, '/tasks'],
    ['tasks', { tasks: [{ id: 'a', description: 'd', status: 'pending', failure_count: '1.5' }] }, '/tasks/0/failure_count'],
    ['tasks', { tasks: [{ id: 7, description: 'd', status: 'pending' }] }, '/tasks/0/id'],
  ])('%s %j is ambiguous, and refused', (name, sent, pointer) => {
    expect(read(name, sent).problems.map((problem) => problem.pointer)).toEqual([pointer]);
  });

  test('data itself may be the JSON text of an object, and of nothing else', () => {
    expect(asPayload('{"passed": true}')).toEqual({ passed: true });
    expect(asPayload({ passed: true })).toEqual({ passed: true });
    for (const other of ['[]', '"x"', 'null', '', 'passed: true', null, undefined, 3, []]) expect(asPayload(other)).toBeNull();
  });
});

describe('list elements may be strings or objects', () => {
  const LISTS: [string, string, Payload][] = [
    ['query_frame', 'target_symbols', { action_type: 'a', scope: 's', constraints: [] }],
    ['query_frame', 'constraints', { action_type: 'a', scope: 's', target_symbols: [] }],
    ['exploration', 'explored_files', { findings: ['f'] }],
    ['exploration', 'findings', { explored_files: ['f'] }],
    ['semantic', 'search_results', {}],
    ['quality', 'issues', { quality_score: 1 }],
  ];

  test.each(LISTS)('%s.%s', (name, field, rest) => {
    const list = ['text', { claim: 'c', file: 'f', line: 1 }];
    expect(read(name, { ...rest, [field]: list })).toEqual({ data: { ...rest, [field]: list }, problems: [], warnings: [] });
    expect(read(name, { ...rest, [field]: [3, {}, ' ', null] }).problems.map(({ pointer }) => pointer)).toEqual(
      [0, 1, 2, 3].map((index) => `/${field}/${index}`),
    );
  });

  test.each(['affected_files', 'risks', 'tests'])('impact_summary.%s', (field) => {
    const summary = { affected_files: ['a'], risks: ['r'], [field]: ['text', { path: 'p', why: 'w' }] };
    expect(read('impact', { impact_summary: summary })).toMatchObject({ data: { impact_summary: summary }, problems: [] });
  });

  test('and expected_payload shows the string form', () => {
    expect(expectedPayload('exploration')).toEqual({ explored_files: 'list[str]', findings: 'list[str]' });
    expect(expectedPayload('pre_commit')).toEqual({ reviewed_files: 'list[str]', commit_message: 'str' });
    expect(expectedPayload('documents')).toEqual({ documents_reviewed: 'list[str]' });
  });
});

describe('keys that no schema knows', () => {
  test('are left out with a warning each, at any depth, ten at most', () => {
    const tasks = [{ id: 'a', description: 'd', status: 'pending', owner: 'me' }];
    expect(read('tasks', { tasks, thoughts: 'long' })).toEqual({
      data: { tasks: [{ id: 'a', description: 'd', status: 'pending' }] },
      problems: [],
      warnings: ['tasks/0/owner', 'thoughts'].map((key) => ({ key: 'warning.unknown_key', params: { key } })),
    });
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, 1]));
    expect(read('ready_finish', many).warnings).toHaveLength(10);
  });

  test('stay where a payload has free keys', () => {
    const frame = { action_type: 'a', target_symbols: [], scope: 's', constraints: [], quotes: { anything: 'q' } };
    expect(read('query_frame', frame)).toEqual({ data: frame, problems: [], warnings: [] });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('named %s are keys like others', (key) => {
    const sent = JSON.parse(`{"${key}": {"passed": true, "details": "d"}}`) as Payload;
    expect(said('verify', sent)).toEqual(['/passed: passed is missing; it must be: bool', '/details: details is missing; it must be: str']);
    expect(read('verify', sent).warnings).toEqual([{ key: 'warning.unknown_key', params: { key } }]);
  });
});

describe('a problem says where it is and what is right', () => {
  test.each<[string, Payload, string[]]>([
    ['verify', {}, ['/passed: passed is missing; it must be: bool', '/details: details is missing; it must be: str']],
    ['verify', { passed: 'maybe', details: 'd' }, ['/passed: is a str; it must be: bool']],
    ['branch_choice', { choice: 'keep' }, ['/choice: is keep; it must be one of: delete|merge|continue']],
    ['branch_choice', { choice: { toString: 1 } }, ['/choice: is {"toString":1}; it must be one of: delete|merge|continue']],
    ['q1', { needs_more_information: true }, ['/reason: reason is missing; it must be: str, 10 characters or more']],
    ['q1', { needs_more_information: true, reason: 'short' }, ['/reason: must be: str, 10 characters or more']],
    [
      'exploration',
      { explored_files: [3], findings: [] },
      ['/findings: holds too few entries; at least 1 needed', '/explored_files/0: is a number; it must be: str or object'],
    ],
    ['exploration', { explored_files: ['a'], findings: [{}] }, ['/findings/0: must be: object, with at least one key']],
    [
      'pre_commit',
      { reviewed_files: [{ path: 'a', decision: 'drop' }], commit_message: 'm' },
      ['/reviewed_files/0/decision: is drop; it must be one of: keep|discard'],
    ],
    ['documents', { documents_reviewed: [{ path: '' }] }, ['/documents_reviewed/0/path: is empty']],
    [
      'tasks',
      { tasks: [{ id: 'a b ', description: 'd', status: 'pending' }] },
      ['/tasks/0/id: must be: str, one line without spaces at its ends'],
    ],
    ['quality', { quality_score: 200, issues: [] }, ['/quality_score: is out of range; it must be <= 100']],
    ['verify', { passed: true, details: 'x'.repeat(20_001) }, ['/details: is too long; the limit is 20000']],
  ])('%s %j', (name, sent, problems) => {
    expect(said(name, sent).sort()).toEqual(problems.sort());
  });

  test('an empty list in impact_summary needs a reason, and hides no other problem', () => {
    expect(said('impact', { impact_summary: { affected_files: 'a', risks: [] } }).sort()).toEqual([
      '/impact_summary/affected_files: is a str; it must be: list[str]',
      expect.stringContaining('/impact_summary: must be:'),
    ]);
  });

  test('a payload of nothing but errors is answered quickly and shortly', () => {
    const wrong = (length: number): unknown[] => Array.from({ length }, () => 1);
    expect(said('exploration', { explored_files: wrong(200_000), findings: ['f'] })).toEqual([
      '/explored_files: is too long; the limit is 2000',
    ]);
    const { problems } = read('pre_commit', { reviewed_files: wrong(20_000), commit_message: 'm' });
    expect(problems.length).toBeGreaterThan(100);
    expect(problems.length).toBeLessThanOrEqual(500);
  });
});

/** A value for a shape of expected_payload, by its words alone. */
function build(shape: Shape): unknown {
  if (Array.isArray(shape)) return shape.map(build);
  if (typeof shape !== 'string') {
    return Object.fromEntries(Object.entries(shape).map(([key, inner]) => [key.replace(/\?$/, ''), build(inner)]));
  }
  const list = /^list\[(.*)\]$/s.exec(shape);
  if (list) {
    return [build(list[1] ?? '')];
  }
  const values: Record<string, unknown> = { bool: true, str: 'a sentence of words', int: 1, number: 1, object: {} };
  return shape in values ? values[shape] : shape.split('|')[0];
}

/** Without the keys that end in "?". */
function required(shape: Shape): Shape {
  if (typeof shape === 'string') return shape;
  if (Array.isArray(shape)) return [required(shape[0])];
  return Object.fromEntries(Object.entries(shape).flatMap(([key, inner]) => (key.endsWith('?') ? [] : [[key, required(inner)]])));
}

describe('expected_payload', () => {
  test.each(Object.keys(schemas.payloads))(
    'of %s is enough to build a payload that validates, with and without what is optional',
    (name) => {
      const shape = expectedPayload(name);
      expect(kindsOf(name).length).toBeGreaterThan(0);
      for (const payload of [build(shape), build(required(shape))] as Payload[]) {
        expect(read(name, payload)).toEqual({ data: payload, problems: [], warnings: [] });
      }
    },
  );

  test.each(Object.keys(schemas.payloads))('of %s names every key that the schema requires as required', (name) => {
    const keys = Object.keys(expectedPayload(name));
    expect(keys.filter((key) => !key.endsWith('?'))).toEqual(expect.arrayContaining(schemas.payloads[name]?.required ?? []));
    const missing = read(name, {}).problems.map(({ pointer }) => pointer.slice(1));
    expect(missing.sort()).toEqual(keys.filter((key) => !key.endsWith('?')).sort());
  });
});
