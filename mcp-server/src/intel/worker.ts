/** plugin/intel.cjs: the thread that holds the index and answers the tools, so that the server stays free for the hooks. */
import { parentPort } from 'node:worker_threads';
import { ImportGraph } from './graph/import-graph.ts';
import { CodeIndex } from './index/code-index.ts';
import { placeOfIndex } from './index/place.ts';
import type { Progress } from './index/progress.ts';
import type { IntelAnswer, IntelCall, IntelProgress } from './protocol.ts';
import { analyzeImpact } from './tools/analyze-impact.ts';
import { type Answer, say, ToolProblem } from './tools/answer.ts';
import type { ToolContext } from './tools/context.ts';
import { findDefinitions } from './tools/find-definitions.ts';
import { findReferences } from './tools/find-references.ts';
import { getSymbols } from './tools/get-symbols.ts';
import { reviewChanges } from './tools/review-changes.ts';
import { searchFiles } from './tools/search-files.ts';
import { searchText } from './tools/search-text.ts';
import { semanticSearch } from './tools/semantic-search.ts';
import { reportOf, syncIndex } from './tools/sync-index.ts';

interface Tree {
  index: CodeIndex;
  graph: { made: ImportGraph; version: number } | null;
}

const trees = new Map<string, Promise<Tree>>();

function treeOf(root: string): Promise<Tree> {
  const there = trees.get(root);
  if (there) return there;
  const made = placeOfIndex(root).then((folder) => ({ index: new CodeIndex(root, folder), graph: null }));
  trees.set(root, made);
  made.catch(() => trees.delete(root));
  return made;
}

function graphOf(tree: Tree): ImportGraph {
  const { version } = tree.index;
  if (tree.graph?.version !== version) tree.graph = { version, made: tree.index.query((db) => new ImportGraph(db, tree.index.root)) };
  return tree.graph.made;
}

/** A progress that nobody can see yet is no news. */
const TELL_EVERY_MS = 200;

function teller(id: number): (done: number, total: number) => void {
  let last = 0;
  return (done, total) => {
    if (Date.now() - last < TELL_EVERY_MS && done < total) return;
    last = Date.now();
    parentPort?.postMessage({ id, done, total } satisfies IntelProgress);
  };
}

/** The arguments were held against the tool's schema where they came in. */
const as = <T>(args: Record<string, unknown>): T => args as T;

function run(context: ToolContext, { tool, args, session }: IntelCall): Promise<Answer> | Answer {
  switch (tool) {
    case 'search_text':
      return searchText(context, as(args));
    case 'search_files':
      return searchFiles(context, as(args));
    case 'find_definitions':
      return findDefinitions(context, as(args));
    case 'find_references':
      return findReferences(context, as(args));
    case 'get_symbols':
      return getSymbols(context, as(args));
    case 'semantic_search':
      return semanticSearch(context, as(args));
    case 'analyze_impact':
      return analyzeImpact(context, as(args));
    case 'review_changes':
      return reviewChanges(context, as(args), session ?? null);
    case 'sync_index':
      return syncIndex(context, as(args));
    default:
      return { text: '', wire: {}, data: { ...reportOf(context) }, paths: [] };
  }
}

/** What needs no index does not wait for one. */
const INDEX_FREE = new Set<IntelCall['tool']>(['search_files', 'review_changes']);

async function progressFor(index: CodeIndex, { tool, args, id }: IntelCall): Promise<Progress> {
  // Text is looked for in the files themselves, which only have to be listed.
  if (tool === 'sync_index' || tool === 'search_text') return index.progress();
  if (tool === 'index' && args.wait === true) {
    const tell = teller(id);
    const end = index.onProgress(({ indexed, total }) => tell(indexed, total));
    try {
      return args.rebuild === true ? await index.rebuild(Number.POSITIVE_INFINITY) : await index.refresh(Number.POSITIVE_INFINITY);
    } finally {
      end();
    }
  }
  return index.refresh(INDEX_FREE.has(tool) || tool === 'index' ? 0 : undefined);
}

async function answer(call: IntelCall): Promise<IntelAnswer> {
  const { id, root, language, tool } = call;
  if (tool === 'close') {
    for (const tree of trees.values()) await (await tree).index.close();
    trees.clear();
    return { id, text: '', wire: {}, data: {}, paths: [] };
  }
  try {
    const tree = await treeOf(root);
    const progress = await progressFor(tree.index, call);
    const context: ToolContext = { index: tree.index, root, language, progress, graph: () => graphOf(tree), tell: teller(id) };
    return { id, ...(await run(context, call)) };
  } catch (error) {
    if (error instanceof ToolProblem)
      return { id, text: '', wire: {}, data: {}, paths: [], problem: say(language, error.key, error.params) };
    process.stderr.write(`readygate: ${(error as Error).stack ?? String(error)}\n`);
    return {
      id,
      text: '',
      wire: {},
      data: {},
      paths: [],
      problem: say(language, 'error.internal', { detail: (error as Error).message.slice(0, 500) }),
    };
  }
}

parentPort?.on('message', async (call: IntelCall) => {
  parentPort?.postMessage(await answer(call));
});
