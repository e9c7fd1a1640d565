// The chat endpoint: one message of a person out, chunks of the answer in. The history is the server's; none of it is sent.
import { open } from '../api/client';
import { SseDecoder } from '../api/sse';
import type { Chunk } from './messages';

async function* chunksOf(response: Response): AsyncGenerator<Chunk[]> {
  const reader = response.body?.getReader();
  const decoder = new SseDecoder();
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return;
    const chunks: Chunk[] = [];
    for (const event of decoder.push(part.value)) if (event.data !== '[DONE]' && event.data !== '') chunks.push(JSON.parse(event.data) as Chunk);
    if (chunks.length > 0) yield chunks;
  }
}

export interface Panel {
  readonly fileId: string;
  readonly focused?: boolean;
  readonly pinned?: boolean;
}

export async function* say(conversation: string, message: string, panels: readonly Panel[], scopes: readonly string[], signal: AbortSignal): AsyncGenerator<Chunk[]> {
  const body = { id: conversation, message: { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text: message }] }, panels, scopes, trigger: 'submit-message' };
  const response = await open('/api/chat', {
    method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' }, body: JSON.stringify(body), signal,
  });
  yield* chunksOf(response);
}

/** What is being said right now, from its first chunk on; nothing where nothing is. */
export async function* rejoin(conversation: string, signal: AbortSignal): AsyncGenerator<Chunk[]> {
  const response = await open(`/api/chat/${encodeURIComponent(conversation)}/stream`, { headers: { Accept: 'text/event-stream' }, signal });
  if (response.status !== 204) yield* chunksOf(response);
}
