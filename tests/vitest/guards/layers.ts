/** Both layers' verdicts on many calls: layer 1 by its own functions with one jq for each state, layer 2 in this process. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { judgeToolCall } from '../../../mcp-server/src/guards/judge.ts';
import { placeSessions, REPO, type Row, type SessionSpec, stateText, toCall } from './world.ts';

/** The calls that meet one state. */
export interface Batch {
  readonly root: string;
  readonly spec: SessionSpec;
  readonly rows: readonly Row[];
}

/** What the hook gets on stdin. */
export const payload = ({ tool_name, tool_input, cwd, session_id }: ReturnType<typeof toCall>): string =>
  JSON.stringify({ session_id, cwd, hook_event_name: 'PreToolUse', tool_name, tool_input });

/** The words of a refusal, or "pass". */
export function layer2(base: string, row: Row): string {
  const verdict = judgeToolCall(toCall(base, row));
  return verdict.decision === 'deny' ? verdict.message : 'pass';
}

export function withSessions<T>(base: string, sessions: Readonly<Record<string, SessionSpec>>, act: () => T): T {
  const takeAway = placeSessions(base, { sessions });
  try {
    return act();
  } finally {
    takeAway();
  }
}

/** What layer 2 says to all batches, in order. */
export const layer2Of = (base: string, batches: readonly Batch[]): string[] =>
  batches.flatMap(({ root, spec, rows }) => withSessions(base, { [root]: spec }, () => rows.map((row) => layer2(base, row))));

/**
 * What the functions of the hook say to all batches that have one home, in order.
 * @param kind which tools: file, shell or mcp
 */
export function layer1Of(base: string, batches: readonly Batch[], home: string, kind: string): string[] {
  const dir = fs.mkdtempSync(`${base}/batches-`);
  batches.forEach(({ root, spec, rows }, n) => {
    fs.mkdirSync(`${dir}/${n}`);
    fs.mkdirSync(`${base}/${root}/.readygate`, { recursive: true });
    fs.writeFileSync(`${dir}/${n}/root`, `${base}/${root}\n`);
    fs.writeFileSync(`${dir}/${n}/state`, stateText(spec, Date.now()));
    fs.writeFileSync(`${dir}/${n}/payloads`, rows.map((row) => `${payload(toCall(base, row))}\n`).join(''));
  });
  const { stdout, stderr } = spawnSync('/bin/bash', [`${REPO}/tests/vitest/guards/judge-many.bash`, REPO, dir, kind], {
    env: { PATH: process.env.PATH, HOME: home.replace('{base}', base), CLAUDE_CODE_SESSION_ID: 'env' },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  for (const { root } of batches) fs.rmSync(`${base}/${root}/.readygate`, { recursive: true, force: true });
  if (stderr !== '') throw new Error(stderr.slice(0, 2000));
  return stdout.trimEnd().split('\n');
}
