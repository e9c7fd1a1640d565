// Things that may be very long: lists, diffs, texts. Only what is on the screen is drawn; nothing is cut.
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isAtEnd, reveal, windowOf } from '../list/window';
import { countDiff, isDiff, parseDiff, type DiffLine } from '../text/diff';
import { Inert } from './kit';

interface VirtualProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly draw: (at: number) => ComponentChildren;
  readonly label: string;
  readonly role?: 'listbox' | 'list' | 'group' | 'log' | 'rowgroup';
  readonly class?: string;
  readonly height?: number;
  /** Kept in view when it changes. */
  readonly chosen?: number;
  /** Stay at the end as the list grows, while the reader is there. */
  readonly follow?: boolean;
  readonly onEnd?: () => void;
  readonly chosenId?: string;
}

export function Virtual({ count, rowHeight, draw, label, role = 'list', class: name = '', height, chosen, follow = false, onEnd, chosenId }: VirtualProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, size: height ?? 600 });
  const wasAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, size: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && follow && wasAtEnd.current) element.scrollTop = count * rowHeight;
  }, [count, follow, rowHeight]);
  useEffect(() => {
    const element = box.current;
    if (element && chosen !== undefined && chosen >= 0) element.scrollTop = reveal(chosen, rowHeight, element.scrollTop, element.clientHeight);
  }, [chosen, rowHeight]);
  const onScroll = (event: TargetedEvent<HTMLDivElement>) => {
    const { scrollTop, clientHeight } = event.currentTarget;
    wasAtEnd.current = isAtEnd(count, rowHeight, scrollTop, clientHeight);
    if (wasAtEnd.current) onEnd?.();
    setView({ top: scrollTop, size: clientHeight });
  };
  const shown = windowOf(count, rowHeight, view.top, view.size);
  const rows = [];
  for (let at = shown.first; at < shown.end; at += 1) rows.push(draw(at));
  return (
    <div ref={box} class={`virtual ${name}`} role={role} aria-label={label} tabIndex={0} onScroll={onScroll} style={height === undefined ? {} : { height: `${height}px` }} aria-activedescendant={chosenId}>
      <div class="space" role="presentation" style={{ height: `${shown.height}px` }}>
        <div class="drawn" role="presentation" style={{ transform: `translateY(${shown.offset}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}

const SIGN: Record<DiffLine['kind'], string> = { added: '+', removed: '−', same: '', hunk: '', file: '', note: '' };

function Line({ line }: { readonly line: DiffLine }) {
  return (
    <div class={`line ${line.kind}`}>
      <span class="n">{line.before ?? ''}</span>
      <span class="n">{line.after ?? ''}</span>
      <span class="sign">{SIGN[line.kind]}</span>
      <span class="words">
        {line.spans.map((span, at) => (span.changed ? <em key={at}><Inert text={span.text} /></em> : <Inert key={at} text={span.text} />))}
      </span>
    </div>
  );
}

/** A diff, whole. Beyond some hundred lines it scrolls by itself. */
export function Diff({ text, title }: { readonly text: string; readonly title?: string }) {
  const lines = useMemo(() => parseDiff(text), [text]);
  const counted = useMemo(() => countDiff(lines), [lines]);
  // What a change does is not always a diff: a new name, a folder with what goes with it.
  if (!isDiff(text)) return <LongText text={text} label={title ?? 'What it changes'} />;
  const files = lines.filter((line) => line.kind === 'file');
  const body = files.length === 2 ? lines.filter((line) => line.kind !== 'file') : lines;
  const name = title ?? files.map((line) => line.spans[0]?.text.replace(/^(---|\+\+\+) (?:[ab]\/)?/, '')).find((it) => it !== undefined && it !== '/dev/null');
  return (
    <div class="diff">
      <div class="head">
        <span class="grow cut"><Inert text={name ?? 'diff'} /></span>
        <span class="ins num">+{counted.added}</span>
        <span class="del num">−{counted.removed}</span>
      </div>
      {body.length > 400 ? (
        <Virtual class="lines" count={body.length} rowHeight={20} height={480} label={`Diff of ${name ?? 'a change'}`} role="group" draw={(at) => <Line key={at} line={body[at] as DiffLine} />} />
      ) : (
        <div class="lines" role="group" aria-label={`Diff of ${name ?? 'a change'}`} tabIndex={0}>
          {body.map((line, at) => <Line key={at} line={line} />)}
        </div>
      )}
    </div>
  );
}

/** A text of any length, whole. */
export function LongText({ text, label }: { readonly text: string; readonly label: string }) {
  const lines = useMemo(() => (text.length > 40_000 ? text.split('\n') : null), [text]);
  if (text === '') return <p class="ink3 small">empty</p>;
  if (lines && lines.length > 300)
    return <Virtual class="text block" count={lines.length} rowHeight={19} height={420} label={label} role="group" draw={(at) => <div key={at} class="long-line"><Inert text={lines[at] ?? ''} /></div>} />;
  return (
    <pre class="text block scroll" tabIndex={0} role="group" aria-label={label}>
      <Inert text={text} />
    </pre>
  );
}
