// The chat beside the desk: a conversation, its cards, and the log of everything that was called.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get, post, send } from '../api/client';
import type { ConversationItem, LogEntry, Page } from '../api/types';
import { ago, clock, digest, duration } from '../text/format';
import { inert } from '../text/inert';
import { Icon } from '../ui/icons';
import { Arguments, Result } from '../ui/json';
import { Chip, Empty, Failure, Inert, Loading, Segments, StateChip, tellError } from '../ui/kit';
import { Dialog } from '../ui/overlays';
import { pathOf } from '../ui/route';
import { useAnswer, useNow, useStored } from '../ui/use';
import { NO_PAGES, readBehind, type LogPages } from './log';
import { brokenEnd } from './messages';
import { MessageView, Undo } from './parts';
import type { Panel } from './stream';
import { useChat } from './use-chat';

const RISK = { read: '', create: 'blue', write: 'amber', destructive: 'red' } as const;

function LogRow({ entry, undone }: { readonly entry: LogEntry; readonly undone: () => void }) {
  return (
    <div class="log-row">
    <details>
      <summary>
        <span class="num ink3 small">{entry.at ? clock(entry.at) : ''}</span>
        <code class="cut grow">{inert(entry.tool)}</code>
        {entry.risk && entry.risk !== 'read' && <Chip tone={RISK[entry.risk as keyof typeof RISK] ?? ''}>{inert(entry.risk)}</Chip>}
        <span class="num small ink3">{entry.durationMs === null || entry.durationMs === undefined ? '' : duration(entry.durationMs)}</span>
        <StateChip state={entry.status === 'open' && entry.decision ? entry.decision : (entry.status ?? '')} />
      </summary>
      <div class="col">
        <dl class="facts">
          <dt>decision</dt><dd>{inert(entry.decision ?? '–')}{entry.applied ? `, ${inert(entry.applied)}` : ''}{entry.errorCode && <> <code class="del">{inert(entry.errorCode)}</code></>}</dd>
          <dt>arguments</dt><dd title={entry.argsDigest ?? ''}><code>{inert(digest(entry.argsDigest))}</code></dd>
          {entry.runId && <><dt>run</dt><dd><a href={pathOf('runs', entry.runId)}>{inert(entry.runId)}</a></dd></>}
          {entry.ref && <><dt>kept as</dt><dd><code>{inert(digest(entry.ref))}</code></dd></>}
        </dl>
        <Arguments value={entry.arguments ?? {}} />
        {entry.result !== undefined && entry.result !== null && <Result value={entry.result} label={`Result of ${entry.tool}`} />}
      </div>
    </details>
      {entry.undo && <div class="under"><Undo fileId={entry.undo.fileId} name={entry.undo.name ?? entry.undo.fileId} version={entry.undo.version} done={entry.undo.state === 'undone'} undone={undone} /></div>}
    </div>
  );
}

/** Every call of a conversation, the newest first. What was read is kept: only the last page, which grows, is read again. */
function useLog(conversation: string, refresh: number): { readonly entries: readonly LogEntry[] | null; readonly error: ApiError | null; readonly again: () => void } {
  const [entries, setEntries] = useState<readonly LogEntry[] | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [round, setRound] = useState(0);
  const pages = useRef<LogPages>(NO_PAGES);
  // An undo may be of any page: then all of it is read anew.
  useEffect(() => void (pages.current = NO_PAGES), [conversation, round]);
  useEffect(() => {
    const cut = new AbortController();
    const read = async () => {
      const read = await readBehind(pages.current, (cursor) => get(`/api/conversations/${encodeURIComponent(conversation)}/log`, { cursor }, cut.signal));
      if (cut.signal.aborted) return;
      pages.current = read;
      const all = [...read.before, ...read.last].reverse();
      setEntries((old) => (JSON.stringify(old) === JSON.stringify(all) ? old : all));
      setError(null);
    };
    const look = () => void read().catch((cause: unknown) => !cut.signal.aborted && setError(cause as ApiError));
    look();
    const timer = setInterval(() => !document.hidden && look(), 5000);
    return () => (cut.abort(), clearInterval(timer));
  }, [conversation, refresh, round]);
  return { entries, error, again: () => setRound((it) => it + 1) };
}

function Log({ conversation, refresh, undone }: { readonly conversation: string; readonly refresh: number; readonly undone: () => void }) {
  const { entries, error, again } = useLog(conversation, refresh);
  if (error && !entries) return <Failure error={error} command={`premath conversations log ${conversation}`} again={again} />;
  if (!entries) return <Loading what="the log" />;
  if (entries.length === 0) return <Empty icon="tool" title="Nothing was called yet">Every call stands here with its decision, its time and its whole result, also after a reload.</Empty>;
  return <div class="log" role="log" aria-label="Everything that was called">{entries.map((entry, at) => <LogRow key={`${entry.callId ?? ''}${entry.toolCallId ?? at}`} entry={entry} undone={() => (undone(), again())} />)}</div>;
}

export interface ChatPanelProps {
  readonly panels: readonly Panel[];
  readonly onEffect: (effect: Record<string, unknown>) => void;
  readonly deskChanged: () => void;
  readonly refresh: number;
}

const SCOPES = ['desk:read', 'desk:write', 'desk:create', 'desk:delete'] as const;

export function ChatPanel({ panels, onEffect, deskChanged, refresh }: ChatPanelProps) {
  const list = useAnswer<Page<ConversationItem>>('/api/conversations', {}, 10_000);
  const [conversation, setConversation] = useStored<string | null>('conversation', null);
  const [view, setView] = useState<'chat' | 'log'>('chat');
  const [text, setText] = useState('');
  const [refused, setRefused] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const [failed, setFailed] = useState<ApiError | null>(null);
  const pendingText = useRef<string | null>(null);
  const items = list.data?.items ?? [];
  const known = list.data === null || items.some((it) => it.id === conversation);
  const active = known ? conversation : (items[0]?.id ?? null);
  const chat = useChat(active, onEffect);
  const now = useNow(15_000);
  const bottom = useRef<HTMLDivElement>(null);
  const stick = useRef(true);
  useEffect(() => {
    if (stick.current) bottom.current?.scrollIntoView({ block: 'end' });
  }, [chat.messages, chat.state, view]);
  useEffect(() => {
    if (chat.state === 'ready') {
      deskChanged();
      list.again();
    }
    if (chat.state === 'ready' && pendingText.current !== null && active !== null) {
      const words = pendingText.current;
      pendingText.current = null;
      void say(words);
    }
  }, [chat.state, active]);
  // Words that the server did not take are the writer's again.
  const say = async (words: string) => {
    setRefused(null);
    const taken = chat.send(words, panels, SCOPES);
    // The server names a conversation after its first message.
    setTimeout(() => list.again(), 700);
    if (await taken) return;
    setRefused(words);
    setText((now) => (now === '' ? words : now));
  };
  const sayAgain = (words: string) => {
    setText((now) => (now === words ? '' : now));
    void say(words);
  };
  const start = async (): Promise<string | null> => {
    try {
      const made = await post<{ id?: string; conversation?: { id: string } }>('/api/conversations', {});
      const id = made.id ?? made.conversation?.id ?? null;
      list.again();
      setConversation(id);
      return id;
    } catch (error) {
      setFailed(error as ApiError);
      return null;
    }
  };
  const submit = async () => {
    const words = text.trim();
    if (words === '' || chat.state === 'streaming') return;
    setFailed(null);
    setText('');
    stick.current = true;
    if (active === null) {
      pendingText.current = words;
      if ((await start()) === null) setText(words);
    } else await say(words);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void submit();
    }
  };
  const remove = async () => {
    setAsking(false);
    if (active === null) return;
    await send('DELETE', `/api/conversations/${encodeURIComponent(active)}`).catch(tellError);
    setConversation(items.find((it) => it.id !== active)?.id ?? null);
    list.again();
  };
  const error = failed ?? chat.error ?? (list.data ? null : list.error);
  const decided = () => (deskChanged(), void chat.goOn());
  return (
    <section class="chat" aria-label="Chat">
      <header class="bar">
        <Icon name="spark" />
        <select class="field plain grow" aria-label="Conversation" value={active ?? ''} onChange={(event) => setConversation(event.currentTarget.value || null)}>
          {items.length === 0 && <option value="">A new conversation</option>}
          {items.map((it) => <option key={it.id} value={it.id}>{inert(it.title || 'A new conversation')} · {ago(it.updatedAt ?? it.createdAt, now)}</option>)}
        </select>
        <Segments label="View" chosen={view} choose={setView} options={[['chat', 'Chat'], ['log', 'I/O log']]} />
        {active !== null && <button type="button" class="button quiet small icon" aria-label="Delete the conversation" title="Delete the conversation" onClick={() => setAsking(true)}><Icon name="trash" /></button>}
        <button type="button" class="button quiet small icon" aria-label="A new conversation" title="A new conversation" onClick={() => void start()}><Icon name="plus" /></button>
      </header>
      {asking && (
        <Dialog label="Delete the conversation" close={() => setAsking(false)}>
          <header><h2>Delete this conversation?</h2></header>
          <div class="inside col loose">
            <p><b class="strong"><Inert text={items.find((it) => it.id === active)?.title || 'A new conversation'} /></b> does not come back. Its runs, and what it changed on the desk, stay.</p>
            <div class="row"><button type="button" class="button" data-first onClick={() => setAsking(false)}>Keep it</button><button type="button" class="button danger" onClick={() => void remove()}>Delete it</button></div>
          </div>
        </Dialog>
      )}
      {view === 'log' && active !== null ? <div class="talk"><Log conversation={active} refresh={refresh} undone={deskChanged} /></div> : (
        <div class="talk" role="log" aria-live="polite" aria-label="Conversation" tabIndex={0} onScroll={(event) => { const box = event.currentTarget; stick.current = box.scrollTop + box.clientHeight > box.scrollHeight - 80; }}>
          {chat.messages.length === 0 && chat.state === 'ready' && (
            <Empty icon="spark" title="Ask about your files">What is read is read silently, what is new is announced, what changes or goes is shown to you first.</Empty>
          )}
          {chat.readEarlier && <button type="button" class="button quiet small earlier" onClick={() => (stick.current = false, void chat.readEarlier?.().catch(tellError))}>Earlier messages</button>}
          {chat.messages.map((message) => {
            const isLast = message === chat.messages.at(-1);
            const end = brokenEnd(message, isLast && (chat.active || chat.state !== 'ready'));
            const runId = message.metadata?.['runId'];
            return <MessageView key={message.id} message={message} live={chat.state === 'streaming' && isLast} end={chat.state === 'streaming' && isLast ? null : end} goOn={isLast && typeof runId === 'string' ? () => void chat.resume(runId) : null} decided={decided} undone={() => (deskChanged(), void chat.reload())} />;
          })}
          {chat.state === 'streaming' && <div class="thinking" role="status"><i /><i /><i /><span class="hidden-text">The assistant is at it</span></div>}
          {error && <Failure error={error} again={() => (setFailed(null), list.again(), refused !== null && active !== null ? sayAgain(refused) : void chat.goOn())} />}
          <div ref={bottom} />
        </div>
      )}
      <form class="say" onSubmit={(event) => (event.preventDefault(), void submit())}>
        <textarea class="field" rows={2} aria-label="Message" placeholder="Ask, or say what is to be done" maxLength={32_000} value={text} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={onKeyDown} />
        <div class="row">
          <span class="grow small ink3 cut">{panels.length > 0 ? 'It sees the open file' : ''}</span>
          {chat.state === 'streaming' ? <button type="button" class="button danger small" onClick={() => void chat.stop().catch(tellError)}><Icon name="stop" /> Stop</button>
            : <button type="submit" class="button primary small" disabled={text.trim() === ''}><Icon name="send" /> Send</button>}
        </div>
      </form>
    </section>
  );
}
