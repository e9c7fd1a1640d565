import { expect, test } from 'vitest';
import { brokenEnd, keepStreamed, type Message } from '../src/chat/messages';

const said = (text: string, metadata?: Record<string, unknown>): Message => ({ id: 'm1', role: 'assistant', parts: text === '' ? [{ type: 'step-start' }] : [{ type: 'step-start' }, { type: 'text', text }], ...(metadata ? { metadata } : {}) });

test('an answer that did not end by itself says how it ended', () => {
  expect(brokenEnd(said('', { runId: 'r', outcome: 'interrupted' }), false)).toBe('stopped');
  expect(brokenEnd(said('', { runId: 'r', outcome: 'broken_off' }), false)).toBe('broke-off');
  expect(brokenEnd(said('', { runId: 'r' }), false)).toBe('broke-off');
  expect(brokenEnd(said('', { runId: 'r' }), true)).toBe(null);
  expect(brokenEnd(said('', { runId: 'r', outcome: 'completed' }), false)).toBe(null);
  expect(brokenEnd(said('', { runId: 'r', outcome: 'needs_person' }), false)).toBe(null);
  expect(brokenEnd({ ...said('', { runId: 'r' }), role: 'user' }, false)).toBe(null);
});

test('what was streamed stays where the server keeps less of it, and nowhere else', () => {
  const streamed = new Map([['m1', said('slow is the sn')]]);
  const stopped = keepStreamed([said('', { runId: 'r', outcome: 'interrupted' })], streamed)[0];
  expect(stopped).toMatchObject({ metadata: { outcome: 'interrupted' }, parts: [{ type: 'step-start' }, { text: 'slow is the sn' }] });
  const whole = said('short', { runId: 'r', outcome: 'completed' });
  expect(keepStreamed([whole], streamed)[0]).toBe(whole);
  const longer = said('slow is the snail, kept', { runId: 'r', outcome: 'interrupted' });
  expect(keepStreamed([longer], streamed)[0]).toBe(longer);
});
