import { describe, expect, it } from 'vitest';
import { emptyReply, foldChunk, readMessage, withReply, type Chunk } from '../src/chat/messages';

const fold = (chunks: Chunk[]) => chunks.reduce(foldChunk, emptyReply('m'));

describe('a reply', () => {
  it('is put together from its chunks', () => {
    const reply = fold([
      { type: 'start', messageId: 'msg_1' }, { type: 'start-step' },
      { type: 'reasoning-start', id: 'r' }, { type: 'reasoning-delta', id: 'r', delta: 'hm' }, { type: 'reasoning-end', id: 'r' },
      { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: 'Hel' }, { type: 'text-delta', id: '0', delta: 'lo' }, { type: 'text-end', id: '0' },
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'desk_read_file', dynamic: true }, { type: 'tool-input-available', toolCallId: 'c', toolName: 'desk_read_file', input: { file_id: 'x' } },
      { type: 'tool-output-available', toolCallId: 'c', output: { ok: true } }, { type: 'finish-step' }, { type: 'finish' },
    ]);
    expect(reply.end).toBe('finished');
    expect(reply.message).toEqual({
      id: 'msg_1', role: 'assistant',
      parts: [
        { type: 'step-start' }, { type: 'reasoning', id: 'r', text: 'hm', state: 'done' }, { type: 'text', id: '0', text: 'Hello', state: 'done' },
        { type: 'dynamic-tool', toolCallId: 'c', toolName: 'desk_read_file', state: 'output-available', input: { file_id: 'x' }, output: { ok: true } },
      ],
    });
  });
  it('has one card for each id: a later one stands in for an earlier one', () => {
    const reply = fold([
      { type: 'data-confirmation', id: 'apr_1', data: { state: 'pending' } }, { type: 'data-notice', data: { text: 'a' } },
      { type: 'data-confirmation', id: 'apr_1', data: { state: 'approved' } }, { type: 'data-notice', data: { text: 'b' } }, { type: 'data-x', transient: true, data: {} },
    ]);
    expect(reply.message.parts.map((part) => [part.type, 'data' in part && (part.data['state'] ?? part.data['text'])])).toEqual([['data-confirmation', 'approved'], ['data-notice', 'a'], ['data-notice', 'b']]);
  });
  it('starts a new text where an id is used again after its end', () => {
    const reply = fold([{ type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: 'a' }, { type: 'text-end', id: '0' }, { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: 'b' }]);
    expect(reply.message.parts.map((part) => part.type === 'text' && part.text)).toEqual(['a', 'b']);
  });
  it('says how it ended', () => {
    expect(fold([{ type: 'abort' }, { type: 'finish' }]).end).toBe('aborted');
    expect(fold([{ type: 'error', errorText: 'no model answers' }])).toMatchObject({ end: 'failed', error: 'no model answers' });
  });
  it('does not mind chunks it does not know', () => {
    const reply = emptyReply('m');
    expect(foldChunk(reply, { type: 'message-metadata' })).toBe(reply);
  });
  it('reads tools of stored messages whatever they are called', () => {
    const message = readMessage({ id: 'a', role: 'assistant', parts: [{ type: 'tool-desk_read_file', toolCallId: 'c', state: 'output-available', output: 1 }] });
    expect(message.parts[0]).toMatchObject({ type: 'dynamic-tool', toolName: 'desk_read_file' });
    expect(withReply([message], { ...message, parts: [] })).toHaveLength(1);
  });
});
