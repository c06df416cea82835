// Server start to tools/list, submit_phase with 200 tasks, growth with 1,000 archived sessions.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { interleave, median, percentile, wallOf } from './measure.mjs';
import { report, SERVER, sessionAtImplement } from './session.mjs';

/** Milliseconds from spawn to the answer to tools/list, spoken without a client library. */
function startToList(env) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(process.execPath, [SERVER], { stdio: ['pipe', 'pipe', 'ignore'], env });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (!text.includes('"id":2')) return;
      const taken = performance.now() - begun;
      child.once('exit', () => resolve(taken));
      child.kill('SIGKILL');
    });
    child.once('error', reject);
    const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
    });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/list' });
  });
}

function addArchive(folder, count) {
  const sessions = path.join(folder, '.readygate/sessions');
  const [own] = fs.readdirSync(sessions);
  for (let index = 0; index < count; index++) {
    const id = `20200101-${String(index).padStart(6, '0')}-abcdef`;
    fs.mkdirSync(path.join(sessions, id));
    for (const name of ['journal.jsonl', 'baseline.json']) fs.copyFileSync(path.join(sessions, own, name), path.join(sessions, id, name));
    fs.copyFileSync(path.join(folder, '.readygate/state.json'), path.join(sessions, id, 'state.json'));
  }
}

/** Rows for the table: {name, value, goal, unit}. */
export async function serverBench() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bench-')));
  const data = path.join(folder, 'data');
  const env = { PATH: process.env.PATH, HOME: folder, CLAUDE_PLUGIN_DATA: data };
  const probe = spawn(process.execPath, [SERVER], { stdio: ['pipe', 'ignore', 'ignore'], env });
  await new Promise((resolve) => {
    const timer = setInterval(
      () =>
        fs.existsSync(path.join(data, 'code-cache')) &&
        fs.readdirSync(path.join(data, 'code-cache')).some((name) => name.endsWith('.bin')) &&
        resolve(clearInterval(timer)),
      50,
    );
  });
  probe.kill('SIGKILL');
  const starts = await interleave(
    {
      empty: () => wallOf(process.execPath, ['-e', '0'], { env }),
      list: () => startToList(env),
      cold: () => startToList({ ...env, CLAUDE_PLUGIN_DATA: '' }),
    },
    25,
  );

  const few = await sessionAtImplement(path.join(folder, 'few'), 200);
  const many = await sessionAtImplement(path.join(folder, 'many'), 200);
  addArchive(many.folder, 1000);
  const submits = await interleave({ few: report(few), many: report(many) }, 199);
  await Promise.all([few.client.close(), many.client.close()]);
  fs.rmSync(folder, { recursive: true, force: true });
  const empty = median(starts.empty);
  return [
    { name: 'server start to tools/list ÷ node -e 0', value: median(starts.list) / empty, goal: 2.5, unit: '×' },
    { name: '  the same without a code cache (first start)', value: median(starts.cold) / empty, goal: null, unit: '×' },
    { name: 'submit_phase p95 with 200 tasks', value: percentile(submits.few, 95), goal: 10, unit: 'ms' },
    {
      name: 'submit_phase with 1,000 archived sessions ÷ with none',
      value: median(submits.many) / median(submits.few),
      goal: 1.1,
      unit: '×',
    },
  ];
}
