// Markdown as a tree of plain data. It makes no HTML: whoever draws it makes text nodes. Raw HTML in it is text, pictures are not
// fetched, and a link is one only where it leads to http, https or mail.

export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'break' }
  | { readonly type: 'strong' | 'em' | 'strike'; readonly children: readonly Inline[] }
  | { readonly type: 'link'; readonly href: string; readonly children: readonly Inline[] }
  | { readonly type: 'image'; readonly alt: string; readonly href: string };

export interface Item {
  readonly checked: boolean | null;
  readonly children: readonly Block[];
}

export type Align = 'left' | 'center' | 'right' | null;

export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'quote'; readonly children: readonly Block[] }
  | { readonly type: 'list'; readonly ordered: boolean; readonly start: number; readonly items: readonly Item[] }
  | { readonly type: 'table'; readonly align: readonly Align[]; readonly head: readonly (readonly Inline[])[]; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly type: 'rule' };

// Deeper than this a document is a trick; the rest of it is text.
const DEEPEST = 12;

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const BULLET = /^( {0,3})([-*+]|\d{1,9}[.)])( +|\t|$)(.*)$/;
const QUOTE = /^ {0,3}>/;
const DELIMITER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** The address of a link, where it is one that can do no more than lead away. */
export function safeHref(href: string): string | null {
  const plain = href.trim();
  if (!/^(https?:\/\/|mailto:)/i.test(plain)) return null;
  try {
    const url = new URL(plain);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

interface Hit {
  readonly node: Inline;
  readonly end: number;
}

const text = (value: string): Inline => ({ type: 'text', text: value });

function codeAt(source: string, at: number): Hit | null {
  const run = /^`+/.exec(source.slice(at, at + 64))?.[0] ?? '';
  const close = source.indexOf(run, at + run.length);
  if (close < 0 || source[close + run.length] === '`') return null;
  const inside = source.slice(at + run.length, close).replaceAll('\n', ' ');
  const trimmed = inside.startsWith(' ') && inside.endsWith(' ') && inside.trim() !== '' ? inside.slice(1, -1) : inside;
  return { node: { type: 'code', text: trimmed }, end: close + run.length };
}

function linkAt(source: string, at: number, depth: number): Hit | null {
  const image = source[at] === '!';
  const from = at + (image ? 2 : 1);
  const close = source.indexOf('](', from);
  const end = close < 0 ? -1 : source.indexOf(')', close + 2);
  if (end < 0 || end - at > 4000 || source.slice(from, close).includes('[')) return null;
  const label = source.slice(from, close);
  const href = (source.slice(close + 2, end).trim().split(/\s/)[0] ?? '').replace(/^<|>$/g, '');
  if (image) return { node: { type: 'image', alt: label, href }, end: end + 1 };
  const safe = safeHref(href);
  const children = inlines(label, depth + 1);
  return { node: safe ? { type: 'link', href: safe, children } : { type: 'em', children: [text(`${label} (${href})`)] }, end: end + 1 };
}

const MARKS = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'strike'],
  ['*', 'em'],
  ['_', 'em'],
] as const;

function markAt(source: string, at: number, depth: number): Hit | null {
  for (const [mark, type] of MARKS) {
    if (!source.startsWith(mark, at)) continue;
    const from = at + mark.length;
    if (/\s/.test(source[from] ?? ' ')) return null;
    if (mark.startsWith('_') && /\w/.test(source[at - 1] ?? ' ')) return null;
    let close = source.indexOf(mark, from + 1);
    // A mark that is closed is closed soon: who looks through a whole document for each of its marks never comes to an end.
    for (let tries = 0; close > 0 && (/\s/.test(source[close - 1] ?? ' ') || (mark.length === 1 && source[close + 1] === mark)); tries += 1) {
      if (tries > 40) return null;
      close = source.indexOf(mark, close + (source[close + 1] === mark ? 2 : 1));
    }
    if (close < 0 || close - at > 20_000) return null;
    return { node: { type, children: inlines(source.slice(from, close), depth + 1) }, end: close + mark.length };
  }
  return null;
}

function addressAt(source: string, at: number): Hit | null {
  const match = /^https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]]/.exec(source.slice(at, at + 2000));
  const href = match ? safeHref(match[0]) : null;
  return match && href ? { node: { type: 'link', href, children: [text(match[0])] }, end: at + match[0].length } : null;
}

function hitAt(source: string, at: number, depth: number): Hit | null {
  const char = source[at];
  if (char === '\\' && /[!-/:-@[-`{-~]/.test(source[at + 1] ?? '')) return { node: text(source[at + 1] ?? ''), end: at + 2 };
  if (char === '\n') return { node: / {2}$/.test(source.slice(Math.max(0, at - 2), at)) ? { type: 'break' } : text(' '), end: at + 1 };
  if (char === '`') return codeAt(source, at);
  if (char === '[' || (char === '!' && source[at + 1] === '[')) return linkAt(source, at, depth);
  if (char === '*' || char === '_' || char === '~') return markAt(source, at, depth);
  if (char === 'h' && !/\w/.test(source[at - 1] ?? ' ')) return addressAt(source, at);
  return null;
}

/** The marks inside a paragraph. */
export function inlines(source: string, depth = 0): Inline[] {
  if (depth > DEEPEST) return [text(source)];
  const found: Inline[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') found.push(text(plain));
    plain = '';
  };
  const special = /[\\\n`[!*_~h]/g;
  let misses = 0;
  for (let at = 0; at < source.length; ) {
    special.lastIndex = at;
    const next = special.exec(source)?.index ?? source.length;
    plain += source.slice(at, next);
    at = next;
    if (at >= source.length) break;
    // What does not close is looked for to the end each time: after many misses the rest is text.
    const hit = misses < 2000 ? hitAt(source, at, depth) : null;
    if (hit) {
      if (hit.node.type === 'text') plain += hit.node.text;
      else {
        flush();
        found.push(hit.node);
      }
      at = hit.end;
    } else {
      if (source[at] !== 'h') misses += 1;
      plain += source[at];
      at += 1;
    }
  }
  flush();
  return found;
}

function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  const body = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === '\\' && body[at + 1] === '|') {
      cell += '|';
      at += 1;
    } else if (body[at] === '|') {
      cells.push(cell.trim());
      cell = '';
    } else cell += body[at];
  }
  cells.push(cell.trim());
  return cells;
}

class Reader {
  at = 0;
  readonly lines: readonly string[];
  readonly depth: number;

  constructor(lines: readonly string[], depth: number) {
    this.lines = lines;
    this.depth = depth;
  }

  peek(ahead = 0): string | undefined {
    return this.lines[this.at + ahead];
  }

  blocks(): Block[] {
    const found: Block[] = [];
    for (let line = this.peek(); line !== undefined; line = this.peek()) {
      if (line.trim() === '') this.at += 1;
      else found.push(this.block(line));
    }
    return found;
  }

  block(line: string): Block {
    const fence = FENCE.exec(line);
    if (fence) return this.fence(fence[1] ?? '```', (fence[2] ?? '').trim());
    const heading = HEADING.exec(line);
    if (heading) {
      this.at += 1;
      return { type: 'heading', level: (heading[1] ?? '#').length, children: inlines(heading[2] ?? '') };
    }
    if (RULE.test(line)) {
      this.at += 1;
      return { type: 'rule' };
    }
    if (this.depth < DEEPEST && QUOTE.test(line)) return this.quote();
    if (this.depth < DEEPEST && BULLET.test(line)) return this.list();
    const below = this.peek(1);
    if (line.includes('|') && below !== undefined && below.includes('-') && DELIMITER.test(below)) {
      if (cellsOf(line).length === cellsOf(below).length) return this.table(line, below);
    }
    return this.paragraph();
  }

  fence(mark: string, language: string): Block {
    this.at += 1;
    const kept: string[] = [];
    for (let line = this.peek(); line !== undefined; line = this.peek()) {
      this.at += 1;
      const trimmed = line.trim();
      if (trimmed.startsWith(mark) && trimmed.replaceAll(mark[0] ?? '`', '') === '') break;
      kept.push(line);
    }
    return { type: 'code', language, text: kept.join('\n') };
  }

  quote(): Block {
    const kept: string[] = [];
    for (let line = this.peek(); line !== undefined && QUOTE.test(line); line = this.peek()) {
      kept.push(line.replace(/^ {0,3}> ?/, ''));
      this.at += 1;
    }
    return { type: 'quote', children: new Reader(kept, this.depth + 1).blocks() };
  }

  list(): Block {
    const first = BULLET.exec(this.peek() ?? '');
    const kind = (mark: string) => mark.at(-1) ?? '-';
    const mark = first?.[2] ?? '-';
    const ordered = /\d/.test(mark);
    const items: Item[] = [];
    for (let line = this.peek(); line !== undefined; line = this.peek()) {
      const match = BULLET.exec(line);
      if (!match || kind(match[2] ?? '-') !== kind(mark) || RULE.test(line)) break;
      items.push(this.item(match));
    }
    return { type: 'list', ordered, start: ordered ? Number.parseInt(mark, 10) : 1, items };
  }

  item(match: RegExpExecArray): Item {
    const indent = (match[1] ?? '').length + (match[2] ?? '').length + Math.min((match[3] ?? ' ').length || 1, 4);
    const box = /^\[([ xX])\][ \t]+/.exec(match[4] ?? '');
    const kept = [(match[4] ?? '').slice(box ? box[0].length : 0)];
    this.at += 1;
    for (let line = this.peek(); line !== undefined; line = this.peek()) {
      const blank = line.trim() === '';
      const inside = line.search(/\S/) >= indent;
      const next = this.peek(1);
      if (blank && !(next !== undefined && next.search(/\S/) >= indent)) break;
      if (!blank && !inside) break;
      kept.push(blank ? '' : line.slice(indent));
      this.at += 1;
    }
    if (this.peek()?.trim() === '' && BULLET.test(this.peek(1) ?? '')) this.at += 1;
    return { checked: box ? box[1] !== ' ' : null, children: new Reader(kept, this.depth + 1).blocks() };
  }

  table(head: string, below: string): Block {
    const align = cellsOf(below).map((cell): Align => {
      if (cell.startsWith(':') && cell.endsWith(':')) return 'center';
      if (cell.endsWith(':')) return 'right';
      return cell.startsWith(':') ? 'left' : null;
    });
    this.at += 2;
    const rows: Inline[][][] = [];
    for (let line = this.peek(); line !== undefined && line.trim() !== '' && line.includes('|'); line = this.peek()) {
      const cells = cellsOf(line);
      rows.push(align.map((_, column) => inlines(cells[column] ?? '')));
      this.at += 1;
    }
    return { type: 'table', align, head: cellsOf(head).map((cell) => inlines(cell)), rows };
  }

  paragraph(): Block {
    const kept: string[] = [];
    for (let line = this.peek(); line !== undefined && line.trim() !== ''; line = this.peek()) {
      const opens = FENCE.test(line) || HEADING.test(line) || RULE.test(line) || (this.depth < DEEPEST && (QUOTE.test(line) || BULLET.test(line)));
      if (kept.length > 0 && opens) break;
      kept.push(line.trimStart());
      this.at += 1;
    }
    return { type: 'paragraph', children: inlines(kept.join('\n')) };
  }
}

export function parseMarkdown(source: string): Block[] {
  return new Reader(source.replaceAll('\r\n', '\n').split('\n'), 0).blocks();
}
