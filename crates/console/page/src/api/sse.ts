// Server-sent events out of bytes, at whatever place they were cut. Fetch is used instead of EventSource, which cannot carry a token.

export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

// A line that grows beyond this is no event of ours; the stream is given up instead of the memory.
const MOST_LINE = 64 * 1024 * 1024;

export class SseDecoder {
  #decoder = new TextDecoder('utf-8');
  #rest = '';
  #skipNewline = false;
  #event = '';
  #data: string[] = [];
  #id = '';

  /** The events that these bytes complete. */
  push(chunk: Uint8Array): SseEvent[] {
    return this.#text(this.#decoder.decode(chunk, { stream: true }));
  }

  #text(text: string): SseEvent[] {
    const found: SseEvent[] = [];
    let from = 0;
    if (this.#skipNewline && text !== '') {
      if (text.startsWith('\n')) from = 1;
      this.#skipNewline = false;
    }
    const breaks = /\r\n|\r|\n/g;
    breaks.lastIndex = from;
    for (let match = breaks.exec(text); match; match = breaks.exec(text)) {
      const line = this.#rest + text.slice(from, match.index);
      this.#rest = '';
      from = breaks.lastIndex;
      if (match[0] === '\r' && from === text.length) this.#skipNewline = true;
      const event = this.#line(line);
      if (event) found.push(event);
    }
    this.#rest += text.slice(from);
    if (this.#rest.length > MOST_LINE) throw new Error('a line of the stream is too long');
    return found;
  }

  #line(line: string): SseEvent | null {
    if (line === '') return this.#dispatch();
    if (line.startsWith(':')) return null;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return null;
  }

  #dispatch(): SseEvent | null {
    const event = this.#event || 'message';
    const data = this.#data;
    this.#event = '';
    this.#data = [];
    if (data.length === 0 && event === 'message') return null;
    return { event, data: data.join('\n'), id: this.#id };
  }
}
