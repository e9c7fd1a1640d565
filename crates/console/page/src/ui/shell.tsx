// The frame around every page: who may come in, where one can go, what waits, which keys there are.
import { useEffect, useState } from 'preact/hooks';
import { onUnauthorised, setToken } from '../api/client';
import type { Approval, Me, Page, Proposal } from '../api/types';
import { Approvals } from '../pages/approvals';
import { Audit } from '../pages/audit';
import { Desk } from '../pages/desk';
import { Policy } from '../pages/policy';
import { Run } from '../pages/run';
import { Runs } from '../pages/runs';
import { Work } from '../pages/work';
import { inert } from '../text/inert';
import { Gate } from './gate';
import { Icon, Mark, type IconName } from './icons';
import { useKeys } from './keys';
import { Empty, Toasts } from './kit';
import { KeyMap, Palette } from './overlays';
import { followLinks, go, usePlace, type Place } from './route';
import { applyTheme, isDark } from './theme';
import { useAnswer } from './use';

export const PAGES: readonly { readonly path: string; readonly name: string; readonly icon: IconName; readonly key: string }[] = [
  { path: '/runs', name: 'Runs', icon: 'runs', key: 'g r' },
  { path: '/approvals', name: 'Approvals', icon: 'approvals', key: 'g a' },
  { path: '/work', name: 'Work', icon: 'work', key: 'g w' },
  { path: '/policy', name: 'Policy', icon: 'policy', key: 'g p' },
  { path: '/desk', name: 'Desk', icon: 'desk', key: 'g d' },
  { path: '/audit', name: 'Audit', icon: 'audit', key: 'g u' },
];

function PageOf({ place }: { readonly place: Place }) {
  const [first = 'runs', second] = place.parts;
  switch (first) {
    case 'runs':
      return second ? <Run key={second} runId={second} place={place} /> : <Runs place={place} />;
    case 'approvals':
      return <Approvals place={place} />;
    case 'work':
      return <Work place={place} />;
    case 'policy':
      return <Policy />;
    case 'desk':
      return <Desk place={place} />;
    case 'audit':
      return <Audit place={place} />;
    default:
      return (
        <div class="page">
          <Empty icon="search" title="There is no such page">
            <a href="/runs">Go to the runs</a>
          </Empty>
        </div>
      );
  }
}

/** How many questions and plans wait. */
/** The most open questions that the badge counts. */
const MOST_COUNTED = 1000;

function useWaiting(): number {
  const approvals = useAnswer<Page<Approval>>('/api/confirmations', { state: 'pending', limit: MOST_COUNTED }, 3000);
  const proposals = useAnswer<Page<Proposal>>('/api/proposals', { state: 'pending', limit: MOST_COUNTED }, 3000);
  const pending = (items: readonly { state: string }[] | undefined) => (items ?? []).filter((it) => it.state === 'pending').length;
  return pending(approvals.data?.items) + pending(proposals.data?.items);
}

function Side({ place, waiting, me, openKeys, openPalette }: { readonly place: Place; readonly waiting: number; readonly me: Me | null; readonly openKeys: () => void; readonly openPalette: () => void }) {
  const [dark, setDark] = useState(isDark);
  const turn = () => {
    applyTheme(dark ? 'light' : 'dark');
    setDark(!dark);
  };
  const first = place.parts[0] ?? 'runs';
  return (
    <aside class="side">
      <a class="brand" href="/runs" title="To the runs">
        <Mark />
        <span>premath</span>
      </a>
      <nav class="nav" aria-label="Pages">
        {PAGES.map((page) => (
          <a key={page.path} href={page.path} aria-current={page.path === `/${first}` ? 'page' : undefined} title={`${page.name} (${page.key})`}>
            <Icon name={page.icon} />
            <span>{page.name}</span>
            {page.path === '/approvals' && waiting > 0 && <span class="count num">{waiting}<span class="hidden-text"> waiting</span></span>}
          </a>
        ))}
      </nav>
      <footer>
        <div class="place">
          <b class="cut" title={me?.workspace ?? ''}>{inert(me?.workspace?.split('/').findLast((it) => it !== '') ?? '')}</b>
          {me && <span>{inert(me.person ?? '')}{me.demo ? ' · demo' : ''} · {inert(me.version ?? '')}</span>}
        </div>
        <div class="tools">
          <button type="button" class="button quiet icon" aria-label={dark ? 'Light theme' : 'Dark theme'} title={dark ? 'Light theme' : 'Dark theme'} onClick={turn}>
            <Icon name={dark ? 'sun' : 'moon'} />
          </button>
          <button type="button" class="button quiet icon" aria-label="Keys" title="Keys (?)" onClick={openKeys}>
            <Icon name="keyboard" />
          </button>
          <button type="button" class="button quiet icon" aria-label="Go to anything" title="Go to anything (/)" onClick={openPalette}>
            <Icon name="search" />
          </button>
        </div>
      </footer>
    </aside>
  );
}

function Frame() {
  const place = usePlace();
  const waiting = useWaiting();
  const me = useAnswer<Me>('/api/me');
  const [overlay, setOverlay] = useState<'keys' | 'palette' | null>(null);
  useKeys([
    ...PAGES.map((page) => ({ keys: page.key, says: page.name, group: 'Go to', run: () => go(page.path) })),
    { keys: '?', says: 'These keys', group: 'Anywhere', run: () => setOverlay('keys') },
    { keys: '/', says: 'Go to anything', group: 'Anywhere', run: () => setOverlay('palette') },
  ]);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault();
        setOverlay('palette');
      }
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);
  useEffect(() => {
    const name = PAGES.find((page) => page.path === `/${place.parts[0] ?? 'runs'}`)?.name ?? 'premath';
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${place.parts[1] && place.parts[0] === 'runs' ? inert(place.parts[1]) : name} · premath`;
  }, [place, waiting]);
  return (
    <div class="shell" onClick={followLinks}>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.getElementById('main')?.focus())}>
        To the content
      </a>
      <Side place={place} waiting={waiting} me={me.data} openKeys={() => setOverlay('keys')} openPalette={() => setOverlay('palette')} />
      <main class="main" id="main" tabIndex={-1}>
        <PageOf place={place} />
      </main>
      {overlay === 'keys' && <KeyMap close={() => setOverlay(null)} />}
      {overlay === 'palette' && <Palette close={() => setOverlay(null)} />}
      <Toasts />
    </div>
  );
}

export function App({ hasToken }: { readonly hasToken: boolean }) {
  const [inside, setInside] = useState(hasToken);
  const [refused, setRefused] = useState(false);
  useEffect(() => onUnauthorised(() => {
    setToken(null);
    setInside(false);
    setRefused(true);
  }), []);
  if (!inside) return <Gate refused={refused} enter={(token) => (setToken(token), setRefused(false), setInside(true))} />;
  return <Frame />;
}
