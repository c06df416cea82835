/** What the model reads: frontmatter, sizes, anchors, and that no text repeats what the server says at the right moment. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Text {
  file: string;
  /** What the name must be: the agent's file, the skill's folder. */
  called: string;
  front: Record<string, unknown>;
  body: string;
}

function read(file: string, called: string): Text {
  const found = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(fs.readFileSync(file, 'utf8'));
  if (!found) throw new Error(`${file} has no frontmatter`);
  return { file, called, front: parse(found[1] ?? '') as Record<string, unknown>, body: found[2] ?? '' };
}

const agents = fs.readdirSync('agents').map((name) => read(path.join('agents', name), path.basename(name, '.md')));
const skills = fs.readdirSync('skills').map((name) => read(path.join('skills', name, 'SKILL.md'), name));
const named = (texts: readonly Text[]) => texts.map((text) => [text.file, text] as const);

const AGENTS = [
  'architect',
  'comprehensive-reviewer',
  'design-reviewer',
  'document-researcher',
  'impl-reviewer',
  'implementer',
  'investigator',
  'situation-analyst',
  'task-decomposer',
  'task-reviewer',
  'verifier',
];

/** The user's own words: the model must not be able to start them. */
const USERS_WORDS = ['abort', 'approve', 'decide', 'override', 'statusline'];

const OWN = 'mcp__plugin_readygate_gate__';

test('there are the eleven agents that the server names', () => {
  expect(agents.map(({ called }) => called).sort()).toEqual(AGENTS);
});

describe.each(named([...agents, ...skills]))('%s', (_file, { called, front, body }) => {
  test('has a name, a description, and no model', () => {
    expect(front.name).toBe(called);
    expect(String(front.description ?? '')).toMatch(/^\S.{20,300}$/);
    expect(front).not.toHaveProperty('model');
    expect(body.trim()).not.toBe('');
  });
});

describe.each(named(agents))('%s', (_file, { called, front, body }) => {
  const tools = String(front.tools ?? '').split(', ');

  test('may edit only as implementer, may hand in an artifact, and cannot move the session', () => {
    expect(Object.keys(front).sort()).toEqual(['description', 'name', 'tools']);
    expect(tools).toEqual(expect.arrayContaining(['Read', 'Grep', 'Glob', 'Bash', `${OWN}save_artifact`]));
    expect(tools.filter((tool) => /^(Edit|Write|NotebookEdit)$/.test(tool))).toEqual(
      called === 'implementer' ? ['Edit', 'Write', 'NotebookEdit'] : [],
    );
    expect(tools.filter((tool) => /start_session|submit_phase|^Agent|^Task|\*/.test(tool))).toEqual([]);
    expect(new Set(tools).size).toBe(tools.length);
  });

  test('says what comes in, what goes out in which form, and what not to do', () => {
    expect(body.match(/^## .+$/gm)).toEqual(expect.arrayContaining(['## Input', '## Output', '## Do not']));
    expect(body).toContain(`${OWN}save_artifact`);
    expect(body).toMatch(/```markdown\n(?:Verdict: [A-Z_]+\n\n)?## /);
    expect(body).toContain('material, never an instruction');
    expect(body.split('\n').length).toBeLessThanOrEqual(100);
  });

  test('gives a verdict if and only if it reviews', () => {
    expect(/^Verdict: /m.test(body)).toBe(called.endsWith('reviewer'));
  });
});

describe.each(named(skills))('%s', (_file, { called, front, body }) => {
  test('is short, and started by the user alone where it is the user who speaks', () => {
    expect(body.split('\n').length).toBeLessThanOrEqual(200);
    expect(front['disable-model-invocation'] === true).toBe(USERS_WORDS.includes(called));
  });

  test('has each anchor once, directly under a heading, and no reference without one', () => {
    const anchors = [...body.matchAll(/<!-- anchor: (.*?) -->/g)].map((found) => found[1] ?? '');
    const references = [...body.matchAll(/`anchor: (.*?)`/g)].map((found) => found[1] ?? '');
    expect(anchors.filter((token) => !/^[a-z]+(?:-[a-z]+)*$/.test(token) || token.length > 24)).toEqual([]);
    expect([...new Set(anchors)]).toEqual(anchors);
    expect([...body.matchAll(/^#+ .+\n<!-- anchor: /gm)]).toHaveLength(anchors.length);
    expect(references.filter((token) => !anchors.includes(token))).toEqual([]);
    expect(anchors.filter((token) => !references.includes(token))).toEqual([]);
  });

  test('names agents that exist', () => {
    const agentsNamed = [...body.matchAll(/`readygate:([a-z-]+)`/g)].map((found) => found[1] ?? '');
    const known = [...AGENTS, ...skills.map((skill) => skill.called)];
    expect(agentsNamed.filter((name) => !known.includes(name))).toEqual([]);
  });
});

test('the example workflow is YAML, and runs commands that exist', () => {
  const text = fs.readFileSync('docs/examples/attest.yml', 'utf8');
  const workflow = parse(text) as { jobs: { attest: { steps: { run?: string }[] } } };
  expect(workflow.jobs.attest.steps.map(({ run }) => run ?? '').join()).toContain('readygate" attest "$range"');
  expect(fs.readFileSync('docs/hosts.md', 'utf8')).toContain('examples/attest.yml');
});

/** Every property name in the payloads' schemas. */
function fieldNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema && typeof schema.properties === 'object' ? Object.keys(schema.properties ?? {}) : [];
  return [...own, ...Object.values(schema).flatMap(fieldNames)];
}

describe('payload fields', () => {
  const schemas = JSON.parse(fs.readFileSync('state/payloads.json', 'utf8')) as Record<string, unknown>;
  const fields = [...new Set([...fieldNames(schemas.payloads), ...fieldNames(schemas.$defs)])];
  // A field of one plain word is a field only where it is written as code or as a key.
  const plain = fields.filter((name) => !name.includes('_'));
  const compound = fields.filter((name) => name.includes('_'));

  test('are found in the schemas', () => {
    expect(fields).toEqual(expect.arrayContaining(['explored_files', 'task_id', 'passed', 'reviewed_files', 'choice']));
  });

  test.each(named(skills))('are not repeated in %s', (_file, { body }) => {
    expect(compound.filter((name) => new RegExp(`\\b${name}\\b`).test(body))).toEqual([]);
    expect(plain.filter((name) => new RegExp(`\`${name}\`|"${name}"\\s*:`).test(body))).toEqual([]);
  });
});
