// One run: its turns on a time line, each with its chain; the rows of its journal; its workers; verify, replay, export.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { get, post, type ApiError } from '../api/client';
import type { RunCard } from '../api/types';
import { rowSummary, type RunModel, type Turn } from '../run/model';
import { Bars, MiniChain } from '../run/parts';
import { TurnDetail } from '../run/turn-detail';
import { useRun, type LiveRun } from '../run/use-run';
import { clock, cost, count, duration, model as modelName, plural } from '../text/format';
import { inert } from '../text/inert';
import { Icon } from '../ui/icons';
import { Json } from '../ui/json';
import { useKeys } from '../ui/keys';
import { Chip, Command, Copy, Empty, Failure, Inert, Loading, StateChip, Tabs, tell, tellError } from '../ui/kit';
import { Virtual } from '../ui/long';
import { go, pathOf, type Place } from '../ui/route';
import { useAnswer, useDoing } from '../ui/use';

interface Checked {
  readonly tone: 'green' | 'red';
  readonly words: string;
  readonly problems: readonly string[];
}

interface Verified {
  readonly ok?: boolean;
  readonly problems?: readonly { class: string; detail: string }[];
  readonly checked?: Record<string, number>;
  readonly rows?: number;
}

async function verify(runId: string): Promise<Checked> {
  // One run where the server can, else the whole workspace: what is looked at is never less.
  const one = `/api/runs/${encodeURIComponent(runId)}/verify`;
  const answer = await post<Verified>(one).catch((error: ApiError) => (error.status === 404 || error.status === 405 ? post<Verified>('/api/verify') : Promise.reject(error)));
  const ok = answer.ok ?? (answer.problems ?? []).length === 0;
  const rows = answer.rows ?? answer.checked?.['rows'];
  return { tone: ok ? 'green' : 'red', words: ok ? `Verified${rows === undefined ? '' : `: ${plural(rows, 'row')}, every digest holds`}` : 'It does not verify', problems: (answer.problems ?? []).map((it) => `${it.class}: ${it.detail}`) };
}

async function replay(runId: string): Promise<Checked> {
  const answer = await post<{ identical: boolean; rows: number; turns: number; firstDifference?: { seq: number; kind: string; detail: string } | null }>(`/api/runs/${encodeURIComponent(runId)}/replay`);
  const first = answer.firstDifference;
  return { tone: answer.identical ? 'green' : 'red', words: answer.identical ? `Replayed: ${plural(answer.rows, 'row')} of ${plural(answer.turns, 'turn')} come out the same` : 'It comes out differently', problems: first ? [`row ${first.seq} (${first.kind}): ${first.detail}`] : [] };
}

async function download(runId: string): Promise<void> {
  const answer = await get<{ items?: readonly unknown[] }>(`/api/runs/${encodeURIComponent(runId)}/export`);
  const lines = (answer.items ?? []).map((row) => `${JSON.stringify(row)}\n`);
  const url = URL.createObjectURL(new Blob(lines, { type: 'application/jsonl' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${runId}.journal.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function Actions({ runId, live, card, again }: { readonly runId: string; readonly live: LiveRun; readonly card: RunCard | null; readonly again: () => void }) {
  const { busy, run } = useDoing();
  const [checked, setChecked] = useState<Checked | null>(null);
  const check = (name: string, work: () => Promise<Checked>) => run(name, async () => {
    try {
      setChecked(await work());
    } catch (error) {
      tellError(error);
    }
  });
  const act = (name: string, words: string) => run(name, async () => {
    try {
      await post(`/api/runs/${encodeURIComponent(runId)}/${name}`);
      tell('green', words);
      again();
    } catch (error) {
      tellError(error);
    }
  });
  const ended = live.model.outcome !== null;
  const waits = live.model.outcome === 'needs_person';
  return (
    <>
      {checked && (
        <span role="status">
          <Chip tone={checked.tone} dot title={checked.problems.join('\n')}>{inert(checked.words)}{checked.problems.length > 0 ? `: ${inert(checked.problems[0] ?? '')}` : ''}</Chip>
        </span>
      )}
      <button type="button" class="button" disabled={busy !== null} onClick={() => check('verify', () => verify(runId))}><Icon name="check" /> Verify</button>
      <button type="button" class="button" disabled={busy !== null} onClick={() => check('replay', () => replay(runId))}><Icon name="replay" /> Replay</button>
      <button type="button" class="button icon" aria-label="Export the journal" title="Export the journal" disabled={busy !== null} onClick={() => run('export', () => download(runId).catch(tellError))}><Icon name="download" /></button>
      {waits && <a class="button primary" href={`/approvals?run=${encodeURIComponent(runId)}`}><Icon name="approvals" /> Answer it</a>}
      {ended && (card?.resumable ?? false) && <button type="button" class={`button ${waits ? '' : 'primary'}`} title={waits ? 'It waits for an answer; without one it only waits again' : ''} disabled={busy !== null} onClick={() => act('resume', 'The run goes on')}><Icon name="play" /> Resume</button>}
      {!ended && <button type="button" class="button danger" disabled={busy !== null} onClick={() => act('stop', 'The run is asked to stop')}><Icon name="stop" /> Stop</button>}
    </>
  );
}

function Figures({ model }: { readonly model: RunModel }) {
  const refused = model.turns.filter((turn) => turn.verdict === 'refused').length;
  const figures: readonly (readonly [string, string, string])[] = [
    ['Turns', String(model.turns.length), refused > 0 ? `${refused} refused` : 'none refused'], ['Calls', String(model.toolCalls), plural(new Set(model.turns.flatMap((turn) => turn.calls.map((call) => call.tool))).size, 'tool')],
    ['Tokens', count(model.tokens), ''], ['Cost', cost(model.costMicros), ''], ['Time', duration(model.lastAt - model.startedAt), ''], ['Rows', count(model.rows.length), ''],
  ];
  return (
    <dl class="figures">
      {figures.map(([name, value, more]) => <div key={name}><dt>{name}</dt><dd class="num">{value}{more && <small class={name === 'Turns' && refused > 0 ? 'del' : ''}>{more}</small>}</dd></div>)}
    </dl>
  );
}

function TurnRow({ turn, total, chosen, choose }: { readonly turn: Turn; readonly total: number; readonly chosen: boolean; readonly choose: () => void }) {
  const tools = [...new Set(turn.calls.map((call) => call.tool))].join(', ');
  const repeated = turn.calls.some((call) => call.repeats > 0);
  const boundary = turn.notes.some((note) => note.kind.startsWith('context.') || note.kind.startsWith('handoff.'));
  return (
    <div class={`turn-row ${chosen ? 'chosen' : ''} ${turn.verdict}`} role="option" id={`turn-${turn.number}`} aria-selected={chosen} onClick={choose}>
      <span class="num n">{turn.number}</span>
      <span class="grow col tight">
        <span class="row">
          <span class="cut grow">{tools ? <code>{inert(tools)}</code> : <Inert text={turn.text.slice(0, 120) || (turn.purpose ?? 'answer')} />}</span>
          {repeated && <span class="tag amber" title="repeats a call">repeat</span>}
          {boundary && <span class="tag" title="older turns were replaced or left out behind this one">compacted</span>}
          <span class="num small ink3">{turn.costMicros ? cost(turn.costMicros) : ''}</span>
        </span>
        <span class="row"><MiniChain turn={turn} /><Bars stretches={turn.stretches} total={total} /><span class="num small ink3 took">{duration(turn.endedAt - turn.startedAt)}</span></span>
      </span>
    </div>
  );
}

function Journal({ model, version }: { readonly model: RunModel; readonly version: number }) {
  const [openSeq, setOpenSeq] = useState<number | null>(null);
  const opened = openSeq === null ? null : model.rows[openSeq - 1];
  void version;
  return (
    <div class="journal">
      <Virtual class="wide-rows rows" role="log" count={model.rows.length} rowHeight={30} label={`${model.rows.length} rows of the journal`} follow draw={(at) => {
        const row = model.rows[at];
        return row && (
          <button key={row.seq} type="button" class={`journal-row ${row.seq === openSeq ? 'chosen' : ''}`} onClick={() => setOpenSeq(row.seq === openSeq ? null : row.seq)}>
            <span class="num ink3">{row.seq}</span><span class="num ink3">{clock(row.at)}</span><code>{inert(row.event.kind)}</code><span class="cut ink2"><Inert text={rowSummary(row)} /></span>
          </button>
        );
      }} />
      {opened && (
        <aside class="row-detail" aria-label={`Row ${opened.seq}`}>
          <div class="row"><h2 class="grow">Row {opened.seq}</h2><Copy text={JSON.stringify(opened)} label="Copy the row" /><button type="button" class="button quiet small icon" aria-label="Close the row" onClick={() => setOpenSeq(null)}><Icon name="cross" /></button></div>
          <p class="small ink3"><code>{inert(opened.digest)}</code></p>
          <Json value={opened.event} label={`Row ${opened.seq}`} />
        </aside>
      )}
    </div>
  );
}

function Worker({ runId, issueId, title, outcome, depth }: { readonly runId: string; readonly issueId: string; readonly title: string; readonly outcome: string | null; readonly depth: number }) {
  const card = useAnswer<RunCard>(depth < 6 && runId !== '' ? `/api/runs/${encodeURIComponent(runId)}` : null);
  const workers = card.data?.workers ?? [];
  return (
    <li>
      <div class="row wrap worker">
        <Icon name="work" /> {runId ? <a href={pathOf('runs', runId)}><Inert text={title || runId} /></a> : <Inert text={title} />}
        <Chip mono>{inert(issueId)}</Chip> <StateChip state={outcome ?? card.data?.run.outcome ?? 'running'} />
        {card.data && <span class="small ink3 num">{plural(card.data.turns.length, 'turn')}</span>}
      </div>
      {workers.length > 0 && <ul>{workers.map((it) => <Worker key={it.runId} runId={it.runId} issueId={it.issueId} title={it.title} outcome={it.outcome ?? null} depth={depth + 1} />)}</ul>}
    </li>
  );
}

const LINKS = { connecting: ['', 'connecting'], live: ['blue', 'live'], waiting: ['amber', 'connection lost, trying again'], ended: ['', 'complete'], failed: ['red', 'cannot be followed'] } as const;

export function Run({ runId, place }: { readonly runId: string; readonly place: Place }) {
  const [round, setRound] = useState(0);
  const live = useRun(runId, round);
  const card = useAnswer<RunCard>(`/api/runs/${encodeURIComponent(runId)}`, {}, live.link === 'ended' ? 0 : 4000);
  const { model, version } = live;
  const linked = place.parts[2] === 'turns' ? place.parts[3] : undefined;
  const tab = place.query.get('view') ?? 'turns';
  const [chosen, setChosen] = useState<string | null>(linked ?? null);
  useEffect(() => setChosen(linked ?? null), [linked]);
  const at = useMemo(() => {
    const found = chosen === null ? -1 : model.turns.findIndex((turn) => turn.callId === chosen);
    if (found >= 0) return found;
    const refused = model.turns.findIndex((turn) => turn.verdict === 'refused');
    return refused >= 0 ? refused : model.turns.length - 1;
  }, [chosen, version, model]);
  const turn = model.turns[at];
  const choose = (next: Turn | undefined) => next && (setChosen(next.callId), go(pathOf('runs', runId, 'turns', next.callId), 'replace'));
  const again = () => (setRound((it) => it + 1), card.again());
  useKeys([
    { keys: 'j', says: 'Next turn', group: 'Run', repeats: true, run: () => choose(model.turns[at + 1]) },
    { keys: 'k', says: 'Previous turn', group: 'Run', repeats: true, run: () => choose(model.turns[at - 1]) },
    { keys: 'e', says: 'Turns or events', group: 'Run', run: () => go(`${pathOf('runs', runId)}${tab === 'events' ? '' : '?view=events'}`) },
  ]);
  const total = Math.max(1, model.lastAt - model.startedAt);
  const run = card.data?.run;
  const isFinal = ['completed', 'handed_off', 'failed_closed'].includes(model.outcome ?? '');
  const [tone, words] = live.link === 'ended' && !isFinal ? (['', 'at rest'] as const) : LINKS[live.link];
  const state = model.outcome ?? run?.state ?? (model.rows.length > 0 ? 'running' : (run?.outcome ?? 'running'));
  const workers = model.workers.length > 0 ? model.workers : (card.data?.workers ?? []);
  if (live.link === 'failed' && live.error) return <div class="page"><Failure error={live.error} command="premath runs list" again={again} /></div>;
  return (
    <>
      <div class="topbar">
        <div class="titles">
          <div class="crumbs row"><a href="/runs">Runs</a> <span>/</span> <code class="cut">{inert(runId)}</code><Copy text={runId} label="Copy the run's name" /></div>
          <h1 class="run-task"><Inert text={run?.task ?? String((model.config as { task?: string } | null)?.task ?? ' ')} /></h1>
        </div>
        <div class="row wrap"><Actions runId={runId} live={live} card={card.data} again={again} /></div>
      </div>
      <div class="page fill">
        <div class="run-strip">
          <div class="row wrap">
            <StateChip state={state} />
            <span aria-live="polite"><Chip tone={tone} live={live.link === 'live'} dot>{words}</Chip></span>
            {run?.model && <Chip mono title={run.model}>{inert(modelName(run.model))}</Chip>}
            {run?.issueId && <a class="chip mono" href={pathOf('work', run.issueId)}>{inert(run.issueId)}</a>}
            {run?.parentRunId && <a class="chip mono" href={pathOf('runs', run.parentRunId)}>of {inert(run.parentRunId)}</a>}
            {card.data?.pattern && card.data.pattern !== 'single' && <Chip>{inert(card.data.pattern)}</Chip>}
            {model.classes.map((name) => <Chip key={name} tone="red" mono>{inert(name)}</Chip>)}
            {model.detail && <span class="small ink2"><Inert text={model.detail} /></span>}
          </div>
          <Figures model={model} />
          <Tabs label="Views of the run" chosen={tab} choose={(id) => go(`${pathOf('runs', runId)}${id === 'turns' ? '' : `?view=${id}`}`)} tabs={[{ id: 'turns', label: `Turns ${model.turns.length}` }, { id: 'events', label: `Events ${model.rows.length}` }, ...(workers.length > 0 ? [{ id: 'workers', label: `Workers ${workers.length}` }] : [])]} />
        </div>
        {model.rows.length === 0 ? (live.link === 'ended' ? <Empty icon="runs" title="The journal of this run is empty" command={`premath runs show ${runId}`} /> : <Loading what="the journal" />)
          : tab === 'events' ? <Journal model={model} version={version} />
          : tab === 'workers' ? <div class="page"><ul class="tree">{workers.map((it, index) => <Worker key={index} runId={it.runId ?? ''} issueId={it.issueId} title={it.title} outcome={it.outcome ?? null} depth={0} />)}</ul></div>
          : (
            <div class="two run">
              <div class="list">
                <div class="pad row small ink3 legend"><span class="grow">Time of {duration(total)}</span><i class="model" /> model <i class="tool" /> tools <i class="human" /> people</div>
                <Virtual class="wide-rows grow" role="listbox" count={model.turns.length} rowHeight={56} label="Turns" chosen={at} chosenId={turn ? `turn-${turn.number}` : undefined} draw={(index) => {
                  const one = model.turns[index];
                  return one && <TurnRow key={one.callId} turn={one} total={total} chosen={index === at} choose={() => choose(one)} />;
                }} />
              </div>
              <div class="detail">{turn ? <TurnDetail key={turn.callId} runId={runId} turn={turn} resting={model.outcome !== null} /> : <Empty icon="clock" title="No turn yet"><Command text={`premath runs show ${runId}`} /></Empty>}</div>
            </div>
          )}
      </div>
    </>
  );
}
