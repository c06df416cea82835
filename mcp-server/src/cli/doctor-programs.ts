/** The programs that Readygate needs, and whether its own work here: the hook refuses, the server answers. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { fill, type Language, template } from '../messages/messages.ts';
import type { CliContext } from './command.ts';
import type { Finding } from './doctor.ts';
import { pluginRoot } from './plugin-root.ts';

/** `engines` in package.json. */
const NODE = { major: 20, minor: 3 };

async function versionOf(program: string): Promise<string | null> {
  const ran = await execa(program, ['--version'], { reject: false, timeout: 10_000 });
  return ran.exitCode === 0 ? (ran.stdout.split('\n')[0]?.trim() ?? '') : null;
}

function program(name: string, version: string | null, language: Language): Finding {
  if (version !== null) return { name, state: 'ok', detail: version };
  return {
    name,
    state: 'wrong',
    detail: template('cli.doctor.missing', language),
    repair: fill(template('cli.doctor.install', language), { name }),
  };
}

/** Whether the server runs on this version of Node, as `process.version` writes it. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > NODE.major || (major === NODE.major && minor >= NODE.minor);
}

function node(language: Language): Finding {
  if (isNewEnough(process.version)) return { name: 'node', state: 'ok', detail: process.version };
  return {
    name: 'node',
    state: 'wrong',
    detail: process.version,
    repair: fill(template('cli.doctor.node', language), { version: `${NODE.major}.${NODE.minor}` }),
  };
}

/** A closed gate in a folder of its own must make the hook refuse; everything the hook needs is tried by that. */
async function hookWorks(language: Language): Promise<Finding> {
  const name = 'hook script';
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-doctor-')));
  try {
    fs.mkdirSync(path.join(folder, '.readygate'));
    const rest = { schema: 1, owner: null, last_activity: Date.now(), language: 'en', git: { branch: null }, instruction: '' };
    const gate = '{"gate":"closed","phase":"EXPLORATION","step":5,"session":"doctor","rev":1,';
    fs.writeFileSync(path.join(folder, '.readygate', 'state.json'), `${gate}${JSON.stringify(rest, null, 1).slice(1)}\n`);
    // State and call in just the form of server and host: those the hook reads without jq, too, so what it says here is what happens.
    const payload = {
      session_id: '',
      cwd: folder,
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: path.join(folder, 'a') },
    };
    const script = path.join(pluginRoot(), 'hooks', 'pre-tool.sh');
    const ran = await execa('/bin/bash', [script, 'file'], {
      cwd: folder,
      input: JSON.stringify(payload),
      reject: false,
      timeout: 10_000,
      env: { CLAUDE_PROJECT_DIR: folder },
    });
    if (ran.exitCode === 2) return { name, state: 'ok', detail: template('cli.doctor.hook_refuses', language) };
    const said = ran.stderr.trim() || ran.shortMessage || `exit ${ran.exitCode}`;
    return {
      name,
      state: 'wrong',
      detail: fill(template('cli.doctor.hook_passes', language), { said }),
      repair: template('cli.doctor.hook_repair', language),
    };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the server as the host does and waits for its list of tools. */
function serverAnswers(language: Language): Promise<Finding> {
  const name = 'server';
  const begun = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path.join(pluginRoot(), 'plugin', 'server.cjs')], { stdio: ['pipe', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    const end = (finding: Finding) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      resolve(finding);
    };
    const failed = () =>
      end({
        name,
        state: 'wrong',
        detail: fill(template('cli.doctor.server_silent', language), { said: err.trim().slice(-300) }),
        repair: template('cli.doctor.reinstall', language),
      });
    const timer = setTimeout(failed, 15_000);
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk;
    });
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
      if (!out.includes('"submit_phase"')) return;
      end({ name, state: 'ok', detail: fill(template('cli.doctor.server_ok', language), { ms: Math.round(performance.now() - begun) }) });
    });
    child.once('error', failed);
    child.once('exit', failed);
    child.stdin.on('error', () => {});
    const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'doctor', version: '1' } };
    const messages = [
      { id: 1, method: 'initialize', params: client },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
    ];
    for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  });
}

/** node, git, jq, bash; the hook script; the server. */
export async function programChecks({ language }: CliContext): Promise<Finding[]> {
  const [git, jq, bash] = await Promise.all(['git', 'jq', '/bin/bash'].map(versionOf));
  return [
    node(language),
    program('git', git ?? null, language),
    program('jq', jq ?? null, language),
    program('/bin/bash', bash ?? null, language),
    await hookWorks(language),
    await serverAnswers(language),
  ];
}
