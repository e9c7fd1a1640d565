import { describe, expect, it } from 'vitest';
import { isAtEnd, reveal, windowOf } from '../src/list/window';

describe('the window of a long list', () => {
  it('covers what is on the screen at every place, and little more', () => {
    for (let top = 0; top <= 300_000; top += 997) {
      const it = windowOf(10_000, 30, top, 600);
      const seen = Math.min(top, 300_000 - 600);
      expect(it.first * 30).toBeLessThanOrEqual(seen);
      expect(it.end * 30).toBeGreaterThanOrEqual(Math.min(seen + 600, 300_000));
      expect(it.end - it.first).toBeLessThanOrEqual(20 + 1 + 16);
      expect(it.offset).toBe(it.first * 30);
    }
  });
  it('has nothing to draw of nothing', () => {
    expect(windowOf(0, 30, 500, 600)).toEqual({ first: 0, end: 0, offset: 0, height: 0 });
  });
  it('moves only as far as needed', () => {
    expect(reveal(5, 30, 0, 600)).toBe(0);
    expect(reveal(20, 30, 0, 600)).toBe(30);
    expect(reveal(1, 30, 300, 600)).toBe(30);
  });
  it('knows who looks at the end', () => {
    expect(isAtEnd(100, 30, 2400, 600)).toBe(true);
    expect(isAtEnd(100, 30, 2000, 600)).toBe(false);
  });
});
