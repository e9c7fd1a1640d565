// The graph of issues: every issue a button, every dependency a line, and the same as words for those who do not see lines.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Edge, Issue } from '../api/types';
import { ago } from '../text/format';
import { inert } from '../text/inert';
import { useNow } from '../ui/use';
import { layoutOf, NODE } from './layout';

// Smaller than this nobody can read it; it scrolls instead.
const SMALLEST = 0.72;

const WORDS: Record<string, string> = { ready: 'ready', blocked: 'blocked', claimed: 'claimed', closed: 'closed' };

export function Graph({ issues, edges, chosen, choose }: { readonly issues: readonly Issue[]; readonly edges: readonly Edge[]; readonly chosen: string | null; readonly choose: (id: string) => void }) {
  const layout = useMemo(() => layoutOf(issues, edges), [issues, edges]);
  const now = useNow(1000);
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setRoom(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const scale = room === 0 ? 1 : Math.max(SMALLEST, Math.min(1, room / layout.width));
  const related = new Set(edges.filter((edge) => edge.from === chosen || edge.to === chosen).flatMap((edge) => [edge.from, edge.to]));
  const needs = (id: string) => edges.filter((edge) => edge.from === id && edge.type !== 'parent-child').map((edge) => edge.to);
  return (
    <div ref={box} class="graph" role="group" aria-label={`Graph of ${issues.length} issues`} tabIndex={0}>
      <div class="graph-room" style={{ width: `${layout.width * scale}px`, height: `${layout.height * scale}px` }}>
      <div class="graph-space" style={{ width: `${layout.width}px`, height: `${layout.height}px`, transform: `scale(${scale})` }}>
        <svg width={layout.width} height={layout.height} viewBox={`0 0 ${layout.width} ${layout.height}`} aria-hidden="true" focusable="false">
          <defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0.8L7 4 0 7.2" class="arrow" /></marker></defs>
          {layout.paths.map((path, at) => <path key={at} d={path.d} class={`edge ${path.edge.type === 'parent-child' ? 'parent' : 'blocks'} ${chosen && (path.edge.from === chosen || path.edge.to === chosen) ? 'near' : ''}`} marker-end="url(#arrow)" />)}
        </svg>
        {layout.nodes.map(({ issue, x, y }) => {
          const state = issue.state ?? issue.status ?? 'ready';
          const before = needs(issue.id);
          return (
            <button key={issue.id} type="button" class={`node ${inert(state)} ${issue.id === chosen ? 'chosen' : ''} ${chosen && !related.has(issue.id) && issue.id !== chosen ? 'far' : ''}`} aria-pressed={issue.id === chosen} onClick={() => choose(issue.id)}
              style={{ left: `${x}px`, top: `${y}px`, width: `${NODE.width}px`, height: `${NODE.height}px` }}>
              <span class="row small"><i class="lamp" /><code class="ink3">{inert(issue.id)}</code><span class="grow" />{issue.issueType === 'epic' && <span class="tag">epic</span>}{issue.priority !== undefined && <span class="ink3 num">P{issue.priority}</span>}</span>
              <span class="cut title" title={inert(issue.title ?? '')}>{inert(issue.title ?? '')}</span>
              {issue.holder && <span class="cut holder num">{inert(issue.holder)} · {ago(issue.expiresAt, now)} · fence {issue.fence ?? '–'}</span>}
              <span class="hidden-text">{`, ${WORDS[state] ?? state}${issue.holder ? `, held by ${inert(issue.holder)}` : ''}${before.length > 0 ? `, needs ${inert(before.join(', '))}` : ''}`}</span>
            </button>
          );
        })}
      </div>
      </div>
    </div>
  );
}
