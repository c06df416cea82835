/** Talks to the server that this page came from. */
import type { DecisionAnswer } from '../view.ts';

type Query = Record<string, string | number | null | undefined>;

function address(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length > 0 ? `${path}?${search}` : path;
}

/** @returns null when the server has no such thing @throws when it cannot be reached */
export async function read<T>(path: string, query: Query = {}): Promise<T | null> {
  const response = await fetch(address(path, query));
  return response.ok ? ((await response.json()) as T) : null;
}

async function send(path: string, code: string, body: unknown): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${code}` },
    body: JSON.stringify(body),
  });
}

/** Whether the code from the terminal is the right one. */
export async function unlock(code: string): Promise<'right' | 'wrong' | 'locked'> {
  // A header holds nothing but ASCII.
  const { ok, status } = await send('/api/unlock', code.replace(/[^\x20-\x7e]/g, '?') || '?', {});
  if (ok) return 'right';
  return status === 429 ? 'locked' : 'wrong';
}

export interface Decision {
  session: string;
  rev: number;
  kind: 'approve' | 'revise' | 'decide' | 'abort';
  answer?: 'retry' | 'accept' | 'abort';
  note?: string;
  /** Which plan a decision on it is about: the one that the page shows. */
  plan?: string;
}

export async function decide(code: string, lang: string, decision: Decision): Promise<DecisionAnswer> {
  const response = await send(address('/api/decide', { lang }), code, decision);
  const answer = (await response.json()) as Partial<DecisionAnswer> & { error?: string };
  return { done: answer.done ?? false, message: answer.message ?? answer.error ?? String(response.status) };
}
