// Runs the hooks of hooks/hooks.json as the host would: matchers, exec form, substitution, exit code 2, hook JSON.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './setup.mjs';

const { hooks } = JSON.parse(fs.readFileSync(path.join(root, 'hooks/hooks.json'), 'utf8'));

/** The host's rule: only letters, digits, `_ - | ,` and spaces are exact names; anything else is an unanchored regex. */
function matches(matcher, name) {
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  return /^[\w\-|, ]+$/.test(matcher) ? matcher.split(/[|,]/).some((one) => one.trim() === name) : new RegExp(matcher).test(name);
}

/** The command hooks that an event with this tool name or source starts. */
export function commandHooks(event, name) {
  return (hooks[event] ?? [])
    .filter((group) => matches(group.matcher, name))
    .flatMap((group) => group.hooks.filter((hook) => hook.type === 'command'));
}

/** The mcp_tool hooks likewise. */
export function toolHooks(event, name) {
  return (hooks[event] ?? [])
    .filter((group) => matches(group.matcher, name))
    .flatMap((group) => group.hooks.filter((hook) => hook.type === 'mcp_tool'));
}

/** Starts one command hook. Returns {code, stdout, stderr}. */
export function runCommandHook(hook, payload, env) {
  const fill = (text) => text.replace(/\$\{CLAUDE_PLUGIN_ROOT\}/g, root);
  const { status, stdout, stderr } = spawnSync(fill(hook.command), (hook.args ?? []).map(fill), {
    cwd: payload.cwd,
    env: { ...process.env, CLAUDE_PROJECT_DIR: payload.cwd, CLAUDE_PLUGIN_ROOT: root, ...env },
    input: JSON.stringify(payload),
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

/** Calls one mcp_tool hook through a connected SDK client. Returns the reason it refuses with, or null. */
export async function runToolHook(hook, payload, client) {
  const text = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value ?? ''));
  const valueAt = (name) => name.split('.').reduce((value, key) => value?.[key], payload);
  const input = Object.fromEntries(
    Object.entries(hook.input).map(([key, value]) => [key, value.replace(/\$\{([A-Za-z_.]+)\}/g, (_all, name) => text(valueAt(name)))]),
  );
  const { content } = await client.callTool({ name: hook.tool, arguments: input });
  const answer = JSON.parse(content[0].text).hookSpecificOutput;
  return answer?.permissionDecision === 'deny' ? answer.permissionDecisionReason : null;
}
