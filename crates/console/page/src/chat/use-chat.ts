// A conversation on the screen: what was said, what is being said, and going on after a reload. The server keeps all of it.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get, post } from '../api/client';
import { brokenEnd, emptyReply, foldChunk, keepStreamed, readMessage, withReply, type Chunk, type DataPart, type Message, type Reply } from './messages';
import { rejoin, say, type Panel } from './stream';

interface Stored {
  readonly id: string;
  readonly title: string;
  readonly messages: readonly unknown[];
  readonly active?: boolean | string | null;
  readonly earlier?: number | null;
}

export interface Chat {
  readonly messages: readonly Message[];
  readonly state: 'loading' | 'ready' | 'streaming';
  readonly error: ApiError | null;
  /** Whether somebody works on the conversation now. */
  readonly active: boolean;
  /** `false`: the server did not take the message; the words are the writer's again. */
  readonly send: (text: string, panels: readonly Panel[], scopes: readonly string[]) => Promise<boolean>;
  readonly stop: () => Promise<void>;
  /** Takes up the stream again: after a card was answered, or a connection was lost. */
  readonly goOn: () => Promise<void>;
  /** Goes on with an answer that was stopped or broken off. */
  readonly resume: (runId: string) => Promise<void>;
  readonly reload: () => Promise<void>;
  /** Reads the messages before the first one, where there are any. */
  readonly readEarlier: (() => Promise<void>) | null;
}

/** Whether a stored message has all of its run already: then a stream that is still kept has nothing to add. */
function isWhole(message: Message): boolean {
  const outcome = message.metadata?.['outcome'];
  if (outcome === 'needs_person' || typeof outcome !== 'string') return false;
  // Of an answer that was stopped in its first turn nothing is kept: what was streamed of it is better than nothing.
  const isBare = message.parts.every((part) => part.type === 'step-start');
  return !(isBare && brokenEnd(message, false) !== null);
}

function withoutDoubles(messages: readonly Message[]): Message[] {
  const seen = new Set<string>();
  return messages.filter((message) => !seen.has(message.id) && seen.add(message.id));
}

const asError = (cause: unknown): ApiError => (cause instanceof ApiError ? cause : new ApiError(0, 'unreachable', 'the connection was lost; what was said is kept', {}));

export function useChat(conversation: string | null, onEffect: (effect: Record<string, unknown>) => void): Chat {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [state, setState] = useState<Chat['state']>('loading');
  const [error, setError] = useState<ApiError | null>(null);
  const [earlier, setEarlier] = useState<number | null>(null);
  const [active, setActive] = useState(false);
  const streamed = useRef(new Map<string, Message>());
  const older = useRef<readonly Message[]>([]);
  const shown = useRef<readonly Message[]>([]);
  shown.current = messages;
  const cut = useRef<AbortController | null>(null);
  const effects = useRef(onEffect);
  effects.current = onEffect;

  const load = useCallback(async (id: string, signal: AbortSignal): Promise<boolean> => {
    const stored = await get<Stored>(`/api/conversations/${encodeURIComponent(id)}`, {}, signal);
    const page = keepStreamed(stored.messages.map(readMessage), streamed.current);
    const ids = new Set(page.map((message) => message.id));
    shown.current = [...older.current.filter((message) => !ids.has(message.id)), ...page];
    setMessages(shown.current);
    if (older.current.length === 0) setEarlier(stored.earlier ?? null);
    setActive(Boolean(stored.active));
    return Boolean(stored.active);
  }, []);

  const readEarlier = useCallback(async () => {
    if (conversation === null || earlier === null) return;
    const stored = await get<Stored>(`/api/conversations/${encodeURIComponent(conversation)}`, { before: earlier });
    older.current = [...stored.messages.map(readMessage), ...older.current];
    setMessages((all) => withoutDoubles([...older.current, ...all]));
    setEarlier(stored.earlier ?? null);
  }, [conversation, earlier]);

  const take = useCallback(async (stream: AsyncGenerator<Chunk[]>, signal: AbortSignal, isReplay = false, onFirst: () => void = () => undefined): Promise<void> => {
    let reply: Reply = emptyReply(crypto.randomUUID());
    let frame = 0;
    const draw = () => {
      frame = 0;
      const { message } = reply;
      if (message.parts.length === 0) return;
      streamed.current.set(message.id, message);
      setMessages((all) => withReply(all, message));
    };
    setState('streaming');
    try {
      for await (const chunks of stream) {
        onFirst();
        for (const chunk of chunks) {
          // A message that goes on after a person's answer keeps what it had: the stream has only the rest.
          const before = chunk.type === 'start' ? shown.current.find((message) => message.id === chunk['messageId'] && message.role === 'assistant') : undefined;
          if (before && isWhole(before)) return;
          reply = before ? { ...reply, message: before } : foldChunk(reply, chunk);
          // After a reload the reader stays where they are: what the stream did to the screen is not done again.
          if (chunk.type === 'data-effect' && !isReplay) effects.current((chunk['data'] ?? {}) as DataPart['data']);
        }
        if (frame === 0) frame = requestAnimationFrame(draw);
      }
    } finally {
      if (frame !== 0) cancelAnimationFrame(frame);
      if (!signal.aborted) draw();
    }
    if (reply.end === 'failed') throw new ApiError(0, 'model', reply.error ?? 'the answer failed');
  }, []);

  const begin = useCallback((): AbortController => {
    cut.current?.abort();
    cut.current = new AbortController();
    setError(null);
    return cut.current;
  }, []);

  const settle = useCallback(async (mine: AbortController, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (cause) {
      if (!mine.signal.aborted) setError(asError(cause));
    }
    if (cut.current === mine && !mine.signal.aborted) setState('ready');
  }, []);

  useEffect(() => {
    setMessages([]);
    setEarlier(null);
    older.current = [];
    streamed.current = new Map();
    if (conversation === null) {
      setState('ready');
      return;
    }
    setState('loading');
    const mine = begin();
    void settle(mine, async () => {
      await load(conversation, mine.signal);
      await take(rejoin(conversation, mine.signal), mine.signal, true);
      if (!mine.signal.aborted) await load(conversation, mine.signal);
    });
    return () => mine.abort();
  }, [conversation]);

  const send = useCallback(async (text: string, panels: readonly Panel[], scopes: readonly string[]) => {
    if (conversation === null) return false;
    const mine = begin();
    const id = crypto.randomUUID();
    let taken = false;
    setMessages((all) => [...all, { id, role: 'user', parts: [{ type: 'text', text }] }]);
    await settle(mine, async () => {
      try {
        await take(say(conversation, text, panels, scopes, mine.signal), mine.signal, false, () => void (taken = true));
      } finally {
        // Whatever the stream did, what the server keeps is read: also where the answer failed in the middle.
        if (taken && !mine.signal.aborted) await load(conversation, mine.signal);
      }
    });
    if (!taken && !mine.signal.aborted) setMessages((all) => all.filter((message) => message.id !== id));
    return taken || mine.signal.aborted;
  }, [conversation]);

  const resume = useCallback(async (runId: string) => {
    if (conversation === null) return;
    const mine = begin();
    setState('streaming');
    await settle(mine, async () => {
      await post(`/api/runs/${encodeURIComponent(runId)}/resume`);
      // The turn that was cut is said anew: what was streamed of it gives way.
      streamed.current.clear();
      await load(conversation, mine.signal);
      for (let tries = 0; tries < 20; tries += 1) {
        await take(rejoin(conversation, mine.signal), mine.signal);
        if (!(await load(conversation, mine.signal))) return;
        await new Promise((done) => setTimeout(done, 150));
      }
    });
  }, [conversation]);

  const goOn = useCallback(async () => {
    if (conversation === null) return;
    const mine = begin();
    await settle(mine, async () => {
      await load(conversation, mine.signal);
      await take(rejoin(conversation, mine.signal), mine.signal);
      await load(conversation, mine.signal);
    });
  }, [conversation]);

  const stop = useCallback(async () => {
    if (conversation !== null) await post(`/api/chat/${encodeURIComponent(conversation)}/stop`);
  }, [conversation]);

  const reload = useCallback(async () => {
    if (conversation !== null && cut.current) await load(conversation, cut.current.signal).catch(() => undefined);
  }, [conversation]);

  return { messages, state, active, error, send, stop, goOn, resume, reload, readEarlier: earlier === null ? null : readEarlier };
}
