// Keys that do something anywhere on a page. They are left alone while somebody writes; a held key is one press.
import { useEffect } from 'preact/hooks';
import { Presses } from './seen';
import { useLatest } from './use';

export interface Key {
  readonly keys: string;
  readonly says: string;
  readonly group: string;
  readonly run: () => void;
  /** Goes on while the key is held: for moving, never for deciding. */
  readonly repeats?: boolean;
}

const table = new Map<symbol, readonly Key[]>();

export function allKeys(): readonly Key[] {
  return [...table.values()].flat();
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));
}

let prefix = '';
let prefixAt = 0;
const presses = new Presses();

function onKey(event: KeyboardEvent): void {
  const isFresh = presses.isFresh(event.key, event.timeStamp, event.repeat);
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (document.querySelector('[role="dialog"]')) return;
  if (isWriting(event.target)) {
    // The way out of a field without a mouse; the words stay in it.
    if (event.key === 'Escape' && !event.isComposing) (event.target as HTMLElement).blur();
    return;
  }
  if (event.key === 'Enter' && event.target instanceof Element && event.target.closest('button, a, [role="tab"]')) return;
  const typed = prefix !== '' && event.timeStamp - prefixAt < 1200 ? `${prefix} ${event.key}` : event.key;
  prefix = '';
  const keys = allKeys();
  const hit = keys.findLast((key) => key.keys === typed) ?? keys.findLast((key) => key.keys === event.key);
  if (hit) {
    event.preventDefault();
    if (isFresh || hit.repeats) hit.run();
  } else if (keys.some((key) => key.keys.startsWith(`${event.key} `))) {
    prefix = event.key;
    prefixAt = event.timeStamp;
  }
}

let listening = false;

/** Binds keys while the part that calls it is drawn. Later ones go before earlier ones. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useLatest(keys);
  useEffect(() => {
    if (!listening) addEventListener('keydown', onKey);
    listening = true;
    const id = Symbol('keys');
    const size = latest.current.length;
    table.set(id, Array.from({ length: size }, (_, at): Key => ({
      get keys() { return latest.current[at]?.keys ?? ''; },
      get says() { return latest.current[at]?.says ?? ''; },
      get group() { return latest.current[at]?.group ?? ''; },
      get repeats() { return latest.current[at]?.repeats ?? false; },
      run: () => latest.current[at]?.run(),
    })));
    return () => void table.delete(id);
  }, [keys.length]);
}
