// A repository of generated files in several languages, the same every time: what code intelligence is measured on.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const NOUNS = ['order', 'invoice', 'customer', 'price', 'stock', 'basket', 'parcel', 'refund', 'coupon', 'ledger', 'address', 'session'];
const VERBS = ['load', 'store', 'check', 'merge', 'split', 'render', 'parse', 'send', 'count', 'sort'];

/** A small generator with a seed, so that every run sees the same files. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % below;
  };
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);

const WRITERS = {
  ts: (at, name, names) => `import { ${names[1]} } from './file${Math.max(0, at - 5)}.ts';

/** Keeps what belongs to one ${name}. */
export class ${capital(name)}${at} {
  #items: string[] = [];

${names.map((each) => `  /** ${capital(each)} what is there. */\n  ${each}(input: string, limit = ${at}): string[] {\n    const found = this.#items.filter((item) => item.includes(input));\n    return found.slice(0, limit);\n  }`).join('\n\n')}
}

export function ${names[1]}(input: string): ${capital(name)}${at} {
  const made = new ${capital(name)}${at}();
  made.${names[0]}(input);
  return made;
}
`,
  py: (at, name, names) => `"""Everything about one ${name}."""
import os


class ${capital(name)}${at}:
    """Keeps what belongs to one ${name}."""

    def __init__(self, items=None):
        self.items = items or []

${names.map((each) => `    def ${each}(self, value, limit=${at}):\n        """${capital(each)} what is there."""\n        found = [item for item in self.items if value in item]\n        return found[:limit]`).join('\n\n')}


def ${names[1]}_all(value):
    return ${capital(name)}${at}([os.fspath(value)]).${names[0]}(value)
`,
  go: (at, name, names) => `package generated

import "strings"

// ${capital(name)}${at} keeps what belongs to one ${name}.
type ${capital(name)}${at} struct {
	items []string
}

${names.map((each) => `// ${capital(each)} what is there.\nfunc (o *${capital(name)}${at}) ${capital(each)}(value string) []string {\n\tvar found []string\n\tfor _, item := range o.items {\n\t\tif strings.Contains(item, value) {\n\t\t\tfound = append(found, item)\n\t\t}\n\t}\n\treturn found\n}`).join('\n\n')}
`,
  java: (at, name, names) => `package generated;

import java.util.ArrayList;
import java.util.List;

/** Keeps what belongs to one ${name}. */
public class ${capital(name)}${at} {
    private final List<String> items = new ArrayList<>();

${names.map((each) => `    public List<String> ${each}(String value) {\n        List<String> found = new ArrayList<>();\n        for (String item : items) {\n            if (item.contains(value)) found.add(item);\n        }\n        return found;\n    }`).join('\n\n')}
}
`,
  c: (at, name, names) => `#include <string.h>

struct ${name}${at} {
    const char *items[16];
    int count;
};

${names.map((each) => `/* ${capital(each)} what is there. */\nint ${each}_${name}${at}(const struct ${name}${at} *of, const char *value)\n{\n    int found = 0;\n    for (int i = 0; i < of->count; i++) {\n        if (strstr(of->items[i], value)) found++;\n    }\n    return found;\n}`).join('\n\n')}
`,
};

/** Writes `count` files below `folder`, as a git repository with everything committed. */
export function makeLargeRepository(folder, count) {
  const below = random(42);
  const kinds = Object.keys(WRITERS);
  fs.mkdirSync(folder, { recursive: true });
  for (let at = 0; at < count; at++) {
    const kind = kinds[at % kinds.length];
    const own = path.join(folder, `area${at % 50}`, kind);
    if (at < 50 * kinds.length) fs.mkdirSync(own, { recursive: true });
    const name = NOUNS[below(NOUNS.length)];
    const names = Array.from({ length: 4 }, () => `${VERBS[below(VERBS.length)]}${capital(NOUNS[below(NOUNS.length)])}`);
    fs.mkdirSync(own, { recursive: true });
    fs.writeFileSync(path.join(own, `file${at}.${kind}`), WRITERS[kind](at, name, [...new Set(names), 'again']));
  }
  commitAll(folder);
}

export function commitAll(folder) {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args) => execFileSync('git', args, { cwd: folder, stdio: 'pipe', env });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'bench');
  git('config', 'user.email', 'bench@example.invalid');
  git('add', '-A');
  git('commit', '-q', '-m', 'all');
}
