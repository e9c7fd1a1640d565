// The pages of a conversation's log. Pages that are full do not change; the last one is read again from where it begins.
import type { LogEntry, Page } from '../api/types';

export interface LogPages {
  /** The entries of the pages that are full. */
  readonly before: readonly LogEntry[];
  /** Where the last page begins; `undefined` is the beginning of the log. */
  readonly cursor: string | undefined;
  readonly last: readonly LogEntry[];
}

export const NO_PAGES: LogPages = { before: [], cursor: undefined, last: [] };

/** A call that has no end yet may still change: its page is not full, however many entries it has. */
const isSettled = (entries: readonly LogEntry[]): boolean => entries.every((entry) => entry.status !== 'open');

export async function readBehind(known: LogPages, read: (cursor: string | undefined) => Promise<Page<LogEntry>>): Promise<LogPages> {
  let { cursor } = known;
  let keptCursor = cursor;
  const before = [...known.before];
  let last: LogEntry[] = [];
  for (;;) {
    const page = await read(cursor);
    last.push(...page.items);
    if (!page.nextCursor) return { before, cursor: keptCursor, last };
    cursor = page.nextCursor;
    if (isSettled(last)) {
      before.push(...last);
      last = [];
      keptCursor = cursor;
    }
  }
}
