import { expect, test } from 'vitest';
import { isCut, resumeErrorOf } from '../src/ui/decide';
import { Presses } from '../src/ui/seen';

test('a held key is one press, however the system sends it', () => {
  const presses = new Presses();
  expect(presses.isFresh('a', 0, false)).toBe(true);
  for (let at = 33; at < 3000; at += 33) expect(presses.isFresh('a', at, true)).toBe(false);
  const pairs = new Presses();
  expect(pairs.isFresh('a', 0, false)).toBe(true);
  for (let at = 33; at < 3000; at += 33) expect(pairs.isFresh('a', at, false)).toBe(false);
});

test('another key, and the same key after a while, are fresh', () => {
  const presses = new Presses();
  presses.isFresh('a', 0, false);
  expect(presses.isFresh('d', 10, false)).toBe(true);
  expect(presses.isFresh('a', 900, false)).toBe(true);
});

test('a preview that leaves something out is known as such', () => {
  expect(isCut('+ one\n[… 6559 bytes left out …]\n')).toBe(true);
  expect(isCut('+ one\n')).toBe(false);
  expect(isCut(null)).toBe(false);
});

test('an answer whose run did not go on is an error beside the decision', () => {
  expect(resumeErrorOf({ resumed: true })).toBe(null);
  expect(resumeErrorOf({ resumed: false, resumeError: null })).toBe(null);
  expect(resumeErrorOf({ resumed: false, resumeError: { code: 'environment', message: 'gone', hint: 'mend it' } })).toMatchObject({ code: 'environment', hint: 'mend it' });
});
