import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { INTEL_TOOLS } from '../../../mcp-server/src/intel/protocol.ts';
import { makeRepository } from '../git/sandbox.ts';
import { Host } from './host.ts';
import { RawServer } from './raw.ts';

const project = () => makeRepository().root;

describe('initialize and tools/list', () => {
  test('the server names itself, its version and how to work with it', async () => {
    const host = await Host.start({ project: project() });
    expect(host.client.getServerVersion()).toMatchObject({ name: 'readygate', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    expect(host.client.getInstructions()).toContain('start_session');
    expect(host.client.getInstructions()?.length).toBeLessThan(4096);
    expect(host.client.getServerCapabilities()).toHaveProperty('tools');
  });

  test('speaks the protocol version that the client asks for', async () => {
    const server = new RawServer({ project: project() });
    const { result } = await server.initialize();
    expect(result?.protocolVersion).toBe(LATEST_PROTOCOL_VERSION);
  });

  test('the flow tools and save_artifact load at once, the others only on demand', async () => {
    const host = await Host.start({ project: project() });
    const { tools } = await host.client.listTools();
    const always = tools.filter((tool) => tool._meta?.['anthropic/alwaysLoad'] === true).map((tool) => tool.name);
    expect(always).toEqual(['start_session', 'submit_phase', 'get_session_status', 'save_artifact']);
    expect(tools.map((tool) => tool.name)).toEqual([...always, ...INTEL_TOOLS, 'guard']);
  });

  test('every tool has annotations, a schema and a description that the host does not cut', async () => {
    const host = await Host.start({ project: project() });
    const { tools } = await host.client.listTools();
    for (const tool of tools) {
      expect(tool.annotations?.title).toBeTruthy();
      expect(tool.annotations?.openWorldHint).toBe(false);
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.description?.length).toBeGreaterThan(20);
      expect(tool.description?.length).toBeLessThan(4096);
      // The host enforces an output schema; answers of one tool differ too much for one.
      expect(tool.outputSchema).toBeUndefined();
    }
    expect(tools.find((tool) => tool.name === 'get_session_status')?.annotations?.readOnlyHint).toBe(true);
    expect(tools.find((tool) => tool.name === 'start_session')?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(tools.find((tool) => tool.name === 'submit_phase')?.annotations?.idempotentHint).toBe(true);
  });

  test('the definitions that are always loaded are short', async () => {
    const host = await Host.start({ project: project() });
    const { tools } = await host.client.listTools();
    const always = JSON.stringify(tools.filter((tool) => tool._meta));
    // Four characters a token is a cautious rule for JSON in English.
    const tokens = Math.ceil(always.length / 4);
    console.log(`always-loaded tool definitions: ${always.length} characters, about ${tokens} tokens`);
    expect(tokens).toBeLessThan(1500);
  });
});

describe('what a client may ask that the server does not know', () => {
  test('an unknown method is refused at once, even before initialize', async () => {
    const server = new RawServer({ project: project() });
    expect((await server.ask('server/discover', { clientInfo: { name: 'probe' } })).error?.code).toBe(-32601);
    expect((await server.initialize()).result).toHaveProperty('serverInfo');
    expect((await server.ask('no/such/method')).error?.code).toBe(-32601);
    expect((await server.ask('resources/list')).error?.code).toBe(-32601);
    expect((await server.ask('prompts/list')).error?.code).toBe(-32601);
  });

  test('an unknown method is answered while a call is under way', async () => {
    const server = new RawServer({ project: project() });
    await server.initialize();
    const call = server.call('start_session', { request: 'x', intent: 'IMPLEMENT' });
    const probe = server.request('server/discover');
    await server.answer(call);
    const ids = server.messages().map(({ id }) => id);
    expect(ids.indexOf(probe)).toBeLessThan(ids.indexOf(call));
  });

  test('an unknown notification is ignored', async () => {
    const server = new RawServer({ project: project() });
    await server.initialize();
    server.send({ method: 'notifications/no_such_thing', params: { a: 1 } });
    expect((await server.ask('ping')).result).toEqual({});
  });

  test('an unknown tool is a protocol error', async () => {
    const server = new RawServer({ project: project() });
    await server.initialize();
    const answer = await server.ask('tools/call', { name: 'no_such_tool', arguments: {} });
    expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining('no_such_tool') });
    for (const name of ['constructor', '__proto__', 'toString', ''])
      expect((await server.ask('tools/call', { name, arguments: {} })).error?.code).toBe(-32602);
  });

  test('arguments that are no object are refused, and the server goes on', async () => {
    const server = new RawServer({ project: project() });
    await server.initialize();
    for (const args of [[], 'text', 7, null]) {
      const { error, result } = await server.ask('tools/call', { name: 'get_session_status', arguments: args });
      expect(error !== undefined || result?.isError === true, JSON.stringify(args)).toBe(true);
    }
    expect((await server.ask('tools/call', { name: 'get_session_status' })).result?.structuredContent?.error).toBe('no_session');
  });
});

describe('stdout', () => {
  test('holds nothing but protocol lines, whatever arrives', async () => {
    const server = new RawServer({ project: project() });
    server.write('this is no JSON\n\n{"half":\n[]\n"text"\nnull\n{"jsonrpc":"1.0","id":3,"method":"ping"}\n');
    server.write('\u0000\uFFFD\u2028\n');
    await server.initialize();
    server.send({ id: 'text id', method: 'ping' });
    server.send({ id: 900, result: { answer: 'to nothing' } });
    const ids = [
      server.call('get_session_status', {}),
      server.call('submit_phase', { data: {} }),
      server.call('submit_phase', {}),
      server.call('start_session', { request: '', intent: 'NONE' }),
      server.call('start_session', { request: '--no-such-flag x', intent: 'IMPLEMENT' }),
      server.call('no_such_tool', {}),
      server.call('guard', {}),
      server.call('guard', { tool_name: 'Edit', tool_input: 'not JSON' }),
      server.request('nope'),
    ];
    await Promise.all(ids.map((id) => server.answer(id)));
    const started = await server.answer(server.call('start_session', { request: '--fast add a line\nwith a break', intent: 'IMPLEMENT' }));
    expect(started.result?.structuredContent?.phase).toBe('DOCUMENT_RESEARCH');
    await server.answer(server.call('submit_phase', { data: { documents_reviewed: [] } }));
    await server.answer(server.call('submit_phase', { data: { documents_reviewed: 3 } }));
    server.child.stdin.end();
    await server.exit;
    expect(server.stdout.endsWith('\n')).toBe(true);
    for (const line of server.stdout.split('\n').slice(0, -1)) {
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
      expect(JSON.parse(line)).toHaveProperty('id');
    }
  });

  test('a message of several megabytes is answered, and what no buffer holds ends the server instead of hanging it', async () => {
    const server = new RawServer({ project: project() });
    await server.initialize();
    const big = await server.answer(server.call('submit_phase', { data: { text: 'x'.repeat(5_000_000) } }));
    expect(big.result?.structuredContent?.error).toBeTruthy();
    server.write(`${'x'.repeat(12 * 1024 * 1024)}`);
    expect(await server.exit).toEqual({ code: 0, signal: null });
  });

  test('answers to requests that came before the end of input are all written', async () => {
    const server = new RawServer({ project: project() });
    const first = server.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'pipe', version: '1' },
    });
    const list = server.request('tools/list');
    const start = server.call('start_session', { request: 'add a line', intent: 'IMPLEMENT' });
    const status = server.call('get_session_status', {});
    server.child.stdin.end();
    expect(await server.exit).toEqual({ code: 0, signal: null });
    const answered = server.messages().map(({ id }) => id);
    expect(answered).toEqual(expect.arrayContaining([first, list, start, status]));
    expect(server.messages().find(({ id }) => id === start)?.result?.structuredContent?.phase).toBe('DOCUMENT_RESEARCH');
  });
});
