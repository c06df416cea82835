/** The work tree at hand: state, lock, leftovers, and whether the host's hooks were really seen in the last session. */
import fs from 'node:fs';
import path from 'node:path';
import { CONFIG_FILE, readConfig } from '../config/config.ts';
import { fill, type Language, say, template } from '../messages/messages.ts';
import { rootOf } from '../session/root-of.ts';
import { newestArchived } from '../state/archive.ts';
import { FOLDER, folderOf, lockFolder } from '../state/layout.ts';
import { STALE_MS } from '../state/lock.ts';
import { type ReadResult, readState, type SessionFile } from '../state/session-file.ts';
import type { CliContext } from './command.ts';
import type { Finding } from './doctor.ts';
import { gateWord } from './gate-word.ts';

const CLEAN = 'readygate clean';

function stateFinding(found: ReadResult, language: Language): Finding {
  const name = 'session state';
  if (found.kind === 'absent') return { name, state: 'ok', detail: template('cli.doctor.no_session', language) };
  if (found.kind === 'present') {
    const { session, phase, step, gate } = found.state;
    return {
      name,
      state: 'ok',
      detail: fill(template('cli.explain.session', language), { session, phase, step, gate: gateWord(gate, language) }),
    };
  }
  if (found.kind === 'foreign')
    return {
      name,
      state: 'wrong',
      detail: `${found.file}: ${fill(template('cli.doctor.foreign', language), { work_tree: found.state.work_tree })}`,
      repair: CLEAN,
    };
  const detail = found.kind === 'corrupt' ? found.detail : fill(template('cli.doctor.newer', language), { schema: found.schema });
  return { name, state: 'wrong', detail: `${found.file}: ${detail}`, repair: CLEAN };
}

function lockFinding(root: string, now: number, language: Language): Finding {
  const name = 'lock';
  const stat = fs.statSync(lockFolder(root), { throwIfNoEntry: false });
  if (!stat) return { name, state: 'ok', detail: template('cli.doctor.lock_free', language) };
  const seconds = Math.round((now - stat.mtimeMs) / 1000);
  const stale = now - stat.mtimeMs > STALE_MS;
  const detail = fill(template(stale ? 'cli.doctor.lock_stale' : 'cli.doctor.lock_held', language), { seconds });
  // A stale lock is broken by whoever comes next; it is only worth a word.
  return { name, state: stale ? 'warning' : 'ok', detail };
}

function writable(root: string, language: Language): Finding[] {
  const folder = fs.existsSync(folderOf(root)) ? folderOf(root) : root;
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return [];
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    return [
      { name: 'folder', state: 'wrong', detail: `${folder}: ${code}`, repair: fill(template('cli.doctor.writable', language), { folder }) },
    ];
  }
}

function leftovers(root: string, language: Language): Finding[] {
  const names = fs.existsSync(folderOf(root))
    ? fs.readdirSync(folderOf(root)).filter((name) => name.startsWith('state.json.corrupt-'))
    : [];
  if (names.length === 0) return [];
  return [
    {
      name: 'kept files',
      state: 'warning',
      detail: fill(template('cli.doctor.kept', language), { files: names.map((name) => path.join(FOLDER, name)).join(', ') }),
    },
  ];
}

/** What of the configuration does not fit: until it is mended its default holds, which is not what its writer wanted. */
function configuration(root: string, env: NodeJS.ProcessEnv, language: Language): Finding[] {
  const name = 'configuration';
  const { warnings } = readConfig(root, env);
  if (warnings.length === 0) {
    const there = fs.existsSync(path.join(root, CONFIG_FILE));
    const detail = fill(template(there ? 'cli.doctor.config_ok' : 'cli.doctor.config_none', language), { file: CONFIG_FILE });
    return [{ name, state: 'ok', detail }];
  }
  return warnings.map((warning): Finding => {
    const variable = warning.params?.name;
    const repair =
      variable === undefined
        ? fill(template('cli.doctor.config_repair', language), { file: warning.params?.file ?? CONFIG_FILE })
        : fill(template('cli.doctor.env_repair', language), { name: variable });
    return { name, state: 'wrong', detail: say(warning, language), repair };
  });
}

function hooksSeen(last: SessionFile | null, language: Language): Finding {
  const name = 'hooks firing';
  if (!last) return { name, state: 'ok', detail: template('cli.doctor.hooks_unknown', language) };
  const { session, hooks_seen: seen } = last;
  if (seen)
    return {
      name,
      state: 'ok',
      detail: fill(template('cli.doctor.hooks_seen', language), { session, time: new Date(seen).toISOString() }),
    };
  return {
    name,
    state: 'warning',
    detail: fill(template('cli.doctor.hooks_unseen', language), { session }),
    repair: template('cli.doctor.hooks_repair', language),
  };
}

/** State, configuration, lock, folder, kept files, hooks seen. */
export async function workTreeChecks({ cwd, env, now, language }: CliContext): Promise<Finding[]> {
  const root = rootOf(cwd);
  const found = readState(root);
  const last = found.kind === 'present' ? found.state : newestArchived(root);
  return [
    stateFinding(found, language),
    ...configuration(root, env, language),
    lockFinding(root, now().getTime(), language),
    hooksSeen(last, language),
    ...writable(root, language),
    ...leftovers(root, language),
  ];
}
