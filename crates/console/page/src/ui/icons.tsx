// The pictures of the page: lines on a 16-pixel grid, drawn here and hidden from screen readers.
const PATHS = {
  runs: 'M2.5 4h7M2.5 8h11M2.5 12h5 M12 3.2v1.6',
  approvals: 'M8 14s5.5-2.2 5.5-7V3.6L8 2 2.5 3.6V7c0 4.8 5.5 7 5.5 7z M5.7 7.8l1.7 1.7 3-3.2',
  work: 'M4 5.6a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z M12 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z M4 14a1.8 1.8 0 1 0 0-3.6A1.8 1.8 0 0 0 4 14z M5.8 4l4.6 3M5.8 12l4.6-3',
  policy: 'M8 1.8v12.4M3 4.2h10M3 4.2L1.4 9h3.2L3 4.2zM13 4.2L11.4 9h3.2L13 4.2zM5.5 14.2h5',
  desk: 'M2 4.5A1.5 1.5 0 0 1 3.5 3h2.6l1.5 1.8h4.9A1.5 1.5 0 0 1 14 6.3v5.2a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5z',
  audit: 'M4 2h6l3 3v9H4zM10 2v3h3 M6.2 8h4.6M6.2 10.7h4.6',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9z M10.4 10.4l3.2 3.2',
  check: 'M3 8.4l3.2 3.2L13 4.8',
  cross: 'M4 4l8 8M12 4l-8 8',
  warn: 'M8 2.2l6.2 11H1.8z M8 6.6v3M8 11.6v.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z M8 7.4v3.4M8 5.2v.01',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6z M8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M3.5 12.5l.8-.8M11.7 4.3l.8-.8',
  moon: 'M13.4 9.7A5.6 5.6 0 0 1 6.3 2.6a5.7 5.7 0 1 0 7.1 7.1z',
  keyboard: 'M2 4.5h12v7H2z M4.4 7h.01M6.8 7h.01M9.2 7h.01M11.6 7h.01M5.2 9.4h5.6',
  copy: 'M5.5 5.5h8v8h-8z M10.5 5.5v-3h-8v8h3',
  play: 'M4.8 3l8 5-8 5z',
  stop: 'M4 4h8v8H4z',
  replay: 'M3 8a5 5 0 1 0 1.6-3.7M3 2.6v2.9h2.9',
  download: 'M8 2.4v7.2M5 7l3 3 3-3M3 13.4h10',
  file: 'M4 2h5l3.2 3.2V14H4z M9 2v3.2h3.2',
  sheet: 'M2.5 3h11v10h-11z M2.5 6.4h11M2.5 9.7h11M6.4 3v10',
  folder: 'M2 4.5A1.5 1.5 0 0 1 3.5 3h2.6l1.5 1.8h4.9A1.5 1.5 0 0 1 14 6.3v5.2a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5z',
  undo: 'M5.6 3L2.8 5.8l2.8 2.8M2.8 5.8h6.4a3.6 3.6 0 0 1 0 7.2H6',
  send: 'M2.4 8L13.6 2.6 9.6 13.4 7.6 8.6z',
  plus: 'M8 3v10M3 8h10',
  person: 'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8z M3 13.6c.6-2.4 2.5-3.6 5-3.6s4.4 1.2 5 3.6',
  spark: 'M8 2l1.5 4.5L14 8l-4.5 1.5L8 14l-1.5-4.5L2 8l4.5-1.5z',
  tool: 'M10.2 2.6a3.3 3.3 0 0 0-2.9 4.8L2.6 12l1.4 1.4 4.7-4.7a3.3 3.3 0 0 0 4.5-4L11 6.8 9.2 5l2.2-2.2a3.3 3.3 0 0 0-1.2-.2z',
  trash: 'M3 4.4h10M6.4 4.4V2.8h3.2v1.6M4.2 4.4l.6 9h6.4l.6-9',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z M8 4.8V8l2.2 1.6',
  link: 'M6.6 9.4l2.8-2.8M7 4.9l1.6-1.6a2.9 2.9 0 0 1 4.1 4.1L11.1 9M9 11.1l-1.6 1.6a2.9 2.9 0 0 1-4.1-4.1L4.9 7',
  chevron: 'M6 3.6L10.4 8 6 12.4',
  plan: 'M2.6 4l1 1 1.8-2M2.6 8.4l1 1 1.8-2M2.6 12.8l1 1 1.8-2M8 4.2h5.6M8 8.4h5.6M8 12.6h5.6',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#17191d" />
      <path d="M7 16h5m8 0h5" stroke="#9aa0a8" stroke-width="2.4" stroke-linecap="round" />
      <circle cx="16" cy="16" r="4" fill="none" stroke="#34c08b" stroke-width="2.6" />
    </svg>
  );
}
