/** A project on which a server works until it is killed at a point, and what must be true of it in the end. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { emptyFolder, makeRepository, USERS_FILES, usersWork } from '../git/sandbox.ts';
import type { Answer, Host } from '../server/host.ts';
import { placeOf, usualReply, World } from '../session/world.ts';

const PRELOAD = fileURLToPath(new URL('crash.cjs', import.meta.url));

export interface LogLine {
  point?: number;
  what?: string;
  running?: number[];
}

/** A project with everything that could be lost: the user's work, a stale branch, a file that will be discarded. */
export class Project {
  readonly world: World;
  readonly users: ReturnType<typeof usersWork>;
  readonly picture: Record<string, string>;
  readonly first: string;
  readonly stale: string;
  readonly #hosts: Host[] = [];
  readonly log = join(emptyFolder('log'), 'points.jsonl');

  constructor() {
    const box = makeRepository({ ...USERS_FILES, 'readme.md': 'hello\n' });
    this.first = box.head();
    box.git('switch', '-q', '-c', 'readygate/old');
    this.stale = box.commit('of an earlier session');
    box.git('config', 'branch.readygate/old.readygateBase', 'main');
    box.git('switch', '-q', 'main');
    this.world = new World(box, { 'hello.txt': 'hello\n', 'junk.txt': 'to be discarded\n' });
    this.users = usersWork(box);
    this.picture = this.users.picture();
    writeFileSync(this.log, '');
  }

  async host(at = -1): Promise<Host> {
    const env = { NODE_OPTIONS: `--require "${PRELOAD}"`, CRASH_ROOT: this.world.root, CRASH_AT: String(at), CRASH_LOG: this.log };
    const host = await this.world.host({ env: at < 0 ? {} : env });
    this.#hosts.push(host);
    return host;
  }

  /** Ends the servers, which would else run until the whole test ends. */
  async close(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.close()));
  }

  points(): LogLine[] {
    return readFileSync(this.log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LogLine);
  }

  reply(answer: Answer): Record<string, unknown> {
    switch (placeOf(answer)) {
      case 'BRANCH_INTERVENTION':
        return { choice: 'delete' };
      case 'PRE_COMMIT': {
        const changed = this.world.changed().filter((path) => !this.users.paths.includes(path));
        const reviewed = changed.map((path) => (path === 'junk.txt' ? { path, decision: 'discard', reason: 'not wanted' } : path));
        return { reviewed_files: reviewed, commit_message: 'Add a greeting' };
      }
      default:
        return usualReply(this.world, answer);
    }
  }
}

/** Waits until the programs that a killed server had started have come to their own end. */
async function ended(pids: number[]): Promise<void> {
  for (const pid of pids) {
    // A process that nobody has buried yet is a zombie: ended.
    while (/^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim())) await pause(20);
  }
}

/** The lock of a killed server goes stale after ten seconds; nobody has to wait for them here. */
function tenSecondsLater(world: World): void {
  const before = new Date(Date.now() - 11_000);
  for (const name of ['state.json.lock', 'state.json.lock.break'])
    if (existsSync(world.path(name))) utimesSync(world.path(name), before, before);
}

/** After a server died: waits for what it had started, and lets its lock grow old. */
export async function afterDeath(project: Project): Promise<void> {
  await ended(project.points().at(-1)?.running ?? []);
  tenSecondsLater(project.world);
}

/** Whether a call failed because the server is gone. */
export const isDeath = (error: unknown): boolean => /closed/i.test(String(error));

/** The copies of the discarded file that the session kept. */
export function discarded(world: World, session: string): string[] {
  const base = world.path('sessions', session, 'discarded');
  const files = existsSync(base) ? readdirSync(base, { recursive: true, encoding: 'utf8' }) : [];
  return files.filter((name) => /\d\/files\/junk\.txt$/.test(name)).map((name) => readFileSync(join(base, name), 'utf8'));
}

/** What must be true at the end, wherever the server died. */
export function expectAllWell({ world, users, picture, first, stale }: Project, answer: Answer): void {
  const { box } = world;
  expect(answer.outcome).toBe('completed');
  expect(box.branches()).toEqual(['main']);
  expect(box.branch()).toBe('main');
  expect(box.git('log', '--no-merges', '--format=%s', `${first}..main`)).toBe('Add a greeting\n');
  expect(box.line('rev-list', '--count', '--merges', 'main')).toBe('1');
  expect(box.committed('main')).toEqual(['hello.txt']);
  expect(box.has('junk.txt')).toBe(false);
  expect(discarded(world, answer.session_id)).toContain('to be discarded\n');
  expect(box.git('for-each-ref', '--format=%(objectname)', 'refs/readygate/trash')).toContain(stale);
  expect(users.picture()).toEqual(picture);
  const left = readdirSync(world.path()).filter((name) => name !== 'sessions');
  expect(left).toEqual([]);
  const ghosts = world.sessions().filter((session) => !existsSync(world.path('sessions', session, 'state.json')));
  expect(ghosts).toEqual([]);
}
