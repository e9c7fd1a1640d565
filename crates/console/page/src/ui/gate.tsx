// The way in: a person gives the token that `premath serve` printed.
import { useState } from 'preact/hooks';
import { Icon, Mark } from './icons';
import { Command } from './kit';

export function Gate({ refused, enter }: { readonly refused: boolean; readonly enter: (token: string) => void }) {
  const [token, setToken] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    const given = token.trim();
    const inside = /token=([^&\s]+)/.exec(given);
    if (given !== '') enter(inside?.[1] ? decodeURIComponent(inside[1]) : given);
  };
  return (
    <main class="gate">
      <form class="card col loose" onSubmit={submit}>
        <div class="brand">
          <Mark />
          <span>premath</span>
        </div>
        <h1>This console belongs to one person</h1>
        <p class="ink2">
          The server printed an address with a token when it started. Open that address, or paste the token here. It stays in this browser.
        </p>
        {refused && (
          <div class="banner red" role="alert">
            <Icon name="warn" />
            <span>The server does not know this token.</span>
          </div>
        )}
        <div>
          <label class="label" for="token">Token, or the whole address</label>
          <input id="token" class="field mono" type="password" autocomplete="off" spellcheck={false} value={token} onInput={(event) => setToken(event.currentTarget.value)} autofocus />
        </div>
        <div class="row">
          <button type="submit" class="button primary" disabled={token.trim() === ''}>Come in</button>
          <span class="grow" />
          <Command text="premath serve" />
        </div>
      </form>
    </main>
  );
}
