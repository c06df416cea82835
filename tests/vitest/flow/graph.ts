/** A directed graph with labelled edges, large enough for a few million of them. */

export class Graph {
  readonly #ids = new Map<string, number>();
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #label: number[] = [];
  readonly #labels: string[] = [];

  get size(): number {
    return this.#ids.size;
  }

  get edges(): number {
    return this.#from.length;
  }

  get labels(): readonly string[] {
    return this.#labels;
  }

  has(key: string): boolean {
    return this.#ids.has(key);
  }

  /** The node's number; a new one is made when the key is new. */
  node(key: string): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#ids.set(key, this.#ids.size);
    return this.#ids.size - 1;
  }

  connect(from: number, to: number, label: string): void {
    let index = this.#labels.indexOf(label);
    if (index < 0) index = this.#labels.push(label) - 1;
    this.#from.push(from);
    this.#to.push(to);
    this.#label.push(index);
  }

  /** Edges as one block for each node, in one direction, without some labels. */
  #blocks(ends: number[], others: number[], without: ReadonlySet<string>): { start: Uint32Array; next: Uint32Array } {
    const kept = this.#labels.map((label) => !without.has(label));
    const start = new Uint32Array(this.size + 1);
    for (let edge = 0; edge < ends.length; edge++) if (kept[this.#label[edge] as number]) (start[(ends[edge] as number) + 1] as number)++;
    for (let node = 0; node < this.size; node++) start[node + 1] = (start[node + 1] as number) + (start[node] as number);
    const fill = start.slice();
    const next = new Uint32Array(start[this.size] as number);
    for (let edge = 0; edge < ends.length; edge++) {
      if (!kept[this.#label[edge] as number]) continue;
      const end = ends[edge] as number;
      next[fill[end] as number] = others[edge] as number;
      fill[end] = (fill[end] as number) + 1;
    }
    return { start, next };
  }

  /** Keys of nodes from which none of the targets can be reached. */
  stranded(targets: readonly number[], without: ReadonlySet<string>): string[] {
    const { start, next } = this.#blocks(this.#to, this.#from, without);
    const reached = new Uint8Array(this.size);
    const open = [...targets];
    for (const target of targets) reached[target] = 1;
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (let at = start[node] as number; at < (start[node + 1] as number); at++) {
        const before = next[at] as number;
        if (reached[before]) continue;
        reached[before] = 1;
        open.push(before);
      }
    }
    return [...this.#ids].filter(([, id]) => !reached[id]).map(([key]) => key);
  }

  /** The keys along one cycle that does without these labels, or null when there is none. */
  cycle(without: ReadonlySet<string>): string[] | null {
    const { start, next } = this.#blocks(this.#from, this.#to, without);
    const at = start.slice();
    const colour = new Uint8Array(this.size);
    for (let root = 0; root < this.size; root++) {
      if (colour[root]) continue;
      const path = [root];
      colour[root] = 1;
      for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
        const edge = at[node] as number;
        if (edge === start[node + 1]) {
          colour[node] = 2;
          path.pop();
          continue;
        }
        at[node] = edge + 1;
        const to = next[edge] as number;
        if (colour[to] === 1) return this.#keys([...path.slice(path.indexOf(to)), to]);
        if (colour[to] === 2) continue;
        colour[to] = 1;
        path.push(to);
      }
    }
    return null;
  }

  #keys(ids: readonly number[]): string[] {
    const keys = [...this.#ids.keys()];
    return ids.map((id) => keys[id] as string);
  }
}
