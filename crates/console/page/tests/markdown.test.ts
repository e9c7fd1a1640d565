import { describe, expect, it } from 'vitest';
import { inlines, parseMarkdown, safeHref } from '../src/text/markdown';

describe('markdown', () => {
  it('reads headings, lists with boxes, quotes, code and rules', () => {
    const blocks = parseMarkdown('# One\n\n- [x] done\n- [ ] open\n  - inner\n\n> said\n\n```js\nlet a = "<b>";\n```\n\n---\nend');
    expect(blocks.map((block) => block.type)).toEqual(['heading', 'list', 'quote', 'code', 'rule', 'paragraph']);
    const list = blocks[1];
    expect(list?.type === 'list' && list.items.map((item) => item.checked)).toEqual([true, false]);
    expect(list?.type === 'list' && list.items[1]?.children.map((block) => block.type)).toEqual(['paragraph', 'list']);
  });
  it('reads a table with its alignment', () => {
    const [table] = parseMarkdown('| a | b |\n|:--|--:|\n| 1 | 2 \\| 3 |');
    expect(table).toEqual({
      type: 'table', align: ['left', 'right'], head: [[{ type: 'text', text: 'a' }], [{ type: 'text', text: 'b' }]], rows: [[[{ type: 'text', text: '1' }], [{ type: 'text', text: '2 | 3' }]]],
    });
  });
  it('keeps markup of others as text', () => {
    expect(inlines('<img src=x onerror=alert(1)>')).toEqual([{ type: 'text', text: '<img src=x onerror=alert(1)>' }]);
  });
  it('makes no link of what is not http, https or mail', () => {
    for (const href of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' java\nscript:x', 'data:text/html,x', 'vbscript:x', '//evil', '/api/runs', 'http://']) expect(safeHref(href), href).toBeNull();
    expect(safeHref('https://example.org/a')).toBe('https://example.org/a');
    expect(inlines('[x](javascript:alert(1))')[0]?.type).not.toBe('link');
  });
  it('fetches no picture', () => {
    expect(inlines('![alt](https://example.org/x.png)')).toEqual([{ type: 'image', alt: 'alt', href: 'https://example.org/x.png' }]);
  });
  it('reads strong, em, code and addresses', () => {
    expect(inlines('**a *b*** `c` https://example.org.').map((it) => it.type)).toEqual(['strong', 'text', 'code', 'text', 'link', 'text']);
    expect(inlines('snake_case_name and 2*3*4')[0]?.type).toBe('text');
  });
  it('comes to an end with what does not close, in time', () => {
    for (const trick of ['*'.repeat(20_000), '['.repeat(20_000), '`'.repeat(20_001), '> '.repeat(5000), '**a '.repeat(10_000), '- '.repeat(3000)]) {
      const started = performance.now();
      parseMarkdown(trick);
      expect(performance.now() - started, trick.slice(0, 8)).toBeLessThan(2000);
    }
  });
});
