/** Sessions as OpenTelemetry traces: what a collector on this machine receives, and that nothing is sent unasked. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sendTrace } from '../../../mcp-server/src/telemetry/exporter.ts';
import { sessionAt, World, walk } from '../session/world.ts';

interface Value {
  stringValue?: string;
  intValue?: number;
}
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
  events: { name: string; attributes: { key: string; value: Value }[] }[];
  status: { code?: number };
}

interface Received {
  path: string;
  spans: Span[];
  text: string;
}

let status = 200;
const received: Received[] = [];
const collector = http.createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  request.on('end', () => {
    const body = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    received.push({
      path: request.url ?? '',
      spans: body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      text,
    });
    if (status === 0) return; // as a collector that hangs
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
});

const address = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

function worldWith(endpoint: string | null): World {
  const world = new World();
  if (endpoint !== null) world.box.write('.readygate/config.yml', `telemetry:\n  otlp_endpoint: ${endpoint}\n`);
  return world;
}

const attribute = (span: Span | undefined, key: string) => span?.attributes.find((one) => one.key === key)?.value;

describe('telemetry', () => {
  beforeAll(() => new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    collector.closeAllConnections();
    collector.close();
  });
  beforeEach(() => {
    received.length = 0;
    status = 200;
  });

  test('sends one span for each visit of a phase when the session ends, and no text of anybody’s', async () => {
    const world = worldWith(address());
    const host = await world.host({ owner: 'c' });
    const failed = { passed: false, details: 'SECRETWORD', failed_tasks: ['greet'] };
    const again = { tasks: [{ id: 'greet', description: 'SECRETWORD', status: 'pending' }] };
    const { answer, trail } = await walk(world, host, await host.start('--fast --no-doc SECRETWORD'), {
      replies: { POST_IMPL_VERIFY: [failed], 'READY.plan': () => again },
    });
    expect(answer).toMatchObject({ outcome: 'completed', warnings: [] });
    expect(received.map(({ path }) => path)).toEqual(['/v1/traces']);
    const { spans, text } = received[0] as Received;
    expect(text).not.toMatch(/SECRETWORD|hello\.txt/);
    const root = spans.find(({ name }) => name === 'readygate session');
    const phases = spans.filter((span) => span !== root);
    expect(attribute(root, 'readygate.outcome')).toEqual({ stringValue: 'completed' });
    expect(phases.map(({ name }) => name)).toEqual(trail.map((place) => place.split('.')[0]));
    for (const span of phases) {
      expect(span.traceId).toBe(root?.traceId);
      expect(span.parentSpanId).toBe(root?.spanId);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    }
    expect(attribute(phases[0], 'readygate.step')).toEqual({ intValue: 4 });
  });

  test('sends nothing unless the configuration names a collector, whatever the environment says', async () => {
    const world = worldWith(null);
    const host = await world.host({ owner: 'c', env: { OTEL_EXPORTER_OTLP_ENDPOINT: address(), OTEL_TRACES_EXPORTER: 'otlp' } });
    expect((await walk(world, host, await host.start('--quick --no-verify --no-doc add'))).answer.phase).toBe('SESSION_COMPLETE');
    expect(received).toEqual([]);
  });

  test('a collector that is not there is a warning; the session ends as it should', async () => {
    const world = worldWith('http://robot:S3CRET@127.0.0.1:9/otlp?key=S3CRET');
    const host = await world.host({ owner: 'c' });
    const { answer } = await walk(world, host, await host.start('--quick --no-verify --no-doc add'));
    expect(answer).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'completed' });
    expect(answer.warnings.join()).toContain('could not be sent to http://***@127.0.0.1:9/otlp?***:');
    expect(JSON.stringify(answer)).not.toContain('S3CRET');
    expect(world.bytes()).toBeNull();
  });

  test.each([
    ['takes it', 200, null],
    ['refuses it', 400, expect.stringMatching(/\S/)],
    ['never answers', 0, expect.stringMatching(/\S/)],
  ])('a collector that %s is told apart', async (_name, code, why) => {
    status = code;
    const span = { name: 'readygate session', from: 1000, to: 2000, attributes: {}, events: [] };
    const trace = { session: 's-1', root: span, phases: [], failed: false };
    expect(await sendTrace(trace, { endpoint: `${address()}/`, version: '1', timeoutMs: 400 })).toEqual(why);
    expect(received[0]?.path).toBe('/v1/traces');
  });

  test('an abort that the user typed is sent as a failed session', async () => {
    const world = worldWith(`${address()}/v1/traces`);
    const host = await world.host({ owner: 'c' });
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add');
    await host.client.callTool({ name: 'on_prompt', arguments: { prompt: '/readygate:abort', session_id: 'c' } });
    await expect.poll(() => received.length, { timeout: 30_000 }).toBe(1);
    const root = received[0]?.spans.find(({ name }) => name === 'readygate session');
    expect([received[0]?.path, attribute(root, 'readygate.outcome'), root?.status.code]).toEqual([
      '/v1/traces',
      { stringValue: 'aborted' },
      2,
    ]);
  });
});
