// Where the reader is: the path of the address, so that every page and every card can be linked to.
import { useEffect, useState } from 'preact/hooks';

export interface Place {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly path: string;
}

const listeners = new Set<() => void>();

export function here(): Place {
  const parts = location.pathname.split('/').filter((part) => part !== '').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { parts, query: new URLSearchParams(location.search), path: location.pathname + location.search };
}

export function go(path: string, how: 'push' | 'replace' = 'push'): void {
  if (path === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', path);
  else history.replaceState(null, '', path);
  for (const listener of listeners) listener();
}

/** The path to a place. Dots are written out: a path whose end has one looks like a file to the server. */
export function pathOf(...parts: readonly string[]): string {
  return `/${parts.map((part) => encodeURIComponent(part).replaceAll('.', '%2E')).join('/')}`;
}

/** The present place; drawn anew when it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const listener = () => setPlace(here());
    listeners.add(listener);
    addEventListener('popstate', listener);
    return () => {
      listeners.delete(listener);
      removeEventListener('popstate', listener);
    };
  }, []);
  return place;
}

/** Links of the page stay in the page, but for those that are opened elsewhere. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
  event.preventDefault();
  go(link.pathname + link.search);
}
