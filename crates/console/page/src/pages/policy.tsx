// What runs may do at most: layers with the place they are from, rules, guards and their health, tools and their pins, gates.
import { useState } from 'preact/hooks';
import { ApiError, get } from '../api/client';
import { ago, cost, duration, plural } from '../text/format';
import { inert } from '../text/inert';
import { Icon } from '../ui/icons';
import { Json } from '../ui/json';
import { Chip, Digest, Empty, Failure, Inert, Loading, Segments, StateChip } from '../ui/kit';
import { useAnswer, useDoing, useNow } from '../ui/use';

interface PolicyShown {
  readonly principal: string;
  readonly role: string;
  readonly tier: string;
  readonly granted: readonly string[];
  readonly refused: readonly string[];
  readonly layers: readonly { layer: string; says: string; source: string }[];
  readonly rules: readonly { id: string; effect: string; reason: string; examples: number; source: string }[];
  readonly rulesFailed?: readonly string[];
  readonly guards: readonly { id: string; stages: readonly string[]; red?: string | null }[];
  readonly controls: unknown;
  readonly controlsSource: string;
  readonly packageDigest: string;
  readonly rulesDigest: string;
  readonly guardsDigest: string;
  readonly today: { toolCalls: number; costMicros: number };
  readonly asPromoted: boolean;
}

interface ToolItem {
  readonly name?: string;
  readonly tool?: string;
  readonly risk?: string;
  readonly scope?: string;
  readonly source?: string;
  readonly pin?: string | { state: string; digest?: string | null } | null;
  readonly description?: string;
}

interface Explanation {
  readonly effect: string;
  readonly policyName?: string | null;
  readonly reason?: string | null;
  readonly rules: readonly { id: string; effect: string; matched: boolean; reason: string }[];
  readonly tier: string;
  readonly role: string;
  readonly modelView?: unknown;
}

interface ModelItem {
  readonly provider: string;
  readonly state: string;
  readonly protocol: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly circuit: { coolingUntil?: string | null; consecutiveFailures: number; because?: string | null };
}

function Explain() {
  const [tool, setTool] = useState('shell');
  const [args, setArgs] = useState('{"command": "rm -rf target", "workdir": "."}');
  const [answer, setAnswer] = useState<Explanation | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const { busy, run } = useDoing();
  const ask = (event: Event) => {
    event.preventDefault();
    void run('explain', async () => {
      setError(null);
      try {
        setAnswer(await get<Explanation>('/api/policy/explain', { tool, args }));
      } catch (cause) {
        setAnswer(null);
        setError(cause as ApiError);
      }
    });
  };
  return (
    <section class="card" aria-label="Explain a call">
      <header><h2>What would become of a call</h2></header>
      <div class="body col">
        <form class="row wrap" onSubmit={ask}>
          <input class="field mono explain-tool" aria-label="Tool" value={tool} onInput={(event) => setTool(event.currentTarget.value)} />
          <input class="field mono grow" aria-label="Arguments as JSON" value={args} onInput={(event) => setArgs(event.currentTarget.value)} />
          <button type="submit" class="button" disabled={busy !== null || tool === ''}>Explain</button>
        </form>
        <p class="small ink3">Nothing runs and nobody is asked.</p>
        {error && <Failure error={error} command={`premath policy explain --tool ${tool}`} />}
        {answer && (
          <div class="col">
            <div class="row wrap"><StateChip state={answer.effect} /><span><Inert text={answer.reason ?? ''} /></span>{answer.policyName && <Chip mono>{inert(answer.policyName)}</Chip>}<Chip>as {inert(answer.role)}, tier {inert(answer.tier)}</Chip></div>
            <ul class="matched">{answer.rules.filter((rule) => rule.matched).map((rule) => <li key={rule.id} class="row wrap"><StateChip state={rule.effect} /><code>{inert(rule.id)}</code><span class="ink2"><Inert text={rule.reason} /></span></li>)}</ul>
            {answer.modelView !== undefined && answer.modelView !== null && <><h3>The model is told</h3><Json value={answer.modelView} label="What the model is told" /></>}
          </div>
        )}
      </div>
    </section>
  );
}

function Tools() {
  const answer = useAnswer<{ items?: readonly ToolItem[]; tools?: readonly ToolItem[] }>('/api/tools');
  const [show, setShow] = useState<'all' | 'drift'>('all');
  const all = answer.data?.items ?? answer.data?.tools ?? [];
  const pinOf = (it: ToolItem): string | null => (typeof it.pin === 'string' ? it.pin : (it.pin?.state ?? null));
  const drifted = (it: ToolItem) => pinOf(it) === 'drifted';
  const tools = all.filter((it) => show === 'all' || drifted(it));
  return (
    <section class="card flush" aria-label="Tools">
      <header><h2>Tools <span class="ink3 num">{all.length}</span></h2><Segments label="Show" chosen={show} choose={setShow} options={[['all', 'All'], ['drift', `Drifted ${all.filter(drifted).length}`]]} /></header>
      {answer.error ? <div class="body"><Failure error={answer.error} command="premath mcp list" again={answer.again} /></div> : tools.length === 0 ? <Empty icon="tool" title={show === 'drift' ? 'Every tool is what it was when it was pinned' : 'No tools'} /> : (
        <div class="tall" tabIndex={0} role="group" aria-label="Rows"><table class="table">
          <thead><tr><th scope="col">Tool</th><th scope="col">Risk</th><th scope="col">Scope</th><th scope="col">From</th><th scope="col">Pin</th></tr></thead>
          <tbody>{tools.map((it, at) => <tr key={at}><td><code title={inert(it.description ?? '')}>{inert(it.name ?? it.tool ?? '')}</code></td><td><Chip tone={it.risk === 'destructive' ? 'red' : it.risk === 'write' ? 'amber' : it.risk === 'create' ? 'blue' : ''}>{inert(it.risk ?? '–')}</Chip></td><td><code class="ink2">{inert(it.scope ?? '')}</code></td><td class="ink2">{inert(String(it.source ?? 'built in').replaceAll('_', ' '))}</td><td>{drifted(it) ? <Chip tone="red" dot title="it is not what was agreed to any more">drifted</Chip> : pinOf(it) ? <Chip tone={pinOf(it) === 'pinned' ? 'green' : ''} dot>{inert(pinOf(it) ?? '')}</Chip> : <span class="ink3">–</span>}</td></tr>)}</tbody>
        </table></div>
      )}
    </section>
  );
}

interface Promotion {
  readonly number: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly packageDigest: string;
  readonly evalReport?: string | null;
  readonly redTeamReport?: string | null;
}

interface Promotions {
  readonly asPromoted: boolean;
  readonly packageDigest: string;
  readonly items: readonly Promotion[];
}

function Report({ name, report, command }: { readonly name: string; readonly report: string | null | undefined; readonly command: string }) {
  return (
    <div class="gate-tile">
      <h3>{name}</h3>
      <Chip tone={report ? 'green' : ''} dot>{report ? 'met' : 'no report'}</Chip>
      {report ? <Digest value={report} label={`the report of the ${name}`} /> : <code class="small ink3">{command}</code>}
    </div>
  );
}

function Gates() {
  const answer = useAnswer<Promotions>('/api/governance');
  const now = useNow(10_000);
  const it = answer.data;
  const items = [...(it?.items ?? [])].sort((a, b) => b.number - a.number);
  const inForce = items.find((one) => one.packageDigest === it?.packageDigest) ?? items[0];
  return (
    <section class="card flush" aria-label="Gates">
      <header><h2>Gates</h2>{it && <Chip tone={items.length === 0 ? '' : it.asPromoted ? 'green' : 'red'} dot>{items.length === 0 ? 'nothing was promoted' : it.asPromoted ? 'the package in force passed them' : 'the package is not the promoted one'}</Chip>}</header>
      {answer.error ? <div class="body"><Failure error={answer.error} command="premath policy history" again={answer.again} /></div> : !it ? <Loading what="the gates" /> : (
        <>
          <div class="body gate-tiles"><Report name="Evals" report={inForce?.evalReport} command="premath eval guardrails" /><Report name="Red team" report={inForce?.redTeamReport} command="premath redteam" /></div>
          {items.length > 0 && <table class="table"><tbody>{items.slice(0, 6).map((one) => <tr key={one.number}><td class="num">{one.number}</td><td>{inert(one.action)} by {inert(one.actor)}</td><td><Digest value={one.packageDigest} label="the digest of the package" /></td><td class="right ink3 nowrap">{ago(one.at, now)}</td></tr>)}</tbody></table>}
        </>
      )}
    </section>
  );
}

function Models() {
  const answer = useAnswer<{ items: readonly ModelItem[]; chain: readonly string[] }>('/api/models');
  return (
    <section class="card flush" aria-label="Models">
      <header><h2>Models</h2>{answer.data && answer.data.chain.length > 0 && <Chip mono title="tried in this order">{inert(answer.data.chain.join(' → '))}</Chip>}</header>
      {answer.error ? <div class="body"><Failure error={answer.error} command="premath models list" again={answer.again} /></div> : (
        <table class="table"><tbody>{(answer.data?.items ?? []).map((it) => <tr key={it.provider}><td><code>{inert(it.provider)}</code></td><td class="ink2">{inert(it.protocol)}</td><td class="right"><Chip tone={it.state === 'ready' ? 'green' : it.state === 'cooling_down' ? 'amber' : ''} dot title={it.circuit.because ?? ''}>{inert(it.state.replaceAll('_', ' '))}</Chip></td></tr>)}</tbody></table>
      )}
    </section>
  );
}

/** Figures of a layer in units that people count in. */
export function layerWords({ layer, says }: { readonly layer: string; readonly says: string }): readonly [string, string] {
  const figure = /^\d+$/.test(says) ? Number(says) : null;
  if (layer === 'millionths of a dollar a day') return ['dollars a day', figure === null ? says : cost(figure)];
  if (layer === 'seconds a question waits') return ['how long a question waits', figure === null ? says : duration(figure * 1000)];
  return [layer, says];
}

export function Policy() {
  const answer = useAnswer<PolicyShown>('/api/policy', {}, 15_000);
  const it = answer.data;
  const [effect, setEffect] = useState<'all' | 'allow' | 'ask' | 'deny'>('all');
  const red = it?.guards.filter((guard) => guard.red).length ?? 0;
  return (
    <>
      <div class="topbar">
        <div class="titles"><h1>Policy</h1><div class="crumbs">{it ? `${inert(it.principal)} as ${inert(it.role)}, tier ${inert(it.tier)}` : ' '}</div></div>
        {it && <Chip tone={it.asPromoted ? 'green' : 'amber'} dot>{it.asPromoted ? 'as promoted' : 'not promoted'}</Chip>}
        {it && <span class="small ink2 num">today {plural(it.today.toolCalls, 'call')}, {cost(it.today.costMicros)}</span>}
      </div>
      <div class="page">
        {answer.error && <Failure error={answer.error} command="premath policy show" again={answer.again} />}
        {answer.loading && <Loading what="the policy" />}
        {it && (
          <div class="policy-grid">
            <section class="card flush wide" aria-label="Layers">
              <header><h2>Layers, each of which can only take away</h2></header>
              <table class="table">
                <thead><tr><th scope="col">Layer</th><th scope="col">Says</th><th scope="col">From</th></tr></thead>
                <tbody>{it.layers.map((layer) => <tr key={layer.layer}><td class="strong nowrap">{inert(layerWords(layer)[0])}</td><td><Inert text={layerWords(layer)[1]} /></td><td><code class="ink2">{inert(layer.source)}</code></td></tr>)}</tbody>
              </table>
              {it.refused.length > 0 && <div class="body"><div class="banner amber"><Icon name="warn" /><span>Above the ceiling: {inert(it.refused.join(', '))}</span></div></div>}
            </section>
            <section class="card" aria-label="Digests">
              <header><h2>Digests</h2></header>
              <div class="body"><dl class="facts"><dt>package</dt><dd><Digest value={it.packageDigest} label="the digest of the package" /></dd><dt>rules</dt><dd><Digest value={it.rulesDigest} label="the digest of the rules" /></dd><dt>guards</dt><dd><Digest value={it.guardsDigest} label="the digest of the guards" /></dd><dt>controls</dt><dd><code>{inert(it.controlsSource)}</code></dd></dl></div>
            </section>
            <section class="card flush" aria-label="Guards">
              <header><h2>Guards</h2><Chip tone={red > 0 ? 'red' : 'green'} dot>{red > 0 ? `${red} not well` : 'all well'}</Chip></header>
              <div class="tall short" tabIndex={0} role="group" aria-label="Guards, one row each"><table class="table"><tbody>{it.guards.map((guard) => <tr key={guard.id}><td><code>{inert(guard.id)}</code>{guard.red && <p class="del small"><Inert text={guard.red} /></p>}</td><td class="ink2 small">{inert(guard.stages.join(', '))}</td></tr>)}</tbody></table></div>
            </section>
            <section class="card flush wide" aria-label="Rules">
              <header><h2>Rules <span class="ink3 num">{it.rules.length}</span></h2><Segments label="Show" chosen={effect} choose={setEffect} options={[['all', 'All'], ['allow', 'Allow'], ['ask', 'Ask'], ['deny', 'Deny']]} /></header>
              {(it.rulesFailed ?? []).map((one) => <div key={one} class="body"><div class="banner red"><Icon name="warn" /><span><Inert text={one} /></span></div></div>)}
              <div class="tall" tabIndex={0} role="group" aria-label="Rows"><table class="table">
                <thead><tr><th scope="col">Effect</th><th scope="col">Rule</th><th scope="col">Why</th><th scope="col" class="right">Examples</th></tr></thead>
                <tbody>{it.rules.filter((rule) => effect === 'all' || rule.effect === effect).map((rule) => <tr key={rule.id}><td><StateChip state={rule.effect} /></td><td><code title={rule.source}>{inert(rule.id)}</code></td><td class="ink2"><Inert text={rule.reason} /></td><td class="right num">{rule.examples}</td></tr>)}</tbody>
              </table></div>
            </section>
            <Gates />
            <Models />
            <div class="wide"><Tools /></div>
            <div class="wide"><Explain /></div>
          </div>
        )}
      </div>
    </>
  );
}
