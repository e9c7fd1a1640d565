// Work: the graph of issues, who works on what, and whether it is enough.
import { useMemo, useState } from 'preact/hooks';
import type { Attention, Edge, Issue } from '../api/types';
import { ago, plural } from '../text/format';
import { asText, inert } from '../text/inert';
import { Icon } from '../ui/icons';
import { useKeys } from '../ui/keys';
import { Chip, Empty, Failure, Inert, Loading, Segments, StateChip } from '../ui/kit';
import { Prose } from '../ui/prose';
import { go, pathOf, type Place } from '../ui/route';
import { useAnswer, useNow } from '../ui/use';
import { Chart, type Point } from '../work/chart';
import { Graph } from '../work/graph';

interface Lease {
  readonly issueId: string;
  readonly owner: string;
  readonly assignee?: string | null;
  readonly fence: number;
  readonly expiresAt: string;
  readonly state: string;
}

interface Session {
  readonly sessionId: string;
  readonly issueId?: string | null;
  readonly nextStep?: string | null;
  readonly state: string;
  readonly updatedAt: string;
}

interface Board {
  readonly leases?: readonly Lease[] | { items: readonly Lease[] };
  readonly sessions?: readonly Session[];
  readonly workers?: readonly Record<string, unknown>[];
  readonly coordinator?: Record<string, unknown> | null;
  readonly needsAttention?: readonly Attention[];
}

interface Kpi {
  readonly decision: { state: string; reason: string };
  readonly ratios: { kpi: number; gatePassRate: number; completedRowsPerDay: number; throughputPerWorkerPerDay: number };
  readonly counts: { completedRows: number; windowRows: number; activeWorkers: number };
  readonly thresholds: { target: number; rollback: number; minRows: number };
  readonly window: { end: string };
  readonly history?: readonly { end: string; kpi: number; windowRows: number }[];
}

interface IssueHistory {
  readonly items: readonly { rev: number; at?: string | null; actor?: string | null; authority?: string | null; wrote?: string | null; changed: readonly { member: string; before?: unknown; after?: unknown }[] }[];
}

const leasesOf = (board: Board | null): readonly Lease[] => (Array.isArray(board?.leases) ? board.leases : ((board?.leases as { items?: readonly Lease[] } | undefined)?.items ?? []));

/** The figures of the last days, from the first day on which anything was done. */
export function pointsOf(kpi: Pick<Kpi, 'history' | 'ratios' | 'window'>): Point[] {
  const days = kpi.history ?? [];
  const first = days.findIndex((day) => day.windowRows > 0);
  const before = first < 0 ? [] : days.slice(first).map((day): Point => ({ at: Date.parse(day.end), value: day.kpi }));
  return [...before, { at: Date.parse(kpi.window.end), value: kpi.ratios.kpi }];
}

/** What the figure means, for people; the exact reason is the title of the chip. */
export function kpiWords(kpi: Pick<Kpi, 'decision' | 'ratios' | 'thresholds' | 'counts'>): string {
  const { target, rollback, minRows } = kpi.thresholds;
  const figure = kpi.ratios.kpi.toFixed(2);
  if (kpi.counts.windowRows < minRows) return `${plural(kpi.counts.windowRows, 'step')} of the ${minRows} that are needed to say anything.`;
  if (kpi.ratios.kpi < rollback) return `${figure} is below ${rollback.toFixed(2)}: no worker is started until somebody says what was done about it.`;
  return kpi.ratios.kpi < target ? `${figure} is below the target of ${target.toFixed(2)}.` : `${figure} meets the target of ${target.toFixed(2)}.`;
}

function KpiTile() {
  const answer = useAnswer<Kpi>('/api/kpi', { history: 13 }, 15_000);
  const kpi = answer.data;
  const points = useMemo(() => (kpi ? pointsOf(kpi) : []), [answer.data]);
  if (answer.error) return <section class="card"><header><h2>Throughput</h2></header><div class="body"><Failure error={answer.error} command="premath harness-kpi" again={answer.again} /></div></section>;
  if (!kpi) return <section class="card"><header><h2>Throughput</h2></header><Loading what="the figure" /></section>;
  const tone = kpi.decision.state === 'rollback' ? 'red' : kpi.decision.state === 'on_target' || kpi.decision.state === 'target' || kpi.decision.state === 'pass' ? 'green' : 'amber';
  return (
    <section class="card" aria-label="Throughput">
      <header><h2>Throughput</h2><Chip tone={tone} dot title={kpi.decision.reason}>{inert(kpi.decision.state.replaceAll('_', ' '))}</Chip></header>
      <div class="body col">
        <dl class="figures"><div><dt>verified steps per worker and day</dt><dd class="num">{kpi.ratios.kpi.toFixed(2)}<small>target {kpi.thresholds.target.toFixed(1)}</small></dd></div><div><dt>gate pass rate</dt><dd class="num">{Math.round(kpi.ratios.gatePassRate * 100)} %</dd></div><div><dt>completed</dt><dd class="num">{kpi.counts.completedRows}<small>of {kpi.counts.windowRows}</small></dd></div></dl>
        {points.length > 1 ? <Chart points={points} target={kpi.thresholds.target} rollback={kpi.thresholds.rollback} label={`Throughput over ${plural(points.length, 'day')}, now ${kpi.ratios.kpi.toFixed(2)}`} /> : <p class="small ink3">{inert(kpiWords(kpi))} A line is drawn here from the second day on.</p>}
      </div>
    </section>
  );
}

function BoardCard({ board, now }: { readonly board: Board | null; readonly now: number }) {
  const leases = leasesOf(board);
  const sessions = board?.sessions ?? [];
  const workers = board?.workers ?? [];
  const text = (row: Record<string, unknown>, ...names: readonly string[]) => inert(asText(names.map((name) => row[name]).find((value) => value !== undefined && value !== null) ?? ''));
  return (
    <section class="card flush" aria-label="Workers">
      <header><h2>Workers</h2><span class="small ink3 num">{plural(leases.length, 'lease')}</span></header>
      {leases.length + sessions.length + workers.length === 0 ? <Empty icon="work" title="Nobody is at work" command="premath worker --worker-id one --work-cmd agent --verify-cmd 'cargo test'" /> : (
        <table class="table">
          <thead><tr><th scope="col">Who</th><th scope="col">Issue</th><th scope="col">Until</th><th scope="col" class="right">Fence</th></tr></thead>
          <tbody>
            {leases.map((lease) => <tr key={lease.issueId + lease.fence}><td class="strong">{inert(lease.assignee ?? lease.owner)}</td><td><a href={pathOf('work', lease.issueId)}>{inert(lease.issueId)}</a></td><td title={lease.expiresAt}><Chip tone={lease.state === 'active' ? 'blue' : 'red'} dot>{lease.state === 'active' ? ago(lease.expiresAt, now) : inert(lease.state)}</Chip></td><td class="right num">{lease.fence}</td></tr>)}
            {sessions.map((session) => <tr key={session.sessionId}><td>{inert(session.sessionId)}</td><td>{session.issueId ? <a href={pathOf('work', session.issueId)}>{inert(session.issueId)}</a> : <span class="ink3">–</span>}</td><td colSpan={2}><span class="row wrap"><StateChip state={session.state} /><span class="small ink3">{ago(session.updatedAt, now)}</span></span></td></tr>)}
            {workers.map((worker, at) => <tr key={`w${at}`}><td>{text(worker, 'workerId', 'id', 'name')}</td><td>{text(worker, 'issueId', 'issue') || '–'}</td><td colSpan={2}><span class="row wrap"><StateChip state={String(worker['state'] ?? worker['outcome'] ?? 'active')} /><span class="small ink3">{text(worker, 'lastStep', 'resultClass', 'worktree')}</span></span></td></tr>)}
          </tbody>
        </table>
      )}
    </section>
  );
}

function AttentionCard({ known }: { readonly known: readonly Attention[] | undefined }) {
  const answer = useAnswer<{ items: readonly Attention[] }>(known ? null : '/api/attention', {}, 10_000);
  const items = known ?? answer.data?.items ?? [];
  if (answer.error) return <section class="card"><header><h2>Needs a person</h2></header><div class="body"><Failure error={answer.error} command="premath observe-build" again={answer.again} /></div></section>;
  return (
    <section class="card flush" aria-label="Needs a person">
      <header><h2>Needs a person</h2><Chip tone={items.length > 0 ? 'amber' : 'green'} dot>{items.length === 0 ? 'nothing' : String(items.length)}</Chip></header>
      {items.length > 0 && <ul class="attention">{items.map((it, at) => <li key={at}><div class="row wrap"><Chip tone="amber" mono>{inert(it.reason)}</Chip><code>{inert(it.subject)}</code></div><p class="small ink2"><Inert text={it.detail} /></p></li>)}</ul>}
    </section>
  );
}

function IssueDetail({ id, issue, close }: { readonly id: string; readonly issue: Issue | undefined; readonly close: () => void }) {
  const answer = useAnswer<{ issue?: Issue } & Partial<Issue>>(`/api/issues/${encodeURIComponent(id)}`);
  const history = useAnswer<IssueHistory>(`/api/issues/${encodeURIComponent(id)}/history`);
  const now = useNow(5000);
  const shown: Issue | undefined = answer.data?.issue ?? ((answer.data?.id ? (answer.data as Issue) : undefined) ?? issue);
  return (
    <section class="card" aria-label={`Issue ${inert(id)}`}>
      <header><h2 class="row"><code>{inert(id)}</code> <Inert text={shown?.title} /></h2>{issue?.state && <StateChip state={issue.state} />}<button type="button" class="button quiet small icon" aria-label="Close the issue" onClick={close}><Icon name="cross" /></button></header>
      <div class="body col loose">
        {answer.error && <Failure error={answer.error} command={`premath issue show ${id}`} again={answer.again} />}
        {issue?.holder && <div class="banner amber"><Icon name="person" /><span>Held by <b>{inert(issue.holder)}</b>, the lease ends {ago(issue.expiresAt, now)}, fence {issue.fence}</span></div>}
        {shown?.description && <Prose text={shown.description} />}
        {shown?.acceptanceCriteria && <div><h3>Done when</h3><Prose text={shown.acceptanceCriteria} /></div>}
        {shown?.notes && <div><h3>Notes</h3><Prose text={shown.notes} /></div>}
        <div class="row wrap">{(shown?.labels ?? []).map((label) => <Chip key={label}>{inert(label)}</Chip>)}<a class="button small" href={`/audit?why=${encodeURIComponent(id)}`}>Why is it so</a></div>
        {history.data && <details class="quiet" open><summary>History</summary><ol class="history">{[...history.data.items].reverse().map((it) => <li key={it.rev}><span class="num ink3">r{it.rev}</span><span class="grow"><span class="row wrap small"><b class="strong">{inert(it.actor ?? it.wrote ?? '')}</b><code class="ink3">{inert(it.authority ?? '')}</code><span class="ink3">{ago(it.at, now)}</span></span><span class="small ink2">{it.changed.map((change) => inert(`${change.member}: ${asText(change.before) || '–'} → ${asText(change.after) || '–'}`)).join(' · ').slice(0, 600)}</span></span></li>)}</ol></details>}
      </div>
    </section>
  );
}

type Show = 'open' | 'all';

export function Work({ place }: { readonly place: Place }) {
  const answer = useAnswer<Board & { observation?: Board }>('/api/work', {}, 4000);
  const board = answer.data?.observation ?? answer.data;
  const [show, setShow] = useState<Show>('open');
  const graph = useAnswer<{ nodes: readonly Issue[]; edges: readonly Edge[] }>('/api/issues/graph', { graphScope: show === 'all' ? 'full' : 'active' }, 4000);
  const now = useNow();
  const chosen = place.parts[1] ?? null;
  const nodes = graph.data?.nodes ?? [];
  const { issues, edges } = useMemo(() => {
    const kept = nodes.filter((issue) => show === 'all' || issue.state !== 'closed' || issue.id === chosen);
    const ids = new Set(kept.map((issue) => issue.id));
    return { issues: kept, edges: (graph.data?.edges ?? []).filter((edge) => ids.has(edge.from) && ids.has(edge.to)) };
  }, [graph.data, show, chosen]);
  const choose = (id: string) => go(id === chosen ? '/work' : pathOf('work', id));
  const at = issues.findIndex((issue) => issue.id === chosen);
  useKeys([
    { keys: 'j', says: 'Next issue', group: 'Work', repeats: true, run: () => issues[at + 1] && go(pathOf('work', issues[at + 1]?.id ?? ''), 'replace') },
    { keys: 'k', says: 'Previous issue', group: 'Work', repeats: true, run: () => at > 0 && go(pathOf('work', issues[at - 1]?.id ?? ''), 'replace') },
  ]);
  const counted = (state: string) => nodes.filter((issue) => issue.state === state).length;
  return (
    <>
      <div class="topbar">
        <div class="titles"><h1>Work</h1><div class="crumbs num">{graph.data ? `${counted('ready')} ready, ${counted('claimed')} claimed, ${counted('blocked')} blocked${show === 'all' ? `, ${counted('closed')} closed` : ''}` : ' '}</div></div>
        <span class="row small ink2 states"><i class="lamp ready" /> ready <i class="lamp claimed" /> claimed <i class="lamp blocked" /> blocked <i class="lamp closed" /> closed</span>
        <Segments label="Show" chosen={show} choose={setShow} options={[['open', 'Open'], ['all', 'With closed']]} />
      </div>
      <div class="page">
        <div class="work-grid">
          <section class="card flush graph-card" aria-label="Issue graph">
            {graph.error && <div class="body"><Failure error={graph.error} command="premath issue list" again={graph.again} /></div>}
            {graph.loading ? <Loading what="the issues" /> : issues.length === 0 && !graph.error ? <Empty icon="work" title="There is nothing to do" command='premath issue add "say what is to be done"' /> : issues.length > 0 && <Graph issues={issues} edges={edges} chosen={chosen} choose={choose} />}
          </section>
          {chosen && <IssueDetail key={chosen} id={chosen} issue={nodes.find((issue) => issue.id === chosen)} close={() => go('/work')} />}
          <div class="work-row">
            <BoardCard board={board} now={now} />
            <KpiTile />
            <AttentionCard known={board?.needsAttention} />
          </div>
        </div>
      </div>
    </>
  );
}

