// Every run, those that need somebody first. Live: asked again every two seconds while somebody looks.
import { useMemo, useState } from 'preact/hooks';
import { post, type ApiError } from '../api/client';
import type { Page, RunItem } from '../api/types';
import { ago, cost, count, duration, model } from '../text/format';
import { inert } from '../text/inert';
import { Icon } from '../ui/icons';
import { useKeys } from '../ui/keys';
import { Chip, Empty, Failure, Inert, Loading, Segments, StateChip, tell } from '../ui/kit';
import { Virtual } from '../ui/long';
import { Dialog } from '../ui/overlays';
import { go, pathOf, type Place } from '../ui/route';
import { useAnswer, useDoing, useNow } from '../ui/use';

type Filter = 'all' | 'attention' | 'running' | 'done';

const WAITING = new Set(['waiting', 'needs_person']);
const TROUBLE = new Set(['failed_closed', 'blocked', 'limit', 'model_failed', 'interrupted', 'declined', 'expired', 'answered', 'question_expired', 'unreadable']);

export function stateOf(run: RunItem): string {
  return run.state ?? run.outcome ?? 'running';
}

/** Waiting for somebody first, then what runs, then what went wrong, then the rest; the newest of each first. */
export function rank(run: RunItem): number {
  const state = stateOf(run);
  if (WAITING.has(state) || (run.openQuestions ?? 0) > 0) return 0;
  if (state === 'running') return 1;
  return TROUBLE.has(state) ? 2 : 3;
}

function passes(run: RunItem, filter: Filter, words: readonly string[]): boolean {
  const group = rank(run);
  if (filter === 'attention' && group !== 0 && group !== 2) return false;
  if (filter === 'running' && group !== 1) return false;
  if (filter === 'done' && group !== 3) return false;
  const text = `${run.runId} ${run.task} ${run.issueId ?? ''} ${run.model ?? ''} ${stateOf(run)}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function Row({ run, now, chosen, at }: { readonly run: RunItem; readonly now: number; readonly chosen: boolean; readonly at: number }) {
  const end = run.stoppedAt ? Date.parse(run.stoppedAt) : now;
  const questions = run.openQuestions ?? 0;
  return (
    <div class={`run-row ${chosen ? 'chosen' : ''}`} role="row" aria-rowindex={at + 2} aria-selected={chosen}>
      <span role="cell"><StateChip state={stateOf(run)} /></span>
      <span role="cell" class="what">
        <a href={pathOf('runs', run.runId)} class="cut task"><Inert text={run.task} /></a>
        <span class="row small ink3">
          <code class="cut">{inert(run.runId)}</code>
          {run.issueId && <a class="chip mono" href={pathOf('work', run.issueId)}>{inert(run.issueId)}</a>}
          {run.parentRunId && <Chip title={run.parentRunId}>worker</Chip>}
          {(run.conversationId ?? run.conversation) && <Chip>chat</Chip>}
          {questions > 0 && <a class="chip amber" href={`/approvals?run=${encodeURIComponent(run.runId)}`}>{questions} open</a>}
        </span>
      </span>
      <span role="cell" class="now cut small" title={run.model ?? ''}>{run.currentTool ? <code>{inert(run.currentTool)}</code> : <span class="ink3">{inert(model(run.model))}</span>}</span>
      <span role="cell" class="num right">{run.turns}</span>
      <span role="cell" class="num right">{count(run.tokens)}</span>
      <span role="cell" class="num right">{cost(run.costMicroUsd ?? run.costMicros)}</span>
      <span role="cell" class="num right ink2" title={run.startedAt}>{ago(run.startedAt, now)}</span>
      <span role="cell" class="num right ink3 took">{duration(end - Date.parse(run.startedAt))}</span>
    </div>
  );
}

function NewRun({ close }: { readonly close: () => void }) {
  const [task, setTask] = useState('');
  const [refused, setRefused] = useState<ApiError | null>(null);
  const { busy, run } = useDoing();
  const start = (event: Event) => {
    event.preventDefault();
    void run('start', async () => {
      try {
        const { runId } = await post<{ runId: string }>('/api/runs', { task });
        close();
        tell('green', `${runId} has begun`);
        go(pathOf('runs', runId));
      } catch (error) {
        setRefused(error as ApiError);
      }
    });
  };
  return (
    <Dialog label="A new run" close={close}>
      <header><h2>A new run</h2></header>
      <form class="inside col" onSubmit={start}>
        <div>
          <label class="label" for="task">Task</label>
          <textarea id="task" data-first class="field" rows={4} value={task} placeholder="What is to be done" onInput={(event) => setTask(event.currentTarget.value)} />
        </div>
        <p class="small ink3">It runs in this server, with the tools and the policy of the workspace. What it may not do on its own it asks about under Approvals.</p>
        {refused && <Failure error={refused} />}
        <div class="row">
          <button type="submit" class="button primary" disabled={task.trim() === '' || busy !== null}>Begin</button>
          <button type="button" class="button quiet" onClick={close}>Not now</button>
        </div>
      </form>
    </Dialog>
  );
}

export function Runs({ place }: { readonly place: Place }) {
  const answer = useAnswer<Page<RunItem>>('/api/runs', { limit: 1000 }, 2000);
  const now = useNow();
  const [filter, setFilter] = useState<Filter>((place.query.get('show') as Filter | null) ?? 'all');
  const [text, setText] = useState(place.query.get('q') ?? '');
  const [chosen, setChosen] = useState(0);
  const [starting, setStarting] = useState(false);
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const all = answer.data?.items ?? [];
  const runs = useMemo(
    () => all.filter((run) => passes(run, filter, words)).sort((a, b) => rank(a) - rank(b) || b.startedAt.localeCompare(a.startedAt)),
    [answer.data, filter, text],
  );
  const attention = all.filter((run) => rank(run) === 0).length;
  const move = (step: number) => setChosen((it) => Math.max(0, Math.min(runs.length - 1, it + step)));
  useKeys([
    { keys: 'j', says: 'Next run', group: 'Runs', repeats: true, run: () => move(1) },
    { keys: 'k', says: 'Previous run', group: 'Runs', repeats: true, run: () => move(-1) },
    { keys: 'Enter', says: 'Open the run', group: 'Runs', run: () => runs[chosen] && go(pathOf('runs', runs[chosen].runId)) },
    { keys: 'n', says: 'A new run', group: 'Runs', run: () => setStarting(true) },
  ]);
  return (
    <>
      <div class="topbar">
        <div class="titles">
          <h1>Runs</h1>
          <div class="crumbs" aria-live="polite">{answer.data ? `${all.length} in this workspace${attention > 0 ? `, ${attention} waiting for you` : ''}` : ' '}</div>
        </div>
        <div class="search grow-some">
          <Icon name="search" />
          <input class="field" type="search" aria-label="Find runs" placeholder="Task, run, issue, model" value={text} onInput={(event) => (setText(event.currentTarget.value), setChosen(0))} />
        </div>
        <Segments label="Show" chosen={filter} choose={(it) => (setFilter(it), setChosen(0))} options={[['all', 'All'], ['attention', 'Needs attention'], ['running', 'Running'], ['done', 'Done']]} />
        <button type="button" class="button primary" onClick={() => setStarting(true)}><Icon name="plus" /> New run</button>
      </div>
      <div class="page fill">
        {answer.error && <div class="pad"><Failure error={answer.error} command="premath runs list" again={answer.again} /></div>}
        {answer.loading ? <Loading what="the runs" /> : runs.length === 0 && !answer.error ? (
          all.length === 0 ? (
            <Empty icon="runs" title="Nothing has run here yet" command='premath run "say what is to be done"'>Give a model a task; it shows up here as it works.</Empty>
          ) : (
            <Empty icon="search" title="No run is like that">{all.length} are hidden by the filter.</Empty>
          )
        ) : (
          <div class="runs" role="table" aria-label="Runs" aria-rowcount={runs.length + 1}>
            <div class="run-row head" role="row">
              {['State', 'Task', 'Now', 'Turns', 'Tokens', 'Cost', 'Began', 'Took'].map((name, at) => <span key={name} role="columnheader" class={at > 2 ? 'right' : at === 2 ? 'now' : ''}>{name}</span>)}
            </div>
            <Virtual class="wide-rows" role="rowgroup" count={runs.length} rowHeight={56} label="Runs, one row each" chosen={chosen} draw={(at) => { const run = runs[at]; return run && <Row key={run.runId} run={run} now={now} chosen={at === chosen} at={at} />; }} />
          </div>
        )}
      </div>
      {starting && <NewRun close={() => setStarting(false)} />}
    </>
  );
}
