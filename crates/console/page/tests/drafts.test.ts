import { expect, test } from 'vitest';
import { draftOf, hasDraft, hasDrafts, keepDraft, NO_DRAFT } from '../src/desk/drafts';

test('what is written is kept by file until it is saved or thrown away', () => {
  expect(hasDrafts()).toBe(false);
  keepDraft('fil_1', { text: 'half a sentence', cells: {}, base: 3 });
  keepDraft('fil_2', { text: null, cells: { A1: '4' }, base: 1 });
  expect(draftOf('fil_1')).toEqual({ text: 'half a sentence', cells: {}, base: 3 });
  expect(hasDraft('fil_2')).toBe(true);
  expect(draftOf('fil_3')).toBe(NO_DRAFT);
  keepDraft('fil_1', NO_DRAFT);
  keepDraft('fil_2', NO_DRAFT);
  expect(hasDrafts()).toBe(false);
});

test('a file that was emptied is a draft too', () => {
  keepDraft('fil_1', { text: '', cells: {}, base: 3 });
  expect(hasDraft('fil_1')).toBe(true);
  keepDraft('fil_1', NO_DRAFT);
});
