// What somebody began to write and has not saved, by file. It outlives the editor, not the page; the page asks before it goes.

export interface Draft {
  /** The text of a file of text; `null` where nothing was written. */
  readonly text: string | null;
  readonly cells: Readonly<Record<string, string>>;
  /** The version that was read when the writing began. */
  readonly base: number;
}

const drafts = new Map<string, Draft>();

export const NO_DRAFT: Draft = { text: null, cells: {}, base: 0 };

export function isDirty(draft: Draft): boolean {
  return draft.text !== null || Object.keys(draft.cells).length > 0;
}

export function draftOf(fileId: string): Draft {
  return drafts.get(fileId) ?? NO_DRAFT;
}

export function hasDraft(fileId: string): boolean {
  return drafts.has(fileId);
}

export function hasDrafts(): boolean {
  return drafts.size > 0;
}

export function keepDraft(fileId: string, draft: Draft): void {
  if (isDirty(draft)) drafts.set(fileId, draft);
  else drafts.delete(fileId);
}

/** Begun with the page: leaving it asks while something is not saved. */
export function askBeforeLeaving(): void {
  addEventListener('beforeunload', (event) => {
    if (hasDrafts()) event.preventDefault();
  });
}
