import { describe, expect, it } from 'vitest';
import { Sequence, type Row } from '../src/api/follow';
import { SseDecoder, type SseEvent } from '../src/api/sse';

const STREAM = '\ufeff: hello\r\nid: 1\ndata: {"a":"ä漢👩"}\n\nid: 2\revent: end\rdata: one\rdata: two\r\rdata:no space\r\n\r\n:beat\n\nevent: alone\n\n';
const EXPECTED: SseEvent[] = [
  { event: 'message', data: '{"a":"ä漢👩"}', id: '1' },
  { event: 'end', data: 'one\ntwo', id: '2' },
  { event: 'message', data: 'no space', id: '2' },
  { event: 'alone', data: '', id: '2' },
];
const BYTES = new TextEncoder().encode(STREAM);

function decode(parts: Uint8Array[]): SseEvent[] {
  const decoder = new SseDecoder();
  return parts.flatMap((part) => decoder.push(part));
}

describe('the stream decoder', () => {
  it('gives the same events wherever the bytes are cut in two', () => {
    for (let cut = 0; cut <= BYTES.length; cut += 1) expect(decode([BYTES.slice(0, cut), BYTES.slice(cut)]), `cut at ${cut}`).toEqual(EXPECTED);
  });
  it('gives the same events byte by byte, with empty reads between', () => {
    const parts = [...BYTES].flatMap((byte) => [new Uint8Array([byte]), new Uint8Array()]);
    expect(decode(parts)).toEqual(EXPECTED);
  });
  it('holds back an event that is not complete', () => {
    expect(decode([new TextEncoder().encode('data: half\n')])).toEqual([]);
  });
  it('reads many events in one part in linear time', () => {
    const many = new TextEncoder().encode(Array.from({ length: 20_000 }, (_, at) => `id: ${at + 1}\ndata: ${at}\n\n`).join(''));
    const started = performance.now();
    expect(decode([many])).toHaveLength(20_000);
    expect(performance.now() - started).toBeLessThan(1500);
  });
});

const row = (seq: number): Row => ({ seq, at: '', digest: '', event: { kind: 'x' } });

describe('the order of rows', () => {
  it('drops what was seen before', () => {
    const sequence = new Sequence();
    sequence.take([row(1), row(2)]);
    expect(sequence.take([row(1), row(2), row(3)])).toEqual({ rows: [row(3)], gap: false });
  });
  it('refuses a gap and stays where it was', () => {
    const sequence = new Sequence(4);
    expect(sequence.take([row(5), row(7)])).toEqual({ rows: [row(5)], gap: true });
    expect(sequence.last).toBe(5);
  });
});
