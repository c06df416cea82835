/** Small repositories for the tests of code intelligence. */
import { makeRepository, type Sandbox } from '../git/sandbox.ts';

/** A repository with these files, committed. */
export function repositoryWith(files: Record<string, string>): Sandbox {
  const box = makeRepository();
  for (const [path, content] of Object.entries(files)) box.write(path, content);
  box.git('add', '-A');
  box.git('commit', '-q', '-m', 'files');
  return box;
}

/** A little of everything, with one story: a price is worked out, used, tested and described. */
export const SHOP: Record<string, string> = {
  'src/price.ts': `/** Works out what a customer pays. */
export function priceOf(amount: number, customer: Customer): number {
  return amount * rateFor(customer);
}

export interface Customer {
  name: string;
  loyal: boolean;
}

function rateFor(customer: Customer): number {
  return customer.loyal ? 0.9 : 1;
}
`,
  'src/index.ts': "export { priceOf } from './price.ts';\nexport type { Customer } from './price.ts';\n",
  'src/cart.ts': `import { type Customer, priceOf } from './price.ts';

export class Cart {
  #amount = 0;

  add(amount: number): void {
    this.#amount += amount;
  }

  total(customer: Customer): number {
    // priceOf is not called in this comment
    return priceOf(this.#amount, customer);
  }
}
`,
  'src/other.ts':
    "const text = 'priceOf';\nexport const add = (a: number, b: number): number => a + b;\nexport const unrelated = { priceOf: 1 };\n",
  'src/checkout.ts':
    "import * as shop from './index.ts';\n\nexport const checkout = (amount: number): number => shop.priceOf(amount, { name: 'x', loyal: false });\n",
  'tests/price.test.ts':
    "import { priceOf } from '../src/price.ts';\n\ntest('a loyal customer pays less', () => {\n  expect(priceOf(100, { name: 'a', loyal: true })).toBe(90);\n});\n",
  'lib/shapes.py': `"""Shapes and their areas."""
import math


class Circle:
    """A round shape."""

    def __init__(self, radius):
        self.radius = radius

    def area(self):
        """How much room it takes."""
        return math.pi * self.radius ** 2
`,
  'lib/report.py': 'from lib.shapes import Circle\nimport lib.shapes\n\n\ndef describe():\n    return Circle(2).area()\n',
  'cmd/main.go': 'package main\n\nimport "example.com/shop/stock"\n\nfunc main() {\n\tstock.Count()\n}\n',
  'stock/stock.go': 'package stock\n\n// Count says how many there are.\nfunc Count() int {\n\treturn hidden()\n}\n',
  'stock/hidden.go': 'package stock\n\nfunc hidden() int { return 3 }\n',
  'go.mod': 'module example.com/shop\n\ngo 1.22\n',
  'docs/guide.md': '# Guide\n\n## Prices\n\nprice.ts works out prices with priceOf.\n\n## 料金\n\n割引は会員だけに適用されます。\n',
  'README.md': '# Shop\n\nSells things.\n',
  '.gitignore': 'ignored/\n',
};
