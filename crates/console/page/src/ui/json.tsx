// A value as JSON with colours: text nodes only, whole.
import { useMemo } from 'preact/hooks';
import { inert } from '../text/inert';
import { LongText } from './long';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;

export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = useMemo(() => {
    if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? '';
    try {
      return JSON.stringify(JSON.parse(value), null, 2);
    } catch {
      return value;
    }
  }, [value]);
  if (text.length > 20_000) return <LongText text={text} label={label} />;
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    parts.push(inert(text.slice(from, match.index)));
    const kind = match[2] ? 'key' : match[1] ? 'string' : 'other';
    parts.push(<span key={match.index} class={kind}>{inert(match[1] ?? match[3] ?? '')}</span>, match[2] ?? '');
    from = match.index + match[0].length;
  }
  parts.push(inert(text.slice(from)));
  return (
    <pre class="json block" role="group" aria-label={label} tabIndex={0}>
      {parts}
    </pre>
  );
}

/** The members of an object one below the other: short values beside their name, long ones as blocks. */
export function Arguments({ value }: { readonly value: unknown }) {
  const parsed = useMemo(() => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return value;
    }
  }, [value]);
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) return <Json value={parsed} label="Arguments" />;
  const members = Object.entries(parsed as Record<string, unknown>);
  if (members.length === 0) return <p class="ink3 small">no arguments</p>;
  return (
    <dl class="members">
      {members.map(([name, member]) => {
        const long = typeof member === 'object' && member !== null ? true : typeof member === 'string' && (member.includes('\n') || member.length > 120);
        return (
          <div key={name} class={long ? 'member long' : 'member'}>
            <dt><code>{inert(name)}</code></dt>
            <dd>{long ? typeof member === 'string' ? <LongText text={member} label={name} /> : <Json value={member} label={name} /> : <code>{inert(typeof member === 'string' ? member : JSON.stringify(member))}</code>}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** What a tool gave: JSON as JSON, anything else as the text it is; whole. */
export function Result({ value, label }: { readonly value: unknown; readonly label: string }) {
  const isJson = typeof value !== 'string' || /^\s*[[{]/.test(value);
  return isJson ? <div class="result"><Json value={value} label={label} /></div> : <LongText text={value} label={label} />;
}
