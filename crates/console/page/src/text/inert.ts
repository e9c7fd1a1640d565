// Text of models, files and tools as something that can only be read: what would act on the reader's eye is written as what it is.
// It must not drop a character, and it makes no markup.

/** A piece of text; `escaped` pieces name a character that is not shown as itself. */
export interface Piece {
  readonly text: string;
  readonly escaped: boolean;
}

// Controls but for tab and newline; bidi marks, embeddings and isolates; invisible separators; tags; lone surrogates.
const ACTING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/u;

function isActing(char: string): boolean {
  return ACTING.test(char) || /^[\ud800-\udfff]$/.test(char);
}

function nameOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code === 0x1b) return '\\e';
  if (code === 0x0d) return '\\r';
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/** The text in pieces, in order; joined they name every character. A carriage return before a newline is part of it. */
export function pieces(text: string): Piece[] {
  if (!ACTING.test(text) && text.isWellFormed()) return text === '' ? [] : [{ text, escaped: false }];
  const found: Piece[] = [];
  let plain = '';
  const chars = Array.from(text);
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === '\r' && chars[at + 1] === '\n') continue;
    if (!isActing(char)) {
      plain += char;
      continue;
    }
    if (plain !== '') found.push({ text: plain, escaped: false });
    plain = '';
    found.push({ text: nameOf(char), escaped: true });
  }
  if (plain !== '') found.push({ text: plain, escaped: false });
  return found;
}

/** The same as one string, for names, labels and titles. */
export function inert(text: string): string {
  return pieces(text)
    .map((piece) => piece.text)
    .join('');
}

/** Any value as text: strings as they are, the rest as JSON. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  return JSON.stringify(value, null, 2) ?? '';
}
