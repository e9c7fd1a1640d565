// A conversation on the screen: what was said, what is being said, and going on after a reload. The server keeps all of it.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get, post } from '../api/client';
import { emptyReply, foldChunk, readMessage, withReply, type Chunk, type DataPart, type Message, type Reply } from './messages';
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
  readonly send: (text: string, panels: readonly Panel[], scopes: readonly string[]) => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Takes up the stream again: after a card was answered, or a connection was lost. */
  readonly goOn: () => Promise<void>;
  readonly reload: () => Promise<void>;
  /** Reads the messages before the first one, where there are any. */
  readonly readEarlier: (() => Promise<void>) | null;
}

/** Whether a stored message has all of its run already: then a stream that is still kept has nothing to add. */
function isWhole(message: Message): boolean {
  const outcome = message.metadata?.['outcome'];
  return typeof outcome === 'string' && outcome !== 'needs_person';
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
  const older = useRef<readonly Message[]>([]);
  const shown = useRef<readonly Message[]>([]);
  shown.current = messages;
  const cut = useRef<AbortController | null>(null);
  const effects = useRef(onEffect);
  effects.current = onEffect;

  const load = useCallback(async (id: string, signal: AbortSignal): Promise<boolean> => {
    const stored = await get<Stored>(`/api/conversations/${encodeURIComponent(id)}`, {}, signal);
    const page = stored.messages.map(readMessage);
    const ids = new Set(page.map((message) => message.id));
    shown.current = [...older.current.filter((message) => !ids.has(message.id)), ...page];
    setMessages(shown.current);
    if (older.current.length === 0) setEarlier(stored.earlier ?? null);
    return Boolean(stored.active);
  }, []);

  const readEarlier = useCallback(async () => {
    if (conversation === null || earlier === null) return;
    const stored = await get<Stored>(`/api/conversations/${encodeURIComponent(conversation)}`, { before: earlier });
    older.current = [...stored.messages.map(readMessage), ...older.current];
    setMessages((all) => withoutDoubles([...older.current, ...all]));
    setEarlier(stored.earlier ?? null);
  }, [conversation, earlier]);

  const take = useCallback(async (stream: AsyncGenerator<Chunk[]>, signal: AbortSignal, isReplay = false): Promise<void> => {
    let reply: Reply = emptyReply(crypto.randomUUID());
    let frame = 0;
    const draw = () => {
      frame = 0;
      const { message } = reply;
      if (message.parts.length > 0) setMessages((all) => withReply(all, message));
    };
    setState('streaming');
    try {
      for await (const chunks of stream) {
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
    if (conversation === null) return;
    const mine = begin();
    setMessages((all) => [...all, { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] }]);
    await settle(mine, async () => {
      await take(say(conversation, text, panels, scopes, mine.signal), mine.signal);
      await load(conversation, mine.signal);
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

  return { messages, state, error, send, stop, goOn, reload, readEarlier: earlier === null ? null : readEarlier };
}
