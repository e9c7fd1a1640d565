// Messages of a conversation, put together from the chunks of a UI message stream. Pure: a chunk and a message in, a message out.

export interface TextPart {
  readonly type: 'text' | 'reasoning';
  readonly id?: string;
  readonly text: string;
  readonly state?: 'streaming' | 'done';
}

export interface ToolPart {
  readonly type: 'dynamic-tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly state: 'input-streaming' | 'input-available' | 'output-available' | 'output-error';
  readonly input?: unknown;
  readonly inputText?: string;
  readonly output?: unknown;
  readonly errorText?: string;
}

export interface DataPart {
  readonly type: `data-${string}`;
  readonly id?: string;
  readonly data: Record<string, unknown>;
}

export interface StepPart {
  readonly type: 'step-start';
}

export type Part = TextPart | ToolPart | DataPart | StepPart;

export interface Message {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly Part[];
  readonly metadata?: Record<string, unknown>;
}

export interface Chunk {
  readonly type: string;
  readonly [name: string]: unknown;
}

export type End = 'open' | 'finished' | 'aborted' | 'failed';

export interface Reply {
  readonly message: Message;
  readonly end: End;
  readonly error: string | null;
}

export function emptyReply(id: string): Reply {
  return { message: { id, role: 'assistant', parts: [] }, end: 'open', error: null };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function replace(parts: readonly Part[], at: number, part: Part): Part[] {
  const next = parts.slice();
  if (at < 0) next.push(part);
  else next[at] = part;
  return next;
}

function findText(parts: readonly Part[], type: 'text' | 'reasoning', id: string): number {
  return parts.findLastIndex((part) => part.type === type && (part as TextPart).id === id && (part as TextPart).state !== 'done');
}

function onText(parts: readonly Part[], type: 'text' | 'reasoning', phase: string, chunk: Chunk): readonly Part[] {
  const id = text(chunk['id']);
  const at = findText(parts, type, id);
  const part = at < 0 ? { type, id, text: '', state: 'streaming' as const } : (parts[at] as TextPart);
  if (phase === 'start') return at < 0 ? replace(parts, -1, part) : parts;
  if (phase === 'delta') return replace(parts, at, { ...part, text: part.text + text(chunk['delta']) });
  return at < 0 ? parts : replace(parts, at, { ...part, state: 'done' });
}

function onTool(parts: readonly Part[], chunk: Chunk): readonly Part[] {
  const id = text(chunk['toolCallId']);
  const at = parts.findLastIndex((part) => part.type === 'dynamic-tool' && (part as ToolPart).toolCallId === id);
  const part: ToolPart =
    at < 0 ? { type: 'dynamic-tool', toolCallId: id, toolName: text(chunk['toolName']) || 'tool', state: 'input-streaming' } : (parts[at] as ToolPart);
  switch (chunk.type) {
    case 'tool-input-start':
      return replace(parts, at, { ...part, toolName: text(chunk['toolName']) || part.toolName });
    case 'tool-input-delta':
      return replace(parts, at, { ...part, inputText: (part.inputText ?? '') + text(chunk['inputTextDelta']) });
    case 'tool-input-available':
      return replace(parts, at, { ...part, toolName: text(chunk['toolName']) || part.toolName, state: 'input-available', input: chunk['input'] });
    case 'tool-output-available':
      return replace(parts, at, { ...part, state: 'output-available', output: chunk['output'] });
    default:
      return replace(parts, at, { ...part, state: 'output-error', errorText: text(chunk['errorText']) });
  }
}

function onData(parts: readonly Part[], chunk: Chunk): readonly Part[] {
  if (chunk['transient'] === true) return parts;
  const id = typeof chunk['id'] === 'string' ? chunk['id'] : undefined;
  const at = id === undefined ? -1 : parts.findIndex((part) => part.type === chunk.type && (part as DataPart).id === id);
  const data = (chunk['data'] ?? {}) as Record<string, unknown>;
  return replace(parts, at, { type: chunk.type as `data-${string}`, data, ...(id === undefined ? {} : { id }) });
}

/** One more chunk. What is not known is left out: a newer server may say more. */
export function foldChunk(reply: Reply, chunk: Chunk): Reply {
  const { message } = reply;
  const withParts = (parts: readonly Part[]): Reply => (parts === message.parts ? reply : { ...reply, message: { ...message, parts } });
  const phase = /^(text|reasoning)-(start|delta|end)$/.exec(chunk.type);
  if (phase) return withParts(onText(message.parts, phase[1] as 'text' | 'reasoning', phase[2] ?? '', chunk));
  if (chunk.type.startsWith('tool-')) return withParts(onTool(message.parts, chunk));
  if (chunk.type.startsWith('data-')) return withParts(onData(message.parts, chunk));
  switch (chunk.type) {
    case 'start':
      return { ...reply, message: { ...message, id: text(chunk['messageId']) || message.id } };
    case 'start-step':
      return withParts([...message.parts, { type: 'step-start' }]);
    case 'finish':
      return { ...reply, end: reply.end === 'open' ? 'finished' : reply.end };
    case 'abort':
      return { ...reply, end: 'aborted' };
    case 'error':
      return { ...reply, end: 'failed', error: text(chunk['errorText']) };
    default:
      return reply;
  }
}

/** The parts of a stored message: tools with a name in their type are the same as dynamic ones. */
export function readMessage(raw: unknown): Message {
  const message = raw as { id?: string; role?: Message['role']; parts?: unknown[]; metadata?: Record<string, unknown> };
  const parts = (message.parts ?? []).map((part) => {
    const it = part as { type: string };
    return it.type.startsWith('tool-') ? ({ ...it, toolName: it.type.slice(5), type: 'dynamic-tool' } as ToolPart) : (it as Part);
  });
  return { id: message.id ?? '', role: message.role ?? 'assistant', parts, ...(message.metadata ? { metadata: message.metadata } : {}) };
}

/** How an answer ended that did not end by itself. `null`: it did, or it still goes on, or a person is asked. */
export type Broken = 'stopped' | 'broke-off' | null;

/** `active`: somebody works on the conversation now. An answer without an outcome that nobody works on was broken off. */
export function brokenEnd(message: Message, active: boolean): Broken {
  if (message.role !== 'assistant') return null;
  const outcome = message.metadata?.['outcome'];
  if (outcome === 'interrupted') return 'stopped';
  if (outcome === 'broken_off') return 'broke-off';
  const runId = message.metadata?.['runId'];
  return (outcome === undefined || outcome === null) && typeof runId === 'string' && !active ? 'broke-off' : null;
}

const lengthOf = (message: Message): number => message.parts.reduce((sum, part) => sum + (part.type === 'text' || part.type === 'reasoning' ? (part as TextPart).text.length : 0), 0);

/** What the server keeps, with what was streamed where it keeps less of an answer: what somebody read does not go away. */
export function keepStreamed(stored: readonly Message[], streamed: ReadonlyMap<string, Message>): Message[] {
  return stored.map((message) => {
    const read = streamed.get(message.id);
    if (!read || message.role !== 'assistant' || brokenEnd(message, false) === null || lengthOf(read) <= lengthOf(message)) return message;
    return { ...message, parts: read.parts };
  });
}

/** The same message with what a later stream of the same reply brought: it stands in for it. */
export function withReply(messages: readonly Message[], message: Message): Message[] {
  const at = messages.findIndex((it) => it.id === message.id);
  return at < 0 ? [...messages, message] : messages.map((it, index) => (index === at ? message : it));
}
