// A run on the screen: its rows as they come, folded, and drawn once per frame however many they are.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../api/client';
import { follow, type Link, type Row } from '../api/follow';
import { emptyRun, foldRows, type RunModel } from './model';

export interface LiveRun {
  readonly model: RunModel;
  readonly version: number;
  readonly link: Link;
  readonly error: ApiError | null;
}

// Rows that are folded in one go: a long journal is taken in over several frames, so that the page stays awake.
const MOST_AT_ONCE = 1500;

export function useRun(runId: string, round: number): LiveRun {
  const model = useRef(emptyRun());
  const [version, setVersion] = useState(0);
  const [link, setLink] = useState<Link>('connecting');
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => {
    model.current = emptyRun();
    setVersion((it) => it + 1);
    const cut = new AbortController();
    let queue: Row[] = [];
    let frame = 0;
    const draw = () => {
      frame = 0;
      foldRows(model.current, queue.slice(0, MOST_AT_ONCE));
      queue = queue.slice(MOST_AT_ONCE);
      setVersion((it) => it + 1);
      if (queue.length > 0) frame = requestAnimationFrame(draw);
    };
    void follow(`/api/runs/${encodeURIComponent(runId)}/events`, {
      signal: cut.signal,
      onRows: (rows) => {
        queue = queue.length === 0 ? rows : queue.concat(rows);
        if (frame === 0) frame = requestAnimationFrame(draw);
      },
      onLink: (next, failure) => {
        setLink(next);
        setError(failure ?? null);
      },
    });
    return () => {
      cut.abort();
      cancelAnimationFrame(frame);
    };
  }, [runId, round]);
  return { model: model.current, version, link, error };
}
