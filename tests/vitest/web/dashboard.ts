/** A running dashboard, and requests to it as a browser, a program or an attacker sends them. */
import http from 'node:http';
import { onTestFinished } from 'vitest';
import type { Edge } from '../../../mcp-server/src/session/edge.ts';
import { StartCode } from '../../../mcp-server/src/web/code.ts';
import { type Dashboard, serveDashboard } from '../../../mcp-server/src/web/serve.ts';
import { buildPage } from '../../../scripts/page.mjs';

const page = buildPage();

export interface Running extends Dashboard {
  code: string;
}

const edgeOf = (root: string): Edge => ({
  now: () => new Date(),
  projectDir: root,
  owner: null,
  language: 'en',
  ask: async () => 'unavailable',
});

/** Ends with the test. @param decides whether it has a code @param port 0: any that is free */
export async function dashboard(root: string, decides = true, port = 0): Promise<Running> {
  const code = decides ? new StartCode() : null;
  const running = await serveDashboard({ root, edge: edgeOf(root), page: await page, code, port });
  onTestFinished(() => running.close());
  return { ...running, code: code?.shown ?? '' };
}

export interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** A request whose every header is the test's own, Host included. */
export function request(
  { port }: Dashboard,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = http.request(
      { host: '127.0.0.1', port, path, method, headers: { Host: `127.0.0.1:${port}`, ...headers }, agent: false },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

export const get = async (running: Dashboard, path: string): Promise<Record<string, unknown>> => {
  const { status, text } = await request(running, path);
  if (status !== 200) throw new Error(`${path} answers ${status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
};

/** Sends a decision with the code of this start, or with what `headers` say. */
export async function decide(
  running: Running,
  decision: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Reply & { data: Record<string, unknown> }> {
  const reply = await request(running, '/api/decide', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${running.code}`, ...headers },
    body: JSON.stringify(decision),
  });
  return { ...reply, data: JSON.parse(reply.text || '{}') as Record<string, unknown> };
}
