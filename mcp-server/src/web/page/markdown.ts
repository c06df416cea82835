/**
 * Markdown as elements. The model wrote it, so nothing of it becomes markup: HTML in it stays text, addresses that are
 * not plain web addresses stay text, images are named but not loaded, and no string is ever parsed as HTML.
 */
import MarkdownIt from 'markdown-it';
import { type ComponentChild, h } from 'preact';

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false });
type Token = ReturnType<typeof parser.parse>[number];

const WEB = /^(?:https?:\/\/|mailto:)/i;

/** The page has headings of its own above these. */
const HEADINGS: Record<string, string> = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6', h6: 'h6' };
const TAGS = new Set([
  ...['p', 'ul', 'ol', 'li', 'blockquote', 'em', 'strong', 's', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'h3', 'h4', 'h5', 'h6'],
]);

interface Open {
  tag: string;
  props: Record<string, unknown>;
  children: ComponentChild[];
}

function opened(token: Token): Open {
  if (token.type === 'link_open') {
    const href = String(token.attrGet('href') ?? '');
    const props = WEB.test(href) ? { href, target: '_blank', rel: 'noopener noreferrer nofollow', title: href } : { title: href };
    return { tag: WEB.test(href) ? 'a' : 'span', props, children: [] };
  }
  const tag = HEADINGS[token.tag] ?? token.tag;
  const start = token.type === 'ordered_list_open' ? token.attrGet('start') : null;
  const align = /text-align:(left|right|center)/.exec(String(token.attrGet('style') ?? ''))?.[1];
  const props = { ...(start === null ? {} : { start: Number(start) }), ...(align ? { class: `to-${align}` } : {}) };
  return { tag: TAGS.has(tag) ? tag : 'div', props, children: [] };
}

/** What a token without an end of its own shows. */
function leaf(token: Token): ComponentChild[] {
  switch (token.type) {
    case 'inline':
      return nest(token.children ?? []);
    case 'softbreak':
      return ['\n'];
    case 'hardbreak':
      return [h('br', null)];
    case 'hr':
      return [h('hr', null)];
    case 'code_inline':
      return [h('code', null, token.content)];
    case 'fence':
    case 'code_block':
      return [h('pre', { tabIndex: 0 }, h('code', null, token.content))];
    case 'image':
      return [h('span', { class: 'image', title: String(token.attrGet('src') ?? '') }, `[${token.content}]`)];
    default:
      return [token.content];
  }
}

function nest(tokens: readonly Token[]): ComponentChild[] {
  const root: Open = { tag: '', props: {}, children: [] };
  const open: Open[] = [root];
  for (const token of tokens) {
    const here = open.at(-1) ?? root;
    if (token.nesting === 1) open.push(token.hidden ? { tag: '', props: {}, children: [] } : opened(token));
    else if (token.nesting === -1 && open.length > 1) {
      const { tag, props, children } = open.pop() as Open;
      // A paragraph of a tight list is hidden: only what it holds is shown.
      (open.at(-1) ?? root).children.push(...(tag === '' ? children : [element(tag, props, children)]));
    } else if (token.nesting === 0) here.children.push(...leaf(token));
  }
  return root.children;
}

const element = (tag: string, props: Record<string, unknown>, children: ComponentChild[]): ComponentChild =>
  tag === 'table' ? h('div', { class: 'wide', tabIndex: 0 }, h(tag, props, ...children)) : h(tag, props, ...children);

/** @returns elements to show; never throws for any text */
export const renderMarkdown = (text: string): ComponentChild[] => nest(parser.parse(text, {}));
