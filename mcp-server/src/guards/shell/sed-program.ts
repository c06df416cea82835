/** What a sed program does besides editing its stream. */
export interface SedEffects {
  files: string[];
  commands: string[];
}

/** Finds the `w` and `e` commands and flags of a sed program. */
export function sedEffects(program: string): SedEffects {
  const effects: SedEffects = { files: [], commands: [] };
  let at = 0;
  const lineEnd = (): string => {
    const end = program.indexOf('\n', at);
    const text = program.slice(at, end < 0 ? undefined : end);
    at = end < 0 ? program.length : end;
    return text.trim();
  };
  const delimited = (close: string): string => {
    const from = at;
    let bracket = false;
    while (at < program.length && (program[at] !== close || bracket)) {
      if (program[at] === '\\') at++;
      else if (program[at] === '[' && close === '/') bracket = true;
      else if (program[at] === ']') bracket = false;
      at++;
      // An unclosed bracket is no bracket.
      if (at >= program.length && bracket) {
        bracket = false;
        at = from;
        while (at < program.length && program[at] !== close) at += program[at] === '\\' ? 2 : 1;
      }
    }
    return program.slice(from, at++);
  };
  while (at < program.length) {
    const char = program[at++] ?? '';
    if (/[\s;{}!,$+~0-9]/.test(char)) continue;
    if (char === '#') lineEnd();
    else if (char === '/' || char === '\\') {
      delimited(char === '/' ? '/' : (program[at++] ?? ''));
      while (/[IM]/.test(program[at] ?? '')) at++;
    } else if (char === 's' || char === 'y') {
      const close = program[at++] ?? '';
      delimited(close);
      const replacement = delimited(close);
      while (char === 's' && /[a-zA-Z0-9]/.test(program[at] ?? '')) {
        const flag = program[at++];
        if (flag === 'w') {
          effects.files.push(lineEnd());
          break;
        }
        if (flag === 'e') effects.commands.push(replacement);
      }
    } else if (char === 'w' || char === 'W') effects.files.push(lineEnd());
    else if (char === 'e') effects.commands.push(lineEnd());
    else if (/[aicrR]/.test(char)) {
      for (let text = lineEnd(); text.endsWith('\\') && at < program.length; text = lineEnd()) at++;
    } else if (/[btT:]/.test(char)) while (at < program.length && !/[;\n}]/.test(program[at] ?? '')) at++;
  }
  return effects;
}
