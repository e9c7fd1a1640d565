// A file of the desk: to read, to write, and every version it had. A change names the version that was read.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError, post, send } from '../api/client';
import type { DeskDocument, DeskVersion, Page } from '../api/types';
import { ago, bytes, plural } from '../text/format';
import { inert } from '../text/inert';
import { Icon } from '../ui/icons';
import { Chip, Digest, Empty, Failure, Inert, Loading, Segments, tell, tellError } from '../ui/kit';
import { Virtual } from '../ui/long';
import { Prose } from '../ui/prose';
import { useAnswer, useDoing, useNow } from '../ui/use';
import { draftOf, isDirty, keepDraft, NO_DRAFT, type Draft } from './drafts';
import { addressOf, columnName, extentOf, readCells, shown, typed, type Cells } from './sheet';

type View = 'preview' | 'edit' | 'history';

function Grid({ cells, changes, change }: { readonly cells: Cells; readonly changes: Readonly<Record<string, string>>; readonly change: (address: string, text: string) => void }) {
  const { columns, rows } = useMemo(() => extentOf(cells), [cells]);
  const names = Array.from({ length: columns }, (_, column) => columnName(column));
  return (
    <div class="sheet" role="table" aria-label="Spreadsheet" aria-rowcount={rows + 1} aria-colcount={columns + 1}>
      <div class="sheet-row head" role="row"><span role="columnheader" class="corner" aria-label="Row" />{names.map((name) => <span key={name} role="columnheader">{name}</span>)}</div>
      <Virtual role="rowgroup" class="grow" count={rows} rowHeight={28} label="Cells" draw={(row) => (
        <div key={row} class="sheet-row" role="row" aria-rowindex={row + 2}>
          <span role="rowheader">{row + 1}</span>
          {names.map((name, column) => {
            const address = addressOf(column, row);
            const cell = cells[address];
            const changed = changes[address];
            const text = changed ?? shown(cell);
            return (
              <span key={name} role="cell" class={`${changed === undefined ? '' : 'changed'} ${typeof cell?.value === 'number' ? 'number' : ''}`} title={cell?.formula ? `${address} ${cell.formula}` : address}>
                <input class="num" aria-label={address} value={inert(text)} spellcheck={false} onChange={(event) => change(address, event.currentTarget.value)} />
                {cell?.formula && <i aria-hidden="true">ƒ</i>}
              </span>
            );
          })}
        </div>
      )} />
    </div>
  );
}

function History({ fileId, version, restored, show }: { readonly fileId: string; readonly version: number; readonly restored: () => void; readonly show: (version: number) => void }) {
  const answer = useAnswer<Page<DeskVersion>>(`/api/desk/files/${encodeURIComponent(fileId)}/history`);
  const now = useNow(5000);
  const { busy, run } = useDoing();
  const restore = (to: number) => run('restore', async () => {
    try {
      await post(`/api/desk/files/${encodeURIComponent(fileId)}/restore`, { version: to });
      tell('green', `Version ${to} is back`);
      answer.again();
      restored();
    } catch (error) {
      tellError(error);
    }
  });
  if (answer.error) return <Failure error={answer.error} command={`premath desk history ${fileId}`} again={answer.again} />;
  return (
    <table class="table">
      <thead><tr><th scope="col">Version</th><th scope="col">When</th><th scope="col">Who</th><th scope="col">On what authority</th><th scope="col">Size</th><th scope="col"><span class="hidden-text">Actions</span></th></tr></thead>
      <tbody>
        {[...(answer.data?.items ?? [])].sort((a, b) => b.version - a.version).map((it) => (
          <tr key={it.version}>
            <td class="num">{it.version}{it.isDeleted && <> <Chip tone="red">deleted</Chip></>}</td>
            <td class="nowrap" title={it.at}>{ago(it.at, now)}</td>
            <td>{inert(it.actor || it.changedBy)}</td>
            <td><code>{inert(it.authority)}</code></td>
            <td class="num">{bytes(it.bytes)}</td>
            <td class="right nowrap">
              {!it.isDeleted && <button type="button" class="button quiet small" onClick={() => show(it.version)}>Look</button>}
              {!it.isDeleted && it.version !== version && <button type="button" class="button small" disabled={busy !== null} onClick={() => restore(it.version)}>Restore</button>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Editor({ fileId, refresh, changed, closed }: { readonly fileId: string; readonly refresh: number; readonly changed: () => void; readonly closed: () => void }) {
  const [old, setOld] = useState<number | null>(null);
  const answer = useAnswer<DeskDocument>(`/api/desk/files/${encodeURIComponent(fileId)}`, old === null ? {} : { version: old }, 5000);
  const [view, setView] = useState<View>('preview');
  const [kept, setKept] = useState<Draft>(() => draftOf(fileId));
  const { text: draft, cells, base } = kept;
  const keep = (next: Draft) => {
    keepDraft(fileId, next);
    setKept(next);
  };
  const { busy, run } = useDoing();
  useEffect(() => answer.again(), [refresh]);
  const file = answer.data?.file;
  const isSheet = file?.type === 'spreadsheet';
  const parsed = useMemo(() => (isSheet && answer.data ? readCells(answer.data.content) : null), [answer.data, isSheet]);
  const dirty = isDirty(kept);
  const forget = () => keep(NO_DRAFT);
  const save = () => run('save', async () => {
    if (!file) return;
    const body = isSheet ? { version: base, updates: Object.entries(cells).map(([cell, text]) => ({ cell, value: typed(text) })) } : { version: base, content: draft ?? '' };
    try {
      await send('PUT', `/api/desk/files/${encodeURIComponent(file.id)}`, body);
      tell('green', `${file.name} is saved`);
      forget();
      answer.again();
      changed();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'desk_version_stale') tell('red', 'Somebody changed it since you began. Your text is still here; look at the history before you save.');
      else tellError(error);
    }
  });
  const remove = () => run('delete', async () => {
    if (!file) return;
    try {
      await send('DELETE', `/api/desk/files/${encodeURIComponent(file.id)}`, { version: file.version });
      tell('green', `${file.name} is deleted; its history has every version`);
      changed();
      answer.again();
    } catch (error) {
      tellError(error);
    }
  });
  const undelete = () => run('restore', async () => {
    try {
      await post(`/api/desk/files/${encodeURIComponent(fileId)}/restore`, {});
      tell('green', 'It is back');
      changed();
      answer.again();
    } catch (error) {
      tellError(error);
    }
  });
  const write = (text: string) => {
    keep({ ...kept, text, base: dirty ? base : (file?.version ?? 0) });
  };
  const changeCell = (address: string, text: string) => {
    keep({ ...kept, cells: { ...cells, [address]: text }, base: dirty ? base : (file?.version ?? 0) });
  };
  if (answer.error?.code === 'desk_deleted' && old === null)
    return (
      <section class="editor" aria-label="A deleted file">
        <header class="bar"><Icon name="trash" /><h2 class="cut grow">Deleted</h2><button type="button" class="button small" disabled={busy !== null} onClick={undelete}><Icon name="undo" /> Undo delete</button><button type="button" class="button quiet small icon" aria-label="Close the file" onClick={closed}><Icon name="cross" /></button></header>
        <div class="body"><div class="banner amber"><Icon name="info" /><span><Inert text={answer.error.message} />. Every version of it is kept.</span></div></div>
        <div class="paper flush"><History fileId={fileId} version={-1} restored={() => (changed(), answer.again())} show={(it) => (setOld(it), setView('preview'))} /></div>
      </section>
    );
  if (answer.error && !answer.data) return <div class="body"><Failure error={answer.error} command={`premath desk show ${fileId}`} again={answer.again} /></div>;
  if (!answer.data || !file) return <Loading what="the file" />;
  return (
    <section class="editor" aria-label={`File ${inert(file.name)}`}>
      <header class="bar">
        <Icon name={isSheet ? 'sheet' : 'file'} />
        <h2 class="cut grow" title={file.id}><Inert text={file.name} /></h2>
        <span class="small ink3 num nowrap">v{answer.data.shownVersion} · {bytes(file.bytes)}</span>
        {file.deletedAt && <Chip tone="red">deleted</Chip>}
        <Chip title="who made it what it is">{inert(file.origin)}</Chip>
        {dirty ? (
          <>
            <button type="button" class="button quiet small" onClick={forget}>Discard</button>
            <button type="button" class="button primary small" disabled={busy !== null} onClick={save}>Save {isSheet ? plural(Object.keys(cells).length, 'cell') : ''}</button>
          </>
        ) : (
          <Segments label="View" chosen={view} choose={(it) => (setView(it), setOld(null))} options={isSheet ? [['preview', 'Sheet'], ['history', 'History']] : [['preview', 'Read'], ['edit', 'Write'], ['history', 'History']]} />
        )}
        {file.deletedAt ? <button type="button" class="button small" disabled={busy !== null} onClick={undelete}><Icon name="undo" /> Undo delete</button>
          : !dirty && <button type="button" class="button quiet small icon" aria-label={`Delete ${inert(file.name)}`} title="Delete (can be undone)" disabled={busy !== null} onClick={remove}><Icon name="trash" /></button>}
        <button type="button" class="button quiet small icon" aria-label="Close the file" onClick={closed}><Icon name="cross" /></button>
      </header>
      {old !== null && <div class="banner blue"><Icon name="clock" /><span class="grow">Version {old} of {file.version}, as it was</span><button type="button" class="button small" onClick={() => setOld(null)}>Back to the present</button></div>}
      {view === 'history' ? (
        <div class="paper flush"><History fileId={file.id} version={file.version} restored={() => (changed(), answer.again())} show={(it) => (setOld(it), setView('preview'))} /><div class="body small ink3 row">content <Digest value={file.digest} label="the digest" /></div></div>
      ) : isSheet ? (
        parsed ? <Grid cells={parsed} changes={cells} change={changeCell} /> : <Empty icon="sheet" title="This is not a sheet that can be shown" command={`premath desk show ${file.id}`} />
      ) : view === 'edit' || draft !== null ? (
        <textarea class="writing" aria-label={`Content of ${inert(file.name)}`} spellcheck={false} value={draft ?? answer.data.content} onInput={(event) => write(event.currentTarget.value)} />
      ) : (
        <div class="paper" tabIndex={0} role="document" aria-label={inert(file.name)}>{answer.data.content.trim() === '' ? <Empty icon="file" title="This file is empty" /> : <Prose text={answer.data.content} />}</div>
      )}
    </section>
  );
}
