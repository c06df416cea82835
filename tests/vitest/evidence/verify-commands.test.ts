import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runVerifyCommands, settleVerification, type VerifyCommand } from '../../../mcp-server/src/evidence/verify-commands.ts';
import { StorageFailed } from '../../../mcp-server/src/state/session-file.ts';
import { Project, SESSION } from './project.ts';

const run = (project: Project, ...commands: VerifyCommand[]) => runVerifyCommands(commands, project.root, SESSION);

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A process that ended and that nobody has collected yet is not alive.
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** A killed process closes its files a moment before it is gone. */
const expectGone = (...pids: number[]): Promise<void> =>
  vi.waitFor(() => expect(pids.map(isAlive)).toEqual(pids.map(() => false)), { timeout: 20_000, interval: 5 });

describe('verify.commands', () => {
  it('run in the work tree, and their output is kept', async () => {
    const project = new Project();
    const [ok, bad] = await run(project, 'cat src/a.ts; echo oops >&2', { command: 'exit 3' });
    expect(ok).toMatchObject({
      command: 'cat src/a.ts; echo oops >&2',
      exit: 0,
      timed_out: false,
      log: project.at(`.readygate/sessions/${SESSION}/verify/1.log`),
    });
    expect(bad).toMatchObject({ exit: 3, timed_out: false });
    expect(readFileSync(ok?.log ?? '', 'utf8')).toMatch(
      /^\$ cat src\/a\.ts; echo oops >&2\none\ntwo\nthree\noops\n\n\[exit 0, [\d.]+ s\]\n$/,
    );
  });

  it('keep the logs of an earlier run', async () => {
    const project = new Project();
    await run(project, 'echo first');
    const [second] = await run(project, 'echo second');
    expect(second?.log).toMatch(/2\.log$/);
    expect(readFileSync(project.at(`.readygate/sessions/${SESSION}/verify/1.log`), 'utf8')).toContain('first');
  });

  it('are ended at their limit with all that they started', async () => {
    const project = new Project();
    const pids = project.at('pids');
    const [result] = await run(project, {
      command: `trap "" TERM; sleep 600 & echo $! > '${pids}'; echo $$ >> '${pids}'; wait`,
      timeout_seconds: 0.5,
    });
    expect(result).toMatchObject({ exit: null, timed_out: true });
    const [child, shell] = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
    await expectGone(child ?? 0, shell ?? 0);
    expect(readFileSync(result?.log ?? '', 'utf8')).toContain('stopped after 0.5 s');
  });

  it('leave nothing running behind', async () => {
    const project = new Project();
    const [result] = await run(project, `sleep 600 & echo $! > '${project.at('pid')}'`);
    expect(result).toMatchObject({ exit: 0, timed_out: false });
    await expectGone(Number(readFileSync(project.at('pid'), 'utf8')));
  });

  it('keep the beginning and the end of a huge output', async () => {
    const project = new Project();
    const [result] = await run(project, 'echo begin; yes 0123456789 | head -c 3000000; echo end');
    const text = readFileSync(result?.log ?? '', 'utf8');
    expect(text.length).toBeLessThan(600_000);
    expect(text).toMatch(/^\$ [^\n]*\nbegin\n/);
    expect(text).toMatch(/\[… \d+ bytes left out …\]/);
    expect(text).toMatch(/end\n\n\[exit 0/);
    expect(result?.tail.length).toBeLessThanOrEqual(1500);
  });

  it('do not reach into another repository through the environment', async () => {
    const project = new Project();
    process.env.GIT_DIR = '/nowhere';
    try {
      expect((await run(project, 'git rev-parse --show-toplevel'))[0]).toMatchObject({ exit: 0, tail: project.root });
    } finally {
      delete process.env.GIT_DIR;
    }
  });

  it('are not asked for anything', async () => {
    const project = new Project();
    expect((await run(project, 'read answer || echo nobody there'))[0]).toMatchObject({ exit: 0, tail: 'nobody there' });
  });

  it('throw when the log cannot be kept', async () => {
    const project = new Project();
    writeFileSync(project.at(`.readygate/sessions/${SESSION}/verify`), 'in the way');
    await expect(run(project, 'true')).rejects.toBeInstanceOf(StorageFailed);
    expect(existsSync(join(project.root, 'verify'))).toBe(false);
  });
});

describe('their result', () => {
  it('turns a false claim around, with what failed in the details', async () => {
    const project = new Project();
    const results = await run(project, 'echo fine', 'echo 1 of 3 failed; exit 1');
    const { data, overruled } = settleVerification({ passed: true, details: 'all well' }, results);
    expect(overruled).toBe(true);
    expect(data.passed).toBe(false);
    expect(data.details).toMatch(
      /^echo fine: exit 0 \([^\n]*1\.log\)\necho 1 of 3 failed; exit 1: exit 1 \([^\n]*2\.log\)\n1 of 3 failed\nall well$/,
    );
  });

  it('bears out an honest one', async () => {
    const { data, overruled } = settleVerification({ passed: true, details: 'all well' }, await run(new Project(), 'true'));
    expect([overruled, data.passed]).toEqual([false, true]);
  });

  it('counts a command that was stopped as failed', async () => {
    const { data } = settleVerification(
      { passed: true, details: '' },
      await run(new Project(), { command: 'sleep 600', timeout_seconds: 0.2 }),
    );
    expect(data).toMatchObject({ passed: false, details: expect.stringContaining('stopped at its time limit') });
  });
});
