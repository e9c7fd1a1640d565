import { describe, expect, it } from 'vitest';
import { inert, pieces } from '../src/text/inert';

describe('inert text', () => {
  it('leaves letters, emoji with joiners, tabs and newlines alone', () => {
    const text = 'a\tb\nä 漢字 👩‍💻 <script>alert(1)</script>';
    expect(pieces(text)).toEqual([{ text, escaped: false }]);
  });
  it('names what would turn the direction of reading around', () => {
    expect(inert('a\u202eb\u2066c\u200f')).toBe('a\\u{202e}b\\u{2066}c\\u{200f}');
  });
  it('names terminal controls', () => {
    expect(inert('\u001b[31mred\u0007\u009b')).toBe('\\e[31mred\\x07\\x9b');
  });
  it('keeps a carriage return that is not part of a line end, and drops the one that is', () => {
    expect(inert('safe\rrm -rf')).toBe('safe\\rrm -rf');
    expect(inert('one\r\ntwo')).toBe('one\ntwo');
  });
  it('names invisible letters, tags and halves of characters', () => {
    expect(inert('pay\u200bpal\ufeff')).toBe('pay\\u{200b}pal\\u{feff}');
    expect(inert('x\u{e0041}')).toBe('x\\u{e0041}');
    expect(inert('x\ud800y')).toBe('x\\u{d800}y');
  });
  it('has no piece for nothing', () => {
    expect(pieces('')).toEqual([]);
  });
});
