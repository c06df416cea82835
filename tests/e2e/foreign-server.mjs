// A foreign MCP server with a tool that writes files, as many have one. Started by the client in guards.test.mjs.
import fs from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const server = new Server({ name: 'files', version: '1.0.0' }, { capabilities: { tools: {} } });
const inputSchema = { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } }, required: ['path'] };
const tools = ['write_file', 'read_file'].map((name) => ({ name, description: name, inputSchema }));

server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: args } }) => {
  if (name === 'write_file') fs.writeFileSync(args.path, args.content);
  return { content: [{ type: 'text', text: name === 'write_file' ? 'written' : fs.readFileSync(args.path, 'utf8') }] };
});
await server.connect(new StdioServerTransport());
