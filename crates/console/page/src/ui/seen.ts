// Nobody answers what they have not seen: a card can be answered after it was on the screen for a moment, by a press that began there.
import { useEffect, useState } from 'preact/hooks';

/** How long a card is on the screen before it can be answered. */
export const SEEN_MS = 700;
/** Presses of one key closer together than this are one press: some systems send a held key as many. */
const HELD_MS = 250;

/** Tells fresh presses of a key from one that is held. Every press is told to it, also those that do nothing. */
export class Presses {
  private readonly last = new Map<string, number>();

  isFresh(key: string, at: number, repeat: boolean): boolean {
    const before = this.last.get(key);
    this.last.set(key, at);
    return !repeat && (before === undefined || at - before >= HELD_MS);
  }
}

/** Whether `what` (the digest of a card) has been on a visible page long enough. Another digest begins anew; `null` is not there yet. */
export function useSeen(what: string | null): boolean {
  const [seen, setSeen] = useState<string | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (what !== null && !document.hidden) timer = setTimeout(() => setSeen(what), SEEN_MS);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [what]);
  return what !== null && seen === what;
}
