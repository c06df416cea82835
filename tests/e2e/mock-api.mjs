// The model's part, played from a script: a loopback stand-in for the Messages API.
//
// A script is a list of turns for the main loop, or { main: [turn…], agents: { MARKER: [turn…] } }; a subagent is told by
// the marker in its prompt. A turn is a list of texts and { tool, input }, or a function of the mock
// that gives such a list.
import http from 'node:http';

const LOOPBACK = '127.0.0.1';
const SUMMARY = '<summary>scripted summary</summary>';

/** Text of a system prompt, of a message's content or of a tool result. */
function textOf(content) {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (content.type === 'text') return content.text ?? '';
  return content.type === 'tool_result' ? textOf(content.content) : '';
}

/** Everything the model was told in a request, as one text. */
export const toldIn = (request) => textOf([request.body.system, ...request.body.messages.map(({ content }) => textOf(content))]);

function toolResults(body) {
  const blocks = (body.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const names = new Map(blocks.filter(({ type }) => type === 'tool_use').map(({ id, name }) => [id, name]));
  return blocks
    .filter(({ type }) => type === 'tool_result')
    .map((block) => ({
      id: block.tool_use_id,
      tool: names.get(block.tool_use_id) ?? null,
      isError: block.is_error === true,
      text: textOf(block.content),
    }));
}

const lastUserText = (body) => textOf((body.messages ?? []).findLast(({ role }) => role === 'user')?.content);

/** Which conversation a request belongs to: 'main', 'agent:MARKER', 'compact' or 'side' (titles and the like, no file tools). */
function kindOf(headers, body, script) {
  if (headers['x-claude-code-agent-id']) {
    const first = textOf((body.messages ?? []).find(({ role }) => role === 'user')?.content);
    return `agent:${Object.keys(script.agents).find((marker) => first.includes(marker)) ?? '?'}`;
  }
  // The request for a summary carries the main loop's tools too; only its prompt tells it apart.
  if (/create a detailed summary of (the|this) (RECENT portion of the )?conversation/.test(lastUserText(body))) return 'compact';
  return (body.tools ?? []).some(({ name }) => name === 'Read') ? 'main' : 'side';
}

let serial = 0;
const newId = (prefix) => `${prefix}_mock${String(++serial).padStart(20, '0')}`;

const toBlock = (block) =>
  typeof block === 'string'
    ? { type: 'text', text: block }
    : { type: 'tool_use', id: newId('toolu'), name: block.tool, input: block.input ?? {} };

function toMessage(model, turn) {
  const content = turn.map(toBlock);
  return {
    id: newId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
}

function sendJson(res, status, value) {
  res.writeHead(status, { 'content-type': 'application/json', 'request-id': newId('req') });
  res.end(JSON.stringify(value));
}

function sendStream(res, message) {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'request-id': newId('req') });
  const emit = (type, data) => res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  emit('message_start', { message: { ...message, content: [], stop_reason: null } });
  message.content.forEach((block, index) => {
    const tool = block.type === 'tool_use';
    emit('content_block_start', { index, content_block: tool ? { ...block, input: {} } : { type: 'text', text: '' } });
    const delta = tool ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) } : { type: 'text_delta', text: block.text };
    emit('content_block_delta', { index, delta });
    emit('content_block_stop', { index });
  });
  emit('message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } });
  emit('message_stop', {});
  res.end();
}

async function readBody(req) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : {};
}

/** Plays `script` on a loopback port until closed. */
export async function startMock(script) {
  const plan = Array.isArray(script) ? { main: script, agents: {} } : { agents: {}, ...script };
  const played = new Map();
  const requests = [];

  async function turnFor(kind) {
    if (kind === 'side') return ['ok'];
    if (kind === 'compact') return [SUMMARY];
    const turns = kind === 'main' ? plan.main : (plan.agents[kind.slice('agent:'.length)] ?? []);
    const count = played.get(kind) ?? 0;
    played.set(kind, count + 1);
    const turn = turns[count] ?? ['script exhausted'];
    return typeof turn === 'function' ? turn(mock) : turn;
  }

  const server = http.createServer(async (req, res) => {
    const body = await readBody(req);
    const { pathname } = new URL(req.url, 'http://mock');
    if (req.method === 'HEAD') return res.writeHead(200).end();
    if (pathname === '/v1/messages/count_tokens') return sendJson(res, 200, { input_tokens: 100 });
    if (pathname !== '/v1/messages') return sendJson(res, 404, { type: 'error', error: { type: 'not_found_error', message: pathname } });
    const kind = kindOf(req.headers, body, plan);
    requests.push({ kind, body });
    const message = toMessage(body.model, await turnFor(kind));
    return body.stream ? sendStream(res, message) : sendJson(res, 200, message);
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, LOOPBACK, resolve));

  const mock = {
    /** The client's process, for turns that do something to it; whoever starts the client sets it. */
    clientPid: null,
    url: `http://${LOOPBACK}:${server.address().port}`,
    requests,
    /** The requests of one conversation. */
    ofKind: (kind) => requests.filter((request) => request.kind === kind),
    /** Every tool result that a conversation's model was sent, in order, also those that /compact dropped later. */
    results(kind = 'main') {
      const told = requests.filter((request) => request.kind === kind || (kind === 'main' && request.kind === 'compact'));
      return [...new Map(told.flatMap(({ body }) => toolResults(body)).map((result) => [result.id, result])).values()];
    },
    /** How many scripted turns of a conversation were not asked for. */
    unplayed: (kind = 'main') => (kind === 'main' ? plan.main : plan.agents[kind.slice('agent:'.length)]).length - (played.get(kind) ?? 0),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
  return mock;
}
