// A unified diff as rows with line numbers, and the words that changed inside a line. Nothing is cut: every line of the text is a row.

export type LineKind = 'file' | 'hunk' | 'same' | 'added' | 'removed' | 'note';

/** A part of a line; `changed` where its pair on the other side has something else. */
export interface Span {
  readonly text: string;
  readonly changed: boolean;
}

export interface DiffLine {
  readonly kind: LineKind;
  readonly before: number | null;
  readonly after: number | null;
  readonly spans: readonly Span[];
}

export interface DiffCount {
  readonly added: number;
  readonly removed: number;
}

interface Draft {
  kind: LineKind;
  before: number | null;
  after: number | null;
  text: string;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
// Beyond this many words on a side the line is marked as a whole: the comparison is quadratic.
const MOST_WORDS = 400;

function whole(text: string): Span[] {
  return [{ text, changed: false }];
}

/** The envelope of `apply_patch`: lines with their sign, and no numbers, because places are found by their context. */
function envelopeOf(text: string): Draft[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line): Draft => {
    const row = (kind: LineKind, words: string): Draft => ({ kind, before: null, after: null, text: words });
    if (line.startsWith('*** ')) return row('note', line);
    if (line.startsWith('@@')) return row('hunk', line);
    if (line.startsWith('-')) return row('removed', line.slice(1));
    if (line.startsWith('+')) return row('added', line.slice(1));
    return row('same', line.startsWith(' ') ? line.slice(1) : line);
  });
}

/** Whether a text is a change that can be shown line by line. */
export function isDiff(text: string): boolean {
  return text.startsWith('*** Begin Patch') || /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text);
}

function rowsOf(text: string): Draft[] {
  if (text.startsWith('*** Begin Patch')) return envelopeOf(text);
  const rows: Draft[] = [];
  let before = 0;
  let after = 0;
  let left = 0;
  let right = 0;
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[3]);
      left = Number(hunk[2] ?? 1);
      right = Number(hunk[4] ?? 1);
      rows.push({ kind: 'hunk', before: null, after: null, text: line });
    } else if (line.startsWith('\\')) {
      rows.push({ kind: 'note', before: null, after: null, text: line });
    } else if (left <= 0 && right <= 0) {
      rows.push({ kind: /^(---|\+\+\+) /.test(line) ? 'file' : 'note', before: null, after: null, text: line });
    } else if (line.startsWith('-')) {
      rows.push({ kind: 'removed', before: before++, after: null, text: line.slice(1) });
      left -= 1;
    } else if (line.startsWith('+')) {
      rows.push({ kind: 'added', before: null, after: after++, text: line.slice(1) });
      right -= 1;
    } else {
      rows.push({ kind: 'same', before: before++, after: after++, text: line.startsWith(' ') ? line.slice(1) : line });
      left -= 1;
      right -= 1;
    }
  }
  return rows;
}

/** The words of both sides with what changed, by the longest common run of words. */
export function emphasis(before: string, after: string): readonly [Span[], Span[]] {
  const left = before.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  const right = after.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  if (left.length > MOST_WORDS || right.length > MOST_WORDS) return [whole(before), whole(after)];
  const width = right.length + 1;
  const table = new Uint16Array((left.length + 1) * width);
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1)
    for (let j = right.length - 1; j >= 0; j -= 1)
      table[i * width + j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const spans: [Span[], Span[]] = [[], []];
  const add = (side: 0 | 1, text: string, changed: boolean) => {
    const last = spans[side].at(-1);
    if (last && last.changed === changed) spans[side][spans[side].length - 1] = { text: last.text + text, changed };
    else spans[side].push({ text, changed });
  };
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const [a, b] = [left[i], right[j]];
    if (a !== undefined && a === b) {
      add(0, a, false);
      add(1, a, false);
      i += 1;
      j += 1;
    } else if (b === undefined || (a !== undefined && at(i + 1, j) >= at(i, j + 1))) {
      add(0, a ?? '', true);
      i += 1;
    } else {
      add(1, b, true);
      j += 1;
    }
  }
  // Two lines that share next to nothing are a replacement; marking every word of them says less than marking none.
  const shared = spans[0].reduce((sum, span) => sum + (span.changed ? 0 : span.text.trim().length), 0);
  if (shared * 5 < Math.max(before.trim().length, after.trim().length)) return [whole(before), whole(after)];
  return spans;
}

/** Every line of a unified diff. */
export function parseDiff(text: string): DiffLine[] {
  const rows = rowsOf(text);
  const spans: Span[][] = rows.map((row) => whole(row.text));
  for (let at = 0; at < rows.length; ) {
    if (rows[at]?.kind !== 'removed') {
      at += 1;
      continue;
    }
    let end = at;
    while (rows[end]?.kind === 'removed') end += 1;
    let close = end;
    while (rows[close]?.kind === 'added') close += 1;
    for (let pair = 0; pair < Math.min(end - at, close - end); pair += 1) {
      const [left, right] = emphasis(rows[at + pair]?.text ?? '', rows[end + pair]?.text ?? '');
      spans[at + pair] = [...left];
      spans[end + pair] = [...right];
    }
    at = close;
  }
  return rows.map((row, at) => ({ kind: row.kind, before: row.before, after: row.after, spans: spans[at] ?? [] }));
}

export function countDiff(lines: readonly DiffLine[]): DiffCount {
  let added = 0;
  let removed = 0;
  for (const line of lines) {
    if (line.kind === 'added') added += 1;
    if (line.kind === 'removed') removed += 1;
  }
  return { added, removed };
}
