/** A project with an active session, and the host's hooks as the real client sends them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerEntry, ToolFields } from '../../../mcp-server/src/evidence/entry.ts';
import { readLedger } from '../../../mcp-server/src/evidence/ledger.ts';
import { onTool } from '../../../mcp-server/src/evidence/on-tool.ts';
import { type Clock, type Weighed, type Weighing, weighEvidence } from '../../../mcp-server/src/evidence/weigh.ts';
import { makeRepository, type Sandbox } from '../git/sandbox.ts';

export const SESSION = '20260101-000000-abcdef';

/** The placeholders that the host has nothing for arrive as empty text. */
const EMPTY: Record<string, string> = Object.fromEntries(
  [
    'file_path',
    'notebook_path',
    'path',
    'paths',
    'pattern',
    'glob',
    'url',
    'command',
    'run_in_background',
    'task',
    'interrupted',
    'exit_note',
    'error',
    'agent_id',
  ].map((key) => [key, '']),
);

/** Time stands still and moves when told, so that nothing here waits. */
class TestClock implements Clock {
  private time = 1_000_000;
  paused = 0;
  /** What happens while the check waits. */
  meanwhile: () => void = () => {};

  now = (): number => this.time;

  pause = async (ms: number): Promise<void> => {
    this.paused += ms;
    this.time += ms;
    this.meanwhile();
  };

  pass(ms: number): void {
    this.time += ms;
  }
}

export class Project {
  readonly box: Sandbox;
  readonly clock = new TestClock();

  constructor(
    files: Record<string, string> = {
      'src/a.ts': 'one\ntwo\nthree\n',
      'src/deep/b.ts': 'b\n',
      'docs/guide.md': 'guide\n',
      'README.md': 'read me\n',
    },
  ) {
    this.box = makeRepository(files);
    mkdirSync(join(this.root, '.readygate/sessions', SESSION), { recursive: true });
    writeFileSync(
      join(this.root, '.readygate/state.json'),
      `{"gate":"closed","phase":"EXPLORATION","step":5,"session":"${SESSION}","rev":3,\n"schema":1}\n`,
    );
  }

  get root(): string {
    return this.box.root;
  }

  at(path: string): string {
    return join(this.root, path);
  }

  hook(fields: ToolFields, event = 'PostToolUse'): boolean {
    this.clock.pass(1000);
    const edge = { projectDir: this.root, now: () => new Date(this.clock.now()) };
    return onTool(edge, { ...EMPTY, event, cwd: this.root, duration_ms: '10', ...fields });
  }

  read(path: string): void {
    this.hook({ tool_name: 'Read', file_path: this.at(path) });
  }

  edit(path: string): void {
    this.hook({ tool_name: 'Edit', file_path: this.at(path) });
  }

  bash(command: string, exit = 0, more: ToolFields = {}): void {
    const failed = exit === 0 ? {} : { error: `Exit code ${exit}\nwhat it printed` };
    this.hook({ tool_name: 'Bash', command, ...failed, ...more }, exit === 0 ? 'PostToolUse' : 'PostToolUseFailure');
  }

  ledger(): LedgerEntry[] {
    return readLedger(this.root, SESSION);
  }

  weigh(weighing: Partial<Weighing> & Pick<Weighing, 'check' | 'data'>): Promise<Weighed> {
    return weighEvidence({
      mode: 'strict',
      root: this.root,
      session: SESSION,
      language: 'en',
      words: [],
      since: 0,
      changed: null,
      clock: this.clock,
      ...weighing,
    });
  }

  /** The keys and pointers of what is refused; `[]` when nothing is. */
  async refused(weighing: Partial<Weighing> & Pick<Weighing, 'check' | 'data'>): Promise<string[]> {
    const { refusal } = await this.weigh(weighing);
    return (refusal?.problems ?? []).map(({ pointer, message }) => `${pointer} ${message.key.replace('problem.evidence_', '')}`);
  }
}
