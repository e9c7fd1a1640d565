// One door to the server: every request carries the token as a header and every answer is `{data}` or a typed error.

export interface ErrorField {
  readonly path: string;
  readonly message: string;
}

/** What the server refused, or why it was not reached (`status` 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly fields: readonly ErrorField[];
  readonly retryAfterMs: number | null;
  readonly body: unknown;

  constructor(status: number, code: string, message: string, more: Partial<Pick<ApiError, 'hint' | 'fields' | 'retryAfterMs' | 'body'>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = more.hint ?? null;
    this.fields = more.fields ?? [];
    this.retryAfterMs = more.retryAfterMs ?? null;
    this.body = more.body;
  }
}

const KEY = 'premath.token';
let token: string | null = null;
const unauthorised = new Set<() => void>();

/** Takes the token out of the address, where `premath serve` puts it, so that it does not stay in the history. */
export function takeToken(): string | null {
  const match = /(?:^#|&)token=([^&]+)/.exec(location.hash);
  if (match?.[1]) {
    setToken(decodeURIComponent(match[1]));
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  token ??= localStorage.getItem(KEY);
  return token;
}

export function setToken(value: string | null): void {
  token = value;
  if (value === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, value);
}

/** Told when the server does not know the token (any more). */
export function onUnauthorised(listener: () => void): () => void {
  unauthorised.add(listener);
  return () => unauthorised.delete(listener);
}

export type Query = Record<string, string | number | boolean | null | undefined>;

export function withQuery(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== null && value !== undefined && value !== '') params.set(name, String(value));
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}

export function errorOf(status: number, body: unknown): ApiError {
  const error = (body as { error?: Record<string, unknown> } | null)?.error;
  if (!error) return new ApiError(status, `http_${status}`, `the server answered ${status}`, { body });
  const code = String(error['code'] ?? `http_${status}`);
  // The code stands beside the words wherever they are shown: it is not said twice.
  let message = String(error['message'] ?? '');
  while (message.startsWith(`${code}: `)) message = message.slice(code.length + 2);
  return new ApiError(status, code, message, {
    hint: typeof error['hint'] === 'string' ? error['hint'] : null,
    fields: Array.isArray(error['fields']) ? (error['fields'] as ErrorField[]) : [],
    retryAfterMs: typeof error['retryAfterMs'] === 'number' ? error['retryAfterMs'] : null,
    body,
  });
}

/** A request whose answer is not read yet; errors are thrown already. */
export async function open(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token) headers.set('Authorization', `Bearer ${token}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, cache: 'no-store', credentials: 'omit', redirect: 'error' });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new ApiError(0, 'unreachable', 'the server does not answer', { hint: 'premath serve' });
  }
  if (response.ok) return response;
  if (response.status === 401) for (const listener of unauthorised) listener();
  const text = await response.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    body = text;
  }
  throw errorOf(response.status, body);
}

async function data<T>(response: Response): Promise<T> {
  if (response.status === 204) return null as T;
  const body = (await response.json()) as { data: T };
  return body.data;
}

export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return data<T>(await open(withQuery(path, query), signal ? { signal } : {}));
}

export async function send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const carried = body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await open(path, { method, ...carried });
  return data<T>(response);
}

export const post = <T>(path: string, body?: unknown): Promise<T> => send<T>('POST', path, body);
