// Numbers, times and digests as people read them. Pure: the time is handed in.

/** 940 ms, 1.4 s, 2 m 05 s, 3 h 10 m. */
export function duration(millis: number): string {
  if (!Number.isFinite(millis) || millis < 0) return '–';
  if (millis < 1000) return `${Math.round(millis)} ms`;
  if (millis < 60_000) return `${(millis / 1000).toFixed(millis < 10_000 ? 1 : 0)} s`;
  const seconds = Math.round(millis / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')} m`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/** just now, 3 m ago, in 4 m. */
export function ago(at: string | null | undefined, now: number): string {
  const time = at ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(time)) return '–';
  const away = now - time;
  const size = Math.abs(away);
  if (size < 5000) return away >= 0 ? 'just now' : 'now';
  const unit = (ms: number, name: string) => `${Math.floor(size / ms)} ${name}`;
  const words =
    size < 60_000 ? unit(1000, 's') : size < 3_600_000 ? unit(60_000, 'm') : size < 86_400_000 ? unit(3_600_000, 'h') : unit(86_400_000, 'd');
  return away >= 0 ? `${words} ago` : `in ${words}`;
}

/** 950, 12.4k, 3.1M. */
export function count(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value < 10_000) return String(Math.round(value));
  if (value < 1_000_000) return `${(value / 1000).toFixed(value < 100_000 ? 1 : 0)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** Millionths of a dollar as dollars. */
export function cost(micros: number | null | undefined): string {
  if (micros === null || micros === undefined || !Number.isFinite(micros)) return '–';
  if (micros === 0) return '$0';
  const dollars = micros / 1_000_000;
  return dollars < 0.01 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

/** 812 B, 4.1 kB, 2.0 MB. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)} kB`;
  return `${(value / 1_000_000).toFixed(1)} MB`;
}

/** A digest with its kind and its first eight digits; the whole of it is for the title. */
export function digest(value: string | null | undefined): string {
  if (!value) return '–';
  const cut = Math.max(value.lastIndexOf('_'), value.lastIndexOf(':')) + 1;
  return value.length - cut > 12 ? `${value.slice(0, cut)}${value.slice(cut, cut + 8)}…` : value;
}

/** The time of day with milliseconds, in the reader's zone. */
export function clock(at: string | null | undefined): string {
  const time = at ? new Date(at) : null;
  if (!time || Number.isNaN(time.getTime())) return '–';
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

/** One word or its plural. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** A model by its name: of one that is played from a file, the name of the file. */
export function model(ref: string | null | undefined): string {
  if (!ref) return '';
  const cut = ref.startsWith('scripted:') ? ref.lastIndexOf('/') + 1 : 0;
  return cut > 0 ? `scripted:${ref.slice(cut)}` : ref;
}
