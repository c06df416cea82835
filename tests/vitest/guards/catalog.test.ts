import { describe, expect, test } from 'vitest';
import { catalog, formatMessage, guardsFor } from '../../../mcp-server/src/guards/catalog.ts';

const LANGUAGES = ['en', 'ja'] as const;
const each = catalog.guards.map((guard) => [guard.id, guard] as const);
const onCalls = each.filter(([, { layers }]) => !layers.includes('submit'));

describe('the catalog', () => {
  test('every guard from RG00 on is there once', () => {
    const ids = catalog.guards.map(({ id }) => id).sort();
    // RG18 and RG19 were never given.
    const numbers = Array.from({ length: 18 }, (_, n) => n);
    const wanted = [...numbers.map((n) => `RG${String(n).padStart(2, '0')}`), 'RG20'];
    expect(ids).toEqual(wanted);
  });

  test('what tampers with the gate is judged first, history before other writes', () => {
    const order = guardsFor({ gate: 'closed', step: 5, branch: true }, 'Bash').map(({ id }) => id);
    expect(order).toEqual(['RG06', 'RG07', 'RG04']);
  });

  test.each(each)('%s has its values in the order that facts.jq prints', (_, guard) => {
    expect(Object.keys(guard)).toEqual(['id', 'name', 'layers', 'verdict', 'applies', 'message', 'remedy']);
    expect([Object.keys(guard.message), Object.keys(guard.remedy)]).toEqual([LANGUAGES, LANGUAGES]);
  });

  test.each(each)('the texts of %s are ones that bash can split', (_, { message, remedy }) => {
    for (const text of [...Object.values(message), ...Object.values(remedy)]) expect(text).not.toMatch(/["\\\n]/);
  });

  test.each(each)('%s says in both languages what to do now', (_, { remedy }) => {
    expect(remedy.en).toMatch(/^Now: /);
    expect(remedy.ja).toMatch(/^次にすること: /);
    const commands = (text: string) =>
      [...text.matchAll(/\/readygate:[a-z]+|submit_phase|get_session_status|start_session/g)].map(String).sort();
    expect(commands(remedy.ja)).toEqual(commands(remedy.en));
  });

  test('a guard of the user’s commands sends to a terminal, not to the end of the session', () => {
    const guard = catalog.guards.find(({ id }) => id === 'RG06');
    expect(guard?.remedy.en).toMatch(/readygate command.*\(dashboard, statusline, clean, uninstall\).*terminal/);
    expect(guard?.remedy.ja).toContain('dashboard、statusline、clean、uninstall');
  });

  test.each(onCalls)('%s names itself, where the session is, and a way out that the user has', (_, guard) => {
    const values = { session: 's-1', phase: 'Q1', step: '6', tool: 'Edit', by: 'Edit', path: '/a\n{step}' };
    const parts = guard.applies.gate === 'none' ? ['start_session'] : ['Q1', '6', 's-1'];
    for (const language of LANGUAGES) {
      const text = formatMessage(guard, language, values);
      for (const part of [guard.id, guard.name, ...parts]) expect(text).toContain(part);
      expect(text).toMatch(/\/readygate:(override|abort)/);
      expect(text).not.toMatch(/\{(session|phase|tool|by|path)\}/);
      if (guard.message[language].includes('{path}')) expect(text).toContain('/a\\n{step}');
    }
  });
});
