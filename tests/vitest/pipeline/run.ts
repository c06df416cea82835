/** A pipeline session in a real repository, without a protocol between: the model's part is an orchestrator and its agents. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from '../../../mcp-server/src/session/callers.ts';
import type { AskPerson, Edge } from '../../../mcp-server/src/session/edge.ts';
import { saveArtifact } from '../../../mcp-server/src/session/save-artifact.ts';
import { startSession } from '../../../mcp-server/src/session/start.ts';
import { sessionStatus } from '../../../mcp-server/src/session/status.ts';
import { submitPhase } from '../../../mcp-server/src/session/submit.ts';
import type { Answer } from '../server/host.ts';
import { placeOf, usualReply, World } from '../session/world.ts';
import { goodText, ONE_TASK, type Planned, taskList } from './texts.ts';

export interface RunOptions {
  tasks?: Planned[];
  ask?: AskPerson;
}

interface Saved {
  [key: string]: unknown;
  error?: string;
  message: string;
  problems?: { pointer: string; message: string }[];
}

export class Run {
  readonly world: World;
  readonly edge: Edge;
  tasks: Planned[];
  /** Everything that the orchestrator received. */
  readonly received: Answer[] = [];
  /** Agents in the order of their artifacts. */
  readonly agents: string[] = [];
  /** Instead of the usual text. */
  texts: Record<string, string | (() => string)> = {};

  constructor({ tasks = ONE_TASK, ask = async () => 'unavailable' as const }: RunOptions = {}, world: World = new World()) {
    this.world = world;
    this.tasks = tasks;
    this.edge = { now: () => new Date(), projectDir: world.root, owner: 'claude-1', language: 'en', ask };
  }

  async start(request = 'add a greeting', more: Record<string, unknown> = {}): Promise<Answer> {
    return this.#got(await startSession(this.edge, { request, intent: 'IMPLEMENT', pipeline: true, ...more }));
  }

  async submit(data: unknown): Promise<Answer> {
    return this.#got(await submitPhase(this.edge, { data }));
  }

  async status(): Promise<Answer> {
    return (await sessionStatus(this.edge, {})) as Answer;
  }

  async save(name: string, content = this.text(name), caller: Caller | null = null): Promise<Saved> {
    return (await saveArtifact(this.edge, { name, content }, caller)) as Saved;
  }

  text(name: string): string {
    const given = this.texts[name];
    return typeof given === 'function' ? given() : (given ?? goodText(name, this.tasks));
  }

  #got(answer: unknown): Answer {
    this.received.push(answer as Answer);
    return answer as Answer;
  }

  get session(): string {
    return this.received.find(({ session_id }) => session_id !== null)?.session_id ?? '';
  }

  file(name: string): string {
    return this.world.path('sessions', this.session, name);
  }

  read(name: string): string {
    return readFileSync(this.file(name), 'utf8');
  }

  has(name: string): boolean {
    return existsSync(this.file(name));
  }

  /** What a sensible orchestrator sends. */
  reply(answer: Answer): unknown {
    if (answer.expected_payload.artifact !== undefined) return { artifact: answer.artifact };
    if (placeOf(answer) === 'READY.plan') return taskList(this.tasks);
    if (placeOf(answer) === 'READY.implement') {
      const { id } = answer.next_task as { id: string };
      for (const file of this.tasks.find((task) => task.id === id)?.files ?? [])
        this.world.box.write(file.endsWith('/') ? `${file}new.md` : file, `${id}\n`);
      return { task_id: id, summary: `did ${id}` };
    }
    return usualReply(this.world, answer);
  }

  /** Plays the agent that an answer names. */
  async agent(answer: Answer): Promise<void> {
    if (typeof answer.agent !== 'string') return;
    this.agents.push(answer.agent);
    const saved = await this.save(String(answer.artifact), undefined, { type: `readygate:${answer.agent}`, id: `a${this.agents.length}` });
    if (saved.error) throw new Error(`${answer.artifact}: ${saved.message} ${JSON.stringify(saved.problems)}`);
  }

  /** Goes on until it stands at this place, or is over, or is refused. */
  async until(place: string | null, from: Answer): Promise<Answer> {
    let answer = from;
    for (let step = 0; answer.error === undefined && answer.phase !== 'SESSION_COMPLETE' && placeOf(answer) !== place; step++) {
      if (step > 200) throw new Error(`does not end: ${placeOf(answer)}`);
      await this.agent(answer);
      answer = await this.submit(this.reply(answer));
    }
    return answer;
  }

  journal(): Record<string, unknown>[] {
    return this.world.journal(this.session);
  }

  state(): Record<string, unknown> {
    const active = join(this.world.root, '.readygate/state.json');
    return JSON.parse(readFileSync(existsSync(active) ? active : this.file('state.json'), 'utf8')) as Record<string, unknown>;
  }
}
