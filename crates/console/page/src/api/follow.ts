// A run followed live: rows by number, none twice and none missing, over as many connections as it takes.
import { ApiError, open, withQuery } from './client';
import { SseDecoder, type SseEvent } from './sse';

export interface Row {
  readonly seq: number;
  readonly at: string;
  readonly digest: string;
  readonly event: { readonly kind: string } & Record<string, unknown>;
}

export type Link = 'connecting' | 'live' | 'waiting' | 'ended' | 'failed';

/** Puts rows in order: what was seen is dropped, and what would leave a gap is refused. */
export class Sequence {
  #last: number;

  constructor(last = 0) {
    this.#last = last;
  }

  get last(): number {
    return this.#last;
  }

  /** The rows that are next, or `gap` when one is missing before them: ask again from `last`. */
  take(rows: readonly Row[]): { rows: Row[]; gap: boolean } {
    const taken: Row[] = [];
    for (const row of rows) {
      if (row.seq <= this.#last) continue;
      if (row.seq !== this.#last + 1) return { rows: taken, gap: true };
      this.#last = row.seq;
      taken.push(row);
    }
    return { rows: taken, gap: false };
  }
}

export function rowOf(event: SseEvent): Row | null {
  const row = JSON.parse(event.data) as Partial<Row> & { rowDigest?: string };
  if (typeof row.seq !== 'number' || typeof row.event !== 'object' || row.event === null) return null;
  return { seq: row.seq, at: row.at ?? '', digest: row.digest ?? row.rowDigest ?? '', event: row.event };
}

export interface Following {
  readonly onRows: (rows: Row[]) => void;
  readonly onLink: (link: Link, error?: ApiError) => void;
  readonly signal: AbortSignal;
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), done()), { once: true });
  });

async function readOnce(path: string, sequence: Sequence, following: Following): Promise<'ended' | 'again'> {
  const cut = new AbortController();
  const stop = () => cut.abort();
  following.signal.addEventListener('abort', stop, { once: true });
  try {
    const response = await open(withQuery(path, { cursor: sequence.last }), {
      headers: { Accept: 'text/event-stream', 'Last-Event-ID': String(sequence.last) },
      signal: cut.signal,
    });
    following.onLink('live');
    const reader = response.body?.getReader();
    const decoder = new SseDecoder();
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) return 'again';
      const events = decoder.push(part.value);
      const rows = events.filter((event) => event.event !== 'end').map(rowOf).filter((row) => row !== null);
      const { rows: next, gap } = sequence.take(rows);
      if (next.length > 0) following.onRows(next);
      if (gap) return 'again';
      if (events.some((event) => event.event === 'end')) return 'ended';
    }
  } finally {
    following.signal.removeEventListener('abort', stop);
    cut.abort();
  }
}

// Behind these a run has no more rows; behind any other end somebody may go on with it.
const FINAL = new Set(['completed', 'handed_off', 'failed_closed']);
const REST_MS = 3000;

function isFinal(row: Row | undefined): boolean {
  return row?.event.kind === 'run.stopped' && FINAL.has(String(row.event['outcome']));
}

/** Follows until the run ends or the signal comes. What the server refuses (no such run) ends it; a lost connection does not. */
export async function follow(path: string, following: Following): Promise<void> {
  const sequence = new Sequence();
  let failures = 0;
  let atRest = false;
  let newest: Row | undefined;
  const watched: Following = {
    ...following,
    onRows: (rows) => {
      newest = rows.at(-1);
      following.onRows(rows);
    },
    // A run at rest is asked about now and then; that is no news.
    onLink: (link, error) => void (atRest && (link === 'connecting' || link === 'live') ? undefined : following.onLink(link, error)),
  };
  while (!following.signal.aborted) {
    const before = sequence.last;
    try {
      watched.onLink('connecting');
      if ((await readOnce(path, sequence, watched)) === 'ended') {
        following.onLink('ended');
        if (isFinal(newest)) return;
        atRest = true;
        await pause(REST_MS, following.signal);
        continue;
      }
      atRest = false;
      failures = sequence.last > before ? 0 : failures + 1;
    } catch (error) {
      if (following.signal.aborted) return;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) return following.onLink('failed', error);
      failures += 1;
    }
    if (following.signal.aborted) return;
    atRest = false;
    following.onLink('waiting');
    await pause(Math.min(5000, 250 * 2 ** Math.min(failures, 5)), following.signal);
  }
}
