// The small parts: inert text, chips, empty and error states, copying, tabs, messages that come and go.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../api/client';
import { digest } from '../text/format';
import { inert, pieces } from '../text/inert';
import { Icon, type IconName } from './icons';

/** Text of others. Only ever text nodes. */
export function Inert({ text }: { readonly text: string | null | undefined }) {
  const parts = useMemo(() => pieces(text ?? ''), [text]);
  if (parts.length === 1 && !parts[0]?.escaped) return <>{parts[0]?.text}</>;
  return (
    <>
      {parts.map((part, at) =>
        part.escaped ? (
          <span key={at} class="escape" title="a character that is not shown as itself">
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </>
  );
}

export type Tone = 'green' | 'red' | 'amber' | 'blue' | '';

export function Chip({ tone = '', live = false, dot = false, mono = false, title, children }: {
  readonly tone?: Tone; readonly live?: boolean; readonly dot?: boolean; readonly mono?: boolean; readonly title?: string; readonly children: ComponentChildren;
}) {
  return (
    <span class={`chip ${tone} ${live ? 'live' : ''} ${mono ? 'mono' : ''}`} title={title}>
      {(dot || live) && <span class="dot" />}
      <span class="cut">{children}</span>
    </span>
  );
}

const STATES: Record<string, readonly [Tone, string]> = {
  running: ['blue', 'running'], waiting: ['amber', 'waiting for you'], needs_person: ['amber', 'waiting for you'], failed_closed: ['red', 'failed closed'], blocked: ['red', 'blocked'],
  limit: ['amber', 'limit reached'], interrupted: ['amber', 'interrupted'], declined: ['amber', 'declined'], model_failed: ['red', 'no model answered'], done: ['green', 'done'],
  completed: ['green', 'done'], handed_off: ['green', 'handed on'], pending: ['amber', 'waiting for you'], approved: ['green', 'approved'], consumed: ['green', 'approved and used'],
  denied: ['red', 'denied'], revoked: ['red', 'revoked'], expired: ['', 'expired'], question_expired: ['', 'question expired'], answered: ['blue', 'answered'], executed: ['green', 'done'], executing: ['blue', 'under way'], failed: ['red', 'failed'], rejected: ['red', 'rejected'],
  closed: ['green', 'closed'], refused: ['red', 'refused'], open: ['blue', 'open'], ok: ['green', 'ok'], error: ['red', 'error'], skipped: ['', 'skipped'],
  ready: ['blue', 'ready'], claimed: ['amber', 'claimed'], in_progress: ['amber', 'in progress'], allow: ['green', 'allow'], deny: ['red', 'deny'], ask: ['amber', 'ask'],
  waits: ['amber', 'waits'], active: ['blue', 'active'], stopped: ['', 'stopped'], stale: ['amber', 'stale'], interrupt: ['amber', 'interrupted'], unreadable: ['red', 'cannot be read'],
};

export function StateChip({ state }: { readonly state: string | null | undefined }) {
  const [tone, words] = STATES[state ?? ''] ?? (['', (state ?? 'unknown').replaceAll('_', ' ')] as const);
  const live = state === 'running' || state === 'executing';
  return <Chip tone={tone} dot live={live} title={state ?? ''}>{inert(words)}</Chip>;
}

export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1200);
    } catch {
      tell('red', 'The browser does not let the page copy.');
    }
  };
  return (
    <button type="button" class="button quiet small icon" aria-label={label} title={label} onClick={copy}>
      <Icon name={done ? 'check' : 'copy'} />
    </button>
  );
}

export function Digest({ value, label }: { readonly value: string | null | undefined; readonly label: string }) {
  if (!value) return <span class="ink3">–</span>;
  return (
    <span class="row" title={value}>
      <code>{inert(digest(value))}</code>
      <Copy text={value} label={`Copy ${label}`} />
    </span>
  );
}

export function Command({ text }: { readonly text: string }) {
  return (
    <span class="command">
      <span>{inert(text)}</span>
      <Copy text={text} label="Copy the command" />
    </span>
  );
}

export function Empty({ icon, title, command, children }: { readonly icon: IconName; readonly title: string; readonly command?: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <b>{title}</b>
      {children && <span>{children}</span>}
      {command && <Command text={command} />}
    </div>
  );
}

/** What went wrong, and the command that helps. */
export function Failure({ error, command, again }: { readonly error: ApiError; readonly command?: string; readonly again?: () => void }) {
  const helps = error.status === 0 ? 'premath serve' : command;
  return (
    <div class="banner red" role="alert">
      <Icon name="warn" />
      <div class="grow col tight">
        <span>
          <b class="strong">{inert(error.code)}</b>: <Inert text={error.message} />
        </span>
        {error.fields.map((field) => (
          <span key={field.path} class="small">
            <code>{inert(field.path)}</code> <Inert text={field.message} />
          </span>
        ))}
        {error.hint && error.hint !== helps && <span class="more small"><Inert text={error.hint} /></span>}
        {helps && <Command text={helps} />}
      </div>
      {again && (
        <button type="button" class="button small" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return <div class="empty" aria-busy="true">{late && <span role="status">Reading {what} …</span>}</div>;
}

export interface Tab {
  readonly id: string;
  readonly label: string;
}

export function Tabs({ tabs, chosen, choose, label }: { readonly tabs: readonly Tab[]; readonly chosen: string; readonly choose: (id: string) => void; readonly label: string }) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    choose(next.id);
    const bar = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => bar.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button key={tab.id} type="button" role="tab" aria-selected={tab.id === chosen} tabIndex={tab.id === chosen ? 0 : -1} onClick={() => choose(tab.id)}>
          {tab.label}
        </button>
      ))}
    </div>
  );
}

export function Segments<T extends string>({ options, chosen, choose, label }: { readonly options: readonly (readonly [T, string])[]; readonly chosen: T; readonly choose: (id: T) => void; readonly label: string }) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([id, words]) => (
        <button key={id} type="button" aria-pressed={id === chosen} onClick={() => choose(id)}>
          {words}
        </button>
      ))}
    </div>
  );
}

interface Told {
  readonly id: number;
  readonly tone: 'green' | 'red' | 'blue';
  readonly text: string;
}

let tellers = new Set<(told: Told) => void>();
let toldCount = 0;

/** A short message in the corner, read out to those who do not see it. */
export function tell(tone: Told['tone'], text: string): void {
  toldCount += 1;
  for (const teller of tellers) teller({ id: toldCount, tone, text });
}

export function tellError(cause: unknown): void {
  const error = cause as Partial<ApiError>;
  tell('red', error.code ? `${error.code}: ${error.message ?? ''}${error.hint ? ` (${error.hint})` : ''}` : String(cause));
}

export function Toasts() {
  const [told, setTold] = useState<readonly Told[]>([]);
  const timers = useRef<ReturnType<typeof setTimeout>[]>([]);
  useEffect(() => {
    const teller = (one: Told) => {
      setTold((all) => [...all.slice(-3), one]);
      timers.current.push(setTimeout(() => setTold((all) => all.filter((it) => it.id !== one.id)), one.tone === 'red' ? 9000 : 4500));
    };
    tellers = new Set([...tellers, teller]);
    return () => {
      tellers = new Set([...tellers].filter((it) => it !== teller));
      timers.current.forEach(clearTimeout);
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {told.map((one) => (
        <div key={one.id} class={`toast ${one.tone}`}>
          <Icon name={one.tone === 'green' ? 'check' : one.tone === 'red' ? 'warn' : 'info'} />
          <span class="grow"><Inert text={one.text} /></span>
        </div>
      ))}
    </div>
  );
}
