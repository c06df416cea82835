import source from '../../../state/guards.json' with { type: 'json' };

/** The languages that messages exist in. */
export type Language = 'en' | 'ja';

/** When a guard looks at a call; an empty list of steps means every step. */
export interface Applies {
  /** `none`: outside any session. */
  readonly gate: string;
  readonly steps: readonly number[];
  readonly tools: readonly string[];
  /** The effects it refuses. */
  readonly kinds: readonly string[];
  /** The steps it holds at in a session without a task branch; where this is missing, a branch does not matter. */
  readonly branchless_steps?: readonly number[];
  /** `readers`: only agents of a pipeline whose role does not edit. Where this is missing, whoever calls. */
  readonly callers?: string;
}

/** One entry of state/guards.json. */
export interface Guard {
  readonly id: string;
  readonly name: string;
  readonly layers: readonly string[];
  readonly verdict: string;
  readonly applies: Applies;
  readonly message: Readonly<Record<Language, string>>;
  readonly remedy: Readonly<Record<Language, string>>;
}

/** What tells a foreign MCP tool that changes files; words stand in one text each. */
export interface McpWords {
  /** How the plugin's own tools begin. */
  readonly own: string;
  readonly verbs: string;
  readonly objects: string;
  readonly never: string;
  readonly names: string;
  /** Names of nothing but these words, with at least one verb, on tools that get a path. */
  readonly plain_verbs: string;
  readonly plain_fillers: string;
  /** Tools of a git server, and the arguments that name its repository. */
  readonly git_history: string;
  readonly git_files: string;
  readonly git_paths: string;
  /** The same for tools that run commands: words of their names, and the arguments that hold the command and its folder. */
  readonly shell_verbs: string;
  readonly shell_objects: string;
  readonly shell_names: string;
  readonly commands: string;
  readonly folders: string;
  /** Arguments that name files. */
  readonly paths: string;
}

/** The catalog that both layers read. */
export interface Catalog {
  readonly schema: number;
  /** Which field of a file tool's input names the file. */
  readonly file_tools: Readonly<Record<string, string>>;
  /** Which field of a shell tool's input holds the command. */
  readonly shell_tools: Readonly<Record<string, string>>;
  /** Tools whose text can come back as a prompt. */
  readonly message_tools: readonly string[];
  readonly mcp: McpWords;
  /** In place of a guard's message, where a command is too long or too deeply nested to be read to its end. */
  readonly unread: Readonly<Record<Language, string>>;
  /** In place of a guard's remedy, where it only warns. */
  readonly warned: Readonly<Record<Language, string>>;
  /** In the order of judgement. */
  readonly guards: readonly Guard[];
}

/** What the placeholders of a message stand for. */
export type MessageValues = Readonly<Record<'session' | 'phase' | 'step' | 'tool' | 'by' | 'path', string>>;

/** Where a session stands, as far as guards depend on it. */
export interface Standing {
  readonly gate: string;
  readonly step: number | null;
  /** Whether it has a task branch. */
  readonly branch: boolean;
  /** Whether the call is made by an agent whose role does not edit. */
  readonly reader?: boolean;
}

export const catalog: Catalog = source;

/** The field of `tool`'s input that names a file, if it is a file tool. */
export function fileField(tool: string): string | undefined {
  return Object.hasOwn(catalog.file_tools, tool) ? catalog.file_tools[tool] : undefined;
}

function holds({ gate, steps, tools, branchless_steps, callers }: Applies, at: Standing, tool: string): boolean {
  if (gate !== 'any' && gate !== at.gate) return false;
  if (!tools.includes(tool)) return false;
  if (callers === 'readers' && at.reader !== true) return false;
  if (steps.length > 0 && (at.step === null || !steps.includes(at.step))) return false;
  return at.branch || branchless_steps === undefined || (at.step !== null && branchless_steps.includes(at.step));
}

/**
 * The guards that look at a tool where a session stands, in the order of judgement.
 * @param tool the tool's name, or the name of its family: `mcp__*`
 */
export function guardsFor(at: Standing, tool: string): Guard[] {
  return catalog.guards.filter(({ applies }) => holds(applies, at, tool));
}

/** The text of a refusal: which guard, what happened and where, what to do now, the way out. */
export function formatMessage(guard: Guard, language: Language, values: MessageValues): string {
  const shown: MessageValues = { ...values, path: values.path.replaceAll('\n', '\\n') };
  const fill = (text: string) => text.replace(/\{(session|phase|step|tool|by|path)\}/g, (_, key: keyof MessageValues) => shown[key]);
  return `Readygate ${guard.id} ${guard.name}: ${fill(guard.message[language])} ${fill(guard.remedy[language])}`;
}
