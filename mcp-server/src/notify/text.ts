/** A notice in words. Pure. */
import { fill, type Language, template } from '../messages/messages.ts';
import type { Notice } from '../pre-planning/notices.ts';
import type { Note } from '../pre-planning/types.ts';

type Row = Record<string, string | number>;

const MAX_CHARS = 8000;

const noteOf = (note: Note): string => (typeof note === 'string' ? note : JSON.stringify(note));

function notes(value: unknown, language: Language): string {
  const all = (value as Note[] | undefined) ?? [];
  return all.length > 0 ? all.map(noteOf).join(', ') : template('notice.none', language);
}

const rows = (value: unknown): Row[] => (value as Row[] | undefined) ?? [];

function assumed(row: Row): Row {
  return { id: row.info_id ?? '', value: row.assumed_value ?? '', reasoning: row.reasoning ?? '', confidence: row.confidence_percent ?? 0 };
}

function completedLines(data: Notice['data'], language: Language): string {
  const line = (key: string, row: Row): string => `\n${fill(template(key, language), { ...row, ...assumed(row) })}`;
  return [
    ...rows(data.collected).map((row) => line('notice.collected_line', row)),
    ...rows(data.assumed).map((row) => line('notice.assumed_line', row)),
    ...rows(data.gaps).map((row) => line('notice.gap_line', row)),
  ].join('');
}

/** The text of a notice for people. */
export function noticeText({ event, at, data }: Notice, session: string, language: Language): string {
  const say = (params: Row): string => fill(template(`notice.${event}`, language), params).slice(0, MAX_CHARS);
  switch (event) {
    case 'started':
      return say({ session, time: at });
    case 'understood':
      return say({
        type: String(data.task_type) || template('notice.none', language),
        goal: String(data.primary_goal) || template('notice.none', language),
        confidence: Number(data.confidence_percent),
        deliverables: notes(data.expected_deliverables, language),
        in_scope: notes(data.in_scope, language),
        out_of_scope: notes(data.out_of_scope, language),
      });
    case 'collection_started':
      return say({
        items: rows(data.items)
          .map((row) => `- ${row.info_id} (${row.category}): ${row.description}`)
          .join('\n'),
      });
    case 'assumed':
      return say(assumed(data as Row));
    case 'completed':
      return say({ session, time: at, lines: completedLines(data, language) });
  }
}
