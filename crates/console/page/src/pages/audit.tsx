// The audit log: search, whether the chain holds, and why something is as it is.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { get } from '../api/client';
import type { AuditRow, Page } from '../api/types';
import { ago, model, plural } from '../text/format';
import { inert } from '../text/inert';
import { Icon, type IconName } from '../ui/icons';
import { Json } from '../ui/json';
import { useKeys } from '../ui/keys';
import { Chip, Copy, Digest, Empty, Failure, Inert, Loading, StateChip, tellError } from '../ui/kit';
import { Virtual } from '../ui/long';
import { go, pathOf, type Place } from '../ui/route';
import { useAnswer, useDoing, useNow } from '../ui/use';

const KINDS = ['decision', 'approval', 'proposal', 'mutation', 'guard', 'policy', 'run'] as const;

interface Verified {
  readonly ok: boolean;
  readonly rows: number;
  readonly chainedRows: number;
  readonly errorCount: number;
  readonly warningCount: number;
  readonly unrecordedCount: number;
  readonly head?: string | null;
  readonly firstBad?: { class: string; detail: string; hint: string; path: string; line?: number | null } | null;
}

interface WhyStep {
  readonly kind: string;
  readonly depth: number;
  readonly detail: string;
  readonly at?: string | null;
  readonly ref?: string | null;
}

interface Why {
  readonly subject: string;
  readonly subjectKind: string;
  readonly complete: boolean;
  readonly changes: number;
  readonly steps: readonly WhyStep[];
}

const ICONS: Record<string, IconName> = {
  change: 'file', call: 'tool', turn: 'replay', witness: 'check', decision: 'policy', approval: 'approvals', proposal: 'plan', guard: 'policy', instruction: 'audit', permit: 'link', policy: 'policy', run: 'runs', person: 'person', model: 'spark', unknown: 'warn',
};

function refLink(step: WhyStep): string | null {
  const [, scheme = step.kind, ref = ''] = /^(?:([a-z]+):\/\/)?(.*)$/s.exec(step.ref ?? '') ?? [];
  if (ref.startsWith('apr_') || ref.startsWith('prp_')) return pathOf('approvals', ref);
  if (ref.startsWith('fil_')) return pathOf('desk', ref.replace(/@\d+$/, ''));
  if (scheme === 'issue') return pathOf('work', ref.replace(/@\d+$/, ''));
  if (scheme === 'run') return pathOf('runs', ref);
  if (scheme === 'turn' && /\.t\d+$/.test(ref)) return pathOf('runs', ref.replace(/\.t\d+$/, ''), 'turns', ref);
  return null;
}

function WhyView({ of, close }: { readonly of: string; readonly close: () => void }) {
  const answer = useAnswer<Why>('/api/audit/why', { of });
  const now = useNow(10_000);
  const why = answer.data;
  return (
    <section class="card" aria-label="Why it is as it is">
      <header><h2>Why <code>{inert(of)}</code> is as it is</h2>{why && <Chip tone={why.complete ? 'green' : 'amber'} dot>{why.complete ? 'every link is proven' : 'a link is missing'}</Chip>}<button type="button" class="button quiet small icon" aria-label="Close" onClick={close}><Icon name="cross" /></button></header>
      <div class="body">
        {answer.error && <Failure error={answer.error} command={`premath audit why ${of}`} again={answer.again} />}
        {answer.loading && <Loading what="the log" />}
        {why && why.steps.length === 0 && <Empty icon="audit" title="Nothing is known of it" command={`premath audit why ${of}`} />}
        {why && (
          <ol class="why-steps">
            {why.steps.map((step, at) => {
              const link = refLink(step);
              return (
                <li key={at} class={`step-${inert(step.kind)}`} style={{ marginLeft: `${Math.min(step.depth, 10) * 22}px` }}>
                  <span class="spot"><Icon name={ICONS[step.kind] ?? 'info'} /></span>
                  <div class="grow col tight">
                    <div class="row wrap"><b class="strong">{inert(step.kind)}</b>{step.at && <span class="small ink3" title={step.at}>{ago(step.at, now)}</span>}{step.ref && (link ? <a href={link} class="chip mono">{inert(step.ref)}</a> : <Digest value={step.ref} label="the reference" />)}</div>
                    <div class="ink2"><Inert text={step.kind === 'model' ? model(step.detail) : step.detail} /></div>
                  </div>
                </li>
              );
            })}
          </ol>
        )}
      </div>
    </section>
  );
}

function ChainStatus() {
  const answer = useAnswer<Verified>('/api/audit/verify');
  const it = answer.data;
  if (answer.error) return <Chip tone="red" dot title={answer.error.message}>{inert(answer.error.code)}</Chip>;
  if (!it) return <Chip>checking the chain</Chip>;
  const words = it.ok ? `chain holds, ${plural(it.chainedRows, 'row')}` : `chain broken: ${inert(it.firstBad?.class ?? '')}`;
  return (
    <span class="row" role="status">
      <Chip tone={it.ok ? 'green' : 'red'} dot title={it.firstBad?.detail ?? it.head ?? ''}>{words}</Chip>
      {it.unrecordedCount > 0 && <Chip tone="amber" title="changes that other tools made">{it.unrecordedCount} unrecorded</Chip>}
      <button type="button" class="button small" onClick={answer.again}><Icon name="check" /> Verify</button>
    </span>
  );
}

function subjectOf(row: AuditRow): string {
  return row.targets?.[0] ?? row.issueId ?? row.path ?? row.approvalId ?? row.proposalId ?? row.runId ?? row.id;
}

export function Audit({ place }: { readonly place: Place }) {
  const of = place.query.get('why');
  const [kind, setKind] = useState(place.query.get('kind') ?? '');
  const [words, setWords] = useState(place.query.get('q') ?? '');
  const [asked, setAsked] = useState(words);
  const answer = useAnswer<Page<AuditRow>>('/api/audit', { kind, q: asked, limit: 200 }, 5000);
  const [more, setMore] = useState<{ key: string; rows: readonly AuditRow[]; cursor: string | null | undefined }>({ key: '', rows: [], cursor: undefined });
  const [openId, setOpenId] = useState<string | null>(null);
  const [subject, setSubject] = useState(of ?? '');
  const { busy, run } = useDoing();
  const now = useNow(5000);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words), 250);
    return () => clearTimeout(timer);
  }, [words]);
  useEffect(() => setSubject(of ?? ''), [of]);
  const key = `${kind} ${asked}`;
  const rows = useMemo(() => {
    const first = answer.data?.items ?? [];
    const seen = new Set(first.map((row) => row.id));
    const all = [...first, ...(more.key === key ? more.rows.filter((row) => !seen.has(row.id)) : [])];
    const parts = asked.toLowerCase().split(/\s+/).filter((part) => part !== '');
    return all.filter((row) => parts.length === 0 || parts.every((part) => JSON.stringify(row).toLowerCase().includes(part)));
  }, [answer.data, more, key]);
  const cursor = more.key === key && more.cursor !== undefined ? more.cursor : answer.data?.nextCursor;
  const load = () => cursor && busy === null && run('more', async () => {
    try {
      const page = await get<Page<AuditRow>>('/api/audit', { kind, q: asked, limit: 200, cursor });
      setMore((old) => ({ key, rows: [...(old.key === key ? old.rows : []), ...page.items], cursor: page.nextCursor ?? null }));
    } catch (error) {
      tellError(error);
    }
  });
  const at = rows.findIndex((row) => row.id === openId);
  const opened = rows[at];
  const ask = (what: string) => go(what === '' ? '/audit' : `/audit?why=${encodeURIComponent(what)}`);
  useKeys([
    { keys: 'j', says: 'Next row', group: 'Audit', repeats: true, run: () => setOpenId(rows[at + 1]?.id ?? openId) },
    { keys: 'k', says: 'Previous row', group: 'Audit', repeats: true, run: () => setOpenId(rows[at - 1]?.id ?? openId) },
    { keys: 'w', says: 'Why did this change happen', group: 'Audit', run: () => opened && ask(subjectOf(opened)) },
  ]);
  return (
    <>
      <div class="topbar">
        <div class="titles"><h1>Audit</h1><div class="crumbs">What was decided and done, by whom, and why</div></div>
        <ChainStatus />
      </div>
      <div class="page fill">
        <div class="pad row wrap filters">
          <div class="search grow-some"><Icon name="search" /><input class="field" type="search" aria-label="Search the log" placeholder="Who, tool, file, issue, rule" value={words} onInput={(event) => setWords(event.currentTarget.value)} /></div>
          <select class="field" aria-label="Kind of row" value={kind} onChange={(event) => setKind(event.currentTarget.value)}><option value="">Every kind</option>{KINDS.map((it) => <option key={it} value={it}>{it}</option>)}</select>
          <span class="grow" />
          <form class="row" onSubmit={(event) => (event.preventDefault(), ask(subject.trim()))}>
            <input class="field why-field" aria-label="Why did this change happen: a file, an issue, a run, a digest" placeholder="Why? A file, issue, run, digest" value={subject} onInput={(event) => setSubject(event.currentTarget.value)} />
            <button type="submit" class="button" disabled={subject.trim() === ''}>Why</button>
          </form>
        </div>
        {answer.error && <div class="pad"><Failure error={answer.error} command="premath audit query" again={answer.again} /></div>}
        <div class={of || opened ? 'audit-split' : 'audit-whole'}>
          {answer.loading ? <Loading what="the log" /> : rows.length === 0 && !answer.error ? <Empty icon="audit" title={asked || kind ? 'No row is like that' : 'The log is empty'} command="premath audit query" /> : (
            <div class="audit-rows" role="table" aria-label="Rows of the audit log" aria-rowcount={rows.length + 1}>
              <div class="audit-row head" role="row">{['When', 'Kind', 'Effect', 'Who', 'What', 'About'].map((name) => <span key={name} role="columnheader">{name}</span>)}</div>
              <Virtual class="wide-rows grow" role="rowgroup" count={rows.length} rowHeight={34} label="Rows" chosen={at} onEnd={load} draw={(index) => {
                const row = rows[index];
                return row && (
                  <div key={row.id} class={`audit-row ${row.id === openId ? 'chosen' : ''}`} role="row" aria-rowindex={index + 2} onClick={() => setOpenId(row.id === openId ? null : row.id)}>
                    <span role="cell" class="num ink3 nowrap" title={row.at}>{ago(row.at, now)}</span><span role="cell">{inert(row.kind)}</span><span role="cell" class="effect"><StateChip state={row.effect} /></span><span role="cell" class="cut">{inert(row.actor)}</span>
                    <span role="cell" class="cut"><code>{inert(row.tool ?? String((row['action'] as string | undefined) ?? ''))}</code></span><span role="cell" class="cut ink2"><button type="button" class="plain-button cut" onClick={(event) => (event.stopPropagation(), setOpenId(row.id))}><Inert text={[...(row.targets ?? []), row.issueId, row.path, row.reason].filter(Boolean).join(' · ') || (row.runId ?? 'row')} /></button></span>
                  </div>
                );
              }} />
            </div>
          )}
          {(of || opened) && (
            <div class="audit-side">
              {of && <WhyView key={of} of={of} close={() => go('/audit')} />}
              {opened && (
                <section class="card" aria-label="The row">
                  <header><h2><code>{inert(opened.id)}</code></h2><Copy text={JSON.stringify(opened)} label="Copy the row" /><button type="button" class="button small" onClick={() => ask(subjectOf(opened))}>Why</button><button type="button" class="button quiet small icon" aria-label="Close the row" onClick={() => setOpenId(null)}><Icon name="cross" /></button></header>
                  <div class="body col">
                    <dl class="facts">
                      {opened.reason && <><dt>reason</dt><dd><Inert text={opened.reason} /></dd></>}
                      {opened.policyName && <><dt>rule</dt><dd><code>{inert(opened.policyName)}</code></dd></>}
                      {opened.runId && <><dt>run</dt><dd><a href={opened.callId ? pathOf('runs', opened.runId, 'turns', opened.callId) : pathOf('runs', opened.runId)}>{inert(opened.runId)}</a></dd></>}
                      {opened.approvalId && <><dt>approval</dt><dd><a href={pathOf('approvals', opened.approvalId)}>{inert(opened.approvalId)}</a></dd></>}
                      {opened.proposalId && <><dt>plan</dt><dd><a href={pathOf('approvals', opened.proposalId)}>{inert(opened.proposalId)}</a></dd></>}
                    </dl>
                    <Json value={opened} label="The whole row" />
                  </div>
                </section>
              )}
            </div>
          )}
        </div>
      </div>
    </>
  );
}
