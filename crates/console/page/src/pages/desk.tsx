// The desk: its files, one of them open, and the chat that works on them.
import { useCallback, useEffect, useState } from 'preact/hooks';
import { post, type ApiError } from '../api/client';
import type { DeskFile, Page, TreeItem } from '../api/types';
import { ChatPanel } from '../chat/panel';
import { hasDraft } from '../desk/drafts';
import { Editor } from '../desk/editor';
import { ago } from '../text/format';
import { inert } from '../text/inert';
import { Icon } from '../ui/icons';
import { useKeys } from '../ui/keys';
import { Empty, Failure, Inert, Segments, tell } from '../ui/kit';
import { Dialog } from '../ui/overlays';
import { go, pathOf, type Place } from '../ui/route';
import { useAnswer, useDoing, useLatest, useNow } from '../ui/use';

interface Match {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly snippet: string;
}

function NewFile({ close, made }: { readonly close: () => void; readonly made: (id: string) => void }) {
  const [name, setName] = useState('');
  const [type, setType] = useState('markdown');
  const [refused, setRefused] = useState<ApiError | null>(null);
  const { busy, run } = useDoing();
  const make = (event: Event) => {
    event.preventDefault();
    void run('make', async () => {
      try {
        const body = type === 'spreadsheet' ? { name, type, cells: {} } : type === 'folder' ? { name, type } : { name, type, content: '' };
        const answer = await post<{ id: string }>('/api/desk/files', body);
        close();
        made(answer.id);
      } catch (error) {
        setRefused(error as ApiError);
      }
    });
  };
  return (
    <Dialog label="Something new" close={close}>
      <header><h2>Something new on the desk</h2></header>
      <form class="inside col" onSubmit={make}>
        <div><label class="label" for="name">Name</label><input id="name" data-first class="field" value={name} maxLength={200} onInput={(event) => setName(event.currentTarget.value)} /></div>
        <div><label class="label" for="type">Kind</label><select id="type" class="field" value={type} onChange={(event) => setType(event.currentTarget.value)}><option value="markdown">Markdown</option><option value="spreadsheet">Spreadsheet</option><option value="folder">Folder</option></select></div>
        {refused && <Failure error={refused} />}
        <div class="row"><button type="submit" class="button primary" disabled={name.trim() === '' || busy !== null}>Make it</button><button type="button" class="button quiet" onClick={close}>Not now</button></div>
      </form>
    </Dialog>
  );
}

function Tree({ chosen, marks, refresh, openNew }: { readonly chosen: string | null; readonly marks: Readonly<Record<string, string>>; readonly refresh: number; readonly openNew: () => void }) {
  const tree = useAnswer<{ items: readonly TreeItem[] }>('/api/desk/tree', {}, 5000);
  const [words, setWords] = useState('');
  const found = useAnswer<{ items: readonly Match[] }>(words.trim() === '' ? null : '/api/desk/search', { q: words.trim() });
  const [showDeleted, setShowDeleted] = useState(false);
  const deleted = useAnswer<Page<DeskFile>>(showDeleted ? '/api/desk/files' : null, { deleted: true }, showDeleted ? 5000 : 0);
  const now = useNow(10_000);
  useEffect(() => (tree.again(), deleted.again()), [refresh]);
  const items = tree.data?.items ?? [];
  const gone = (deleted.data?.items ?? []).filter((it) => it.deletedAt);
  return (
    <aside class="explorer" aria-label="Files">
      <div class="bar"><h2 class="grow">Desk</h2><button type="button" class="button quiet small icon" aria-label="Something new" title="Something new (n)" onClick={openNew}><Icon name="plus" /></button></div>
      <div class="find search"><Icon name="search" /><input class="field" type="search" aria-label="Find in files" placeholder="Find in names and contents" value={words} onInput={(event) => setWords(event.currentTarget.value)} /></div>
      <div class="files">
        {tree.error && <Failure error={tree.error} command="premath desk tree" again={tree.again} />}
        {words.trim() !== '' ? (
          <ul>
            {(found.data?.items ?? []).map((it) => <li key={it.id}><a class={`file found ${it.id === chosen ? 'chosen' : ''}`} href={pathOf('desk', it.id)}><Icon name={it.type === 'spreadsheet' ? 'sheet' : 'file'} /><span class="col tight grow"><span class="cut"><Inert text={it.name} /></span><span class="small ink3 snippet"><Inert text={it.snippet} /></span></span></a></li>)}
            {found.data && found.data.items.length === 0 && <li class="small ink3 body">Nothing is called or says that.</li>}
          </ul>
        ) : items.length === 0 && !tree.loading && !tree.error ? (
          <Empty icon="desk" title="The desk is empty" command="premath desk add notes.md --file notes.md" />
        ) : (
          <ul>
            {items.map((it) => (
              <li key={it.id} style={{ paddingLeft: `${it.depth * 14}px` }}>
                {it.type === 'folder' ? <span class="file folder"><Icon name="folder" /><span class="cut"><Inert text={it.name} /></span></span> : (
                  <a class={`file ${it.id === chosen ? 'chosen' : ''}`} href={pathOf('desk', it.id)} aria-current={it.id === chosen ? 'true' : undefined}><Icon name={it.type === 'spreadsheet' ? 'sheet' : 'file'} /><span class="cut grow"><Inert text={it.name} /></span>{marks[it.id] && <span class={`mark ${marks[it.id]}`} title={marks[it.id]} />}</a>
                )}
              </li>
            ))}
          </ul>
        )}
        <button type="button" class="button quiet small deleted-toggle" aria-expanded={showDeleted} onClick={() => setShowDeleted(!showDeleted)}><Icon name="trash" /> {showDeleted ? 'Hide what was deleted' : 'What was deleted'}</button>
        {showDeleted && <ul>{gone.map((it) => <li key={it.id}><a class={`file gone ${it.id === chosen ? 'chosen' : ''}`} href={pathOf('desk', it.id)}><Icon name="file" /><span class="cut grow"><Inert text={it.name} /></span><span class="small ink3 nowrap">{ago(it.deletedAt, now)}</span></a></li>)}{gone.length === 0 && <li class="small ink3 body">Nothing.</li>}</ul>}
      </div>
    </aside>
  );
}

export function Desk({ place }: { readonly place: Place }) {
  const chosen = place.parts[1] ?? null;
  const [shows, setShows] = useState<'files' | 'file' | 'chat'>(chosen ? 'file' : 'files');
  // In a narrow window one part is shown at a time: a file that is opened is what one wants to see.
  useEffect(() => void (chosen && setShows('file')), [chosen]);
  const openNow = useLatest(chosen);
  const [refresh, setRefresh] = useState(0);
  const [making, setMaking] = useState(false);
  const [marks, setMarks] = useState<Record<string, string>>({});
  const changed = useCallback(() => setRefresh((it) => it + 1), []);
  const onEffect = useCallback((effect: Record<string, unknown>) => {
    const fileId = typeof effect['fileId'] === 'string' ? effect['fileId'] : '';
    switch (effect['kind']) {
      case 'open_panel': case 'activate_panel': case 'focus_panel':
        // Nobody is taken away from what they write: the file gets a mark, and they go there when they like.
        if (fileId && openNow.current !== null && openNow.current !== fileId && hasDraft(openNow.current)) {
          setMarks((all) => ({ ...all, [fileId]: 'modified' }));
          tell('blue', 'The assistant has something to show. It is marked on the left; what you write stays open.');
          return changed();
        }
        if (fileId) go(pathOf('desk', fileId));
        return;
      case 'tab_indicator':
        if (fileId) setMarks((all) => ({ ...all, [fileId]: inert(String(effect['indicator'] ?? effect['state'] ?? 'modified')) }));
        return changed();
      case 'notify':
        return tell(effect['level'] === 'error' ? 'red' : effect['level'] === 'success' ? 'green' : 'blue', String(effect['message'] ?? effect['text'] ?? ''));
      default:
        return changed();
    }
  }, []);
  useKeys([{ keys: 'n', says: 'Something new', group: 'Desk', run: () => setMaking(true) }, { keys: 'c', says: 'To the chat', group: 'Desk', run: () => (setShows('chat'), requestAnimationFrame(() => document.querySelector<HTMLElement>('.say textarea')?.focus())) }]);
  return (
    <div class="desk" data-shows={shows}>
      <h1 class="hidden-text">Desk</h1>
      <div class="desk-tabs"><Segments label="Part of the desk" chosen={shows} choose={setShows} options={[['files', 'Files'], ['file', 'File'], ['chat', 'Chat']]} /></div>
      <Tree chosen={chosen} marks={marks} refresh={refresh} openNew={() => setMaking(true)} />
      <div class="open-file">
        {chosen ? <Editor key={chosen} fileId={chosen} refresh={refresh} changed={changed} closed={() => (setShows('files'), go('/desk'))} /> : <Empty icon="file" title="No file is open">Choose one on the left, or ask the assistant to.</Empty>}
      </div>
      <ChatPanel panels={chosen ? [{ fileId: chosen, focused: true }] : []} onEffect={onEffect} deskChanged={changed} refresh={refresh} />
      {making && <NewFile close={() => setMaking(false)} made={(id) => (changed(), go(pathOf('desk', id)))} />}
    </div>
  );
}
