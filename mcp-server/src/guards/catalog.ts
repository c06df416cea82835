import source from '../../../state/guards.json' with { type: 'json' };

/** The languages that messages exist in. */
export type Language = 'en' | 'ja';

/** One entry of state/guards.json. */
export interface Guard {
  readonly id: string;
  readonly name: string;
  readonly layers: readonly string[];
  readonly verdict: string;
  readonly applies: { readonly gate: string; readonly steps: readonly number[]; readonly tools: readonly string[] };
  readonly message: Readonly<Record<Language, string>>;
  readonly remedy: Readonly<Record<Language, string>>;
}

/** The catalog that both layers read. */
export interface Catalog {
  readonly schema: number;
  /** Which field of a file tool's input names the file. */
  readonly file_tools: Readonly<Record<string, string>>;
  readonly guards: readonly Guard[];
}

/** What the placeholders of a message stand for. */
export type MessageValues = Readonly<Record<'session' | 'phase' | 'step' | 'tool' | 'path', string>>;

export const catalog: Catalog = source;

/** The field of `tool`'s input that names a file, if it is a file tool. */
export function fileField(tool: string): string | undefined {
  return Object.hasOwn(catalog.file_tools, tool) ? catalog.file_tools[tool] : undefined;
}

/** The first denying guard for this tool at this gate and step. */
export function denyingGuard(gate: string, step: number | null, tool: string): Guard | undefined {
  return catalog.guards.find(
    ({ verdict, applies }) =>
      verdict === 'deny' && applies.gate === gate && step !== null && applies.steps.includes(step) && applies.tools.includes(tool),
  );
}

/** The text of a refusal: which guard, what happened and where, what to do now, the way out. */
export function formatMessage(guard: Guard, language: Language, values: MessageValues): string {
  const shown: MessageValues = { ...values, path: values.path.replaceAll('\n', '\\n') };
  const fill = (text: string) => text.replace(/\{(session|phase|step|tool|path)\}/g, (_, key: keyof MessageValues) => shown[key]);
  return `Readygate ${guard.id} ${guard.name}: ${fill(guard.message[language])} ${fill(guard.remedy[language])}`;
}
