import { describe, expect, it } from 'vitest';
import { countDiff, emphasis, isDiff, parseDiff } from '../src/text/diff';

const DIFF = ['--- a/notes.md', '+++ b/notes.md', '@@ -3,3 +3,4 @@ heading', ' same', '-the old budget is 40', '+the new budget is 41', '+--- not a file', ' last', '\\ No newline at end of file'].join('\n');

describe('a diff', () => {
  it('has a row for every line, with the numbers of both sides', () => {
    const lines = parseDiff(DIFF);
    expect(lines.map((line) => [line.kind, line.before, line.after])).toEqual([
      ['file', null, null], ['file', null, null], ['hunk', null, null], ['same', 3, 3], ['removed', 4, null], ['added', null, 4], ['added', null, 5], ['same', 5, 6], ['note', null, null],
    ]);
    expect(lines.map((line) => line.spans.map((span) => span.text).join(''))).toContain('--- not a file');
    expect(countDiff(lines)).toEqual({ added: 2, removed: 1 });
  });
  it('marks the words that changed and only those', () => {
    const [before, after] = emphasis('the old budget is 40', 'the new budget is 41');
    expect(before.filter((span) => span.changed).map((span) => span.text)).toEqual(['old', '40']);
    expect(after.filter((span) => span.changed).map((span) => span.text)).toEqual(['new', '41']);
    expect(after.map((span) => span.text).join('')).toBe('the new budget is 41');
  });
  it('marks nothing in lines that share nothing', () => {
    expect(emphasis('alpha beta', 'gamma delta')).toEqual([[{ text: 'alpha beta', changed: false }], [{ text: 'gamma delta', changed: false }]]);
  });
  it('reads the envelope of a patch, whose places have no numbers', () => {
    const lines = parseDiff('*** Begin Patch\n*** Update File: a\n@@ for\n same\n-old line\n+new line\n*** End Patch\n');
    expect(lines.map((line) => line.kind)).toEqual(['note', 'note', 'hunk', 'same', 'removed', 'added', 'note']);
    expect(isDiff('rename a\nto b')).toBe(false);
  });
  it('loses no line of a long one', () => {
    const long = ['@@ -0,0 +1,50000 @@', ...Array.from({ length: 50_000 }, (_, at) => `+line ${at}`)].join('\n');
    expect(parseDiff(long)).toHaveLength(50_001);
  });
});
