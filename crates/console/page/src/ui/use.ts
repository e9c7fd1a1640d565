// What pages need of time and of the server: an answer that is kept fresh, a clock, a stored choice.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get, type Query } from '../api/client';

export interface Answer<T> {
  readonly data: T | null;
  readonly error: ApiError | null;
  readonly loading: boolean;
  readonly again: () => void;
  readonly set: (data: T) => void;
}

const asError = (cause: unknown): ApiError => (cause instanceof ApiError ? cause : new ApiError(0, 'page', cause instanceof Error ? cause.message : String(cause)));

/** An answer of the server, asked again every so often while somebody looks. A failure leaves what was there. */
export function useAnswer<T>(path: string | null, query: Query = {}, everyMs = 0): Answer<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: ApiError | null }>({ key: '', data: null, error: null });
  const [round, setRound] = useState(0);
  const key = path === null ? '' : `${path}?${JSON.stringify(query)}`;
  useEffect(() => {
    if (path === null) return;
    const cut = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      let wait = everyMs;
      if (!document.hidden || round === 0) {
        try {
          const data = await get<T>(path, query, cut.signal);
          if (!cut.signal.aborted) setState((old) => (old.key === key && JSON.stringify(old.data) === JSON.stringify(data) && old.error === null ? old : { key, data, error: null }));
        } catch (cause) {
          if (cut.signal.aborted) return;
          const error = asError(cause);
          wait = Math.max(wait, error.retryAfterMs ?? 0, error.status === 0 && everyMs > 0 ? 2000 : 0);
          setState((old) => ({ key, data: old.key === key ? old.data : null, error }));
        }
      }
      if (everyMs > 0 && !cut.signal.aborted) timer = setTimeout(ask, wait);
    };
    void ask();
    return () => {
      cut.abort();
      clearTimeout(timer);
    };
  }, [key, everyMs, round]);
  const again = useCallback(() => setRound((it) => it + 1), []);
  const set = useCallback((data: T) => setState({ key, data, error: null }), [key]);
  const fresh = state.key === key;
  return { data: fresh ? state.data : null, error: fresh ? state.error : null, loading: path !== null && !fresh, again, set };
}

/** The time, drawn anew every so often. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** A choice that is still there after a reload. */
export function useStored<T>(name: string, first: T): readonly [T, (value: T) => void] {
  const key = `premath.${name}`;
  const [value, setValue] = useState<T>(() => {
    try {
      const stored = localStorage.getItem(key);
      return stored === null ? first : (JSON.parse(stored) as T);
    } catch {
      return first;
    }
  });
  const store = useCallback((next: T) => {
    setValue(next);
    localStorage.setItem(key, JSON.stringify(next));
  }, [key]);
  return [value, store];
}

/** The newest version of a function, for listeners that stay. */
export function useLatest<T>(value: T): { readonly current: T } {
  const ref = useRef(value);
  ref.current = value;
  return ref;
}

/** Runs something that may be refused, once at a time. */
export function useDoing(): { readonly busy: string | null; readonly run: (name: string, work: () => Promise<void>) => Promise<void> } {
  const [busy, setBusy] = useState<string | null>(null);
  const now = useRef<string | null>(null);
  const run = useCallback(async (name: string, work: () => Promise<void>) => {
    if (now.current !== null) return;
    now.current = name;
    setBusy(name);
    try {
      await work();
    } finally {
      now.current = null;
      setBusy(null);
    }
  }, []);
  return { busy, run };
}
