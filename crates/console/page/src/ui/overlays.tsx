// What lies over a page for a moment: the keys, and going to anything by name.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DeskFile, Issue, Page, RunItem } from '../api/types';
import { inert } from '../text/inert';
import { Icon, type IconName } from './icons';
import { allKeys } from './keys';
import { go, pathOf } from './route';
import { PAGES } from './shell';
import { useAnswer } from './use';

export function Dialog({ label, close, children, class: name = '' }: { readonly label: string; readonly close: () => void; readonly children: ComponentChildren; readonly class?: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const first = box.current?.querySelector<HTMLElement>('[data-first], input, button');
    (first ?? box.current)?.focus();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    if (event.key !== 'Tab') return;
    const stops = [...(box.current?.querySelectorAll<HTMLElement>('a[href], button:not(:disabled), input, textarea, select, [tabindex="0"]') ?? [])];
    const edge = event.shiftKey ? stops[0] : stops.at(-1);
    if (document.activeElement === edge || stops.length === 0) {
      event.preventDefault();
      (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
    }
  };
  return (
    <div class="veil" onMouseDown={(event) => event.target === event.currentTarget && close()}>
      <div ref={box} class={`dialog ${name}`} role="dialog" aria-modal="true" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
        {children}
      </div>
    </div>
  );
}

export function KeyMap({ close }: { readonly close: () => void }) {
  const groups = useMemo(() => Map.groupBy(allKeys(), (key) => key.group), []);
  return (
    <Dialog label="Keys" close={close}>
      <header>
        <h2>Keys</h2>
        <button type="button" class="button quiet small icon" aria-label="Close" onClick={close}><Icon name="cross" /></button>
      </header>
      <div class="inside keys">
        {[...groups].map(([group, keys]) => (
          <section key={group} class="col tight">
            <h3>{group}</h3>
            <dl>
              {keys.map((key) => (
                <>
                  <dt>{key.keys.split(' ').map((one) => <><kbd>{one}</kbd> </>)}</dt>
                  <dd>{key.says}</dd>
                </>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

interface Choice {
  readonly icon: IconName;
  readonly name: string;
  readonly more: string;
  readonly path: string;
}

export function Palette({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const runs = useAnswer<Page<RunItem>>('/api/runs', { limit: 100 });
  const files = useAnswer<Page<DeskFile>>('/api/desk/files');
  const issues = useAnswer<Page<Issue>>('/api/issues');
  const choices = useMemo((): Choice[] => {
    const all: Choice[] = [
      ...PAGES.map((page) => ({ icon: page.icon, name: page.name, more: page.key, path: page.path })),
      ...(runs.data?.items ?? []).map((run): Choice => ({ icon: 'play', name: run.task, more: run.runId, path: pathOf('runs', run.runId) })),
      ...(files.data?.items ?? []).map((file): Choice => ({ icon: 'file', name: file.name, more: file.id, path: pathOf('desk', file.id) })),
      ...(issues.data?.items ?? []).map((issue): Choice => ({ icon: 'work', name: issue.title ?? issue.id, more: issue.id, path: pathOf('work', issue.id) })),
    ];
    const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
    return all.filter((choice) => words.every((word) => `${choice.name} ${choice.more}`.toLowerCase().includes(word))).slice(0, 40);
  }, [text, runs.data, files.data, issues.data]);
  const take = (choice: Choice | undefined) => {
    if (!choice) return;
    close();
    go(choice.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      const next = (at + step + choices.length) % Math.max(1, choices.length);
      setAt(next);
      document.getElementById(`choice-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') take(choices[at]);
  };
  return (
    <Dialog label="Go to anything" close={close} class="palette">
      <input
        type="text" role="combobox" aria-label="Go to" aria-expanded="true" aria-controls="choices" aria-activedescendant={choices[at] ? `choice-${at}` : undefined} placeholder="A page, a run, a file, an issue …"
        value={text} onInput={(event) => (setText(event.currentTarget.value), setAt(0))} onKeyDown={onKeyDown}
      />
      <ul id="choices" role="listbox" aria-label="What there is">
        {choices.map((choice, index) => (
          <li key={choice.path} id={`choice-${index}`} role="option" aria-selected={index === at} onMouseMove={() => setAt(index)} onClick={() => take(choice)}>
            <Icon name={choice.icon} />
            <span class="grow cut">{inert(choice.name)}</span>
            <code class="ink3">{inert(choice.more)}</code>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
