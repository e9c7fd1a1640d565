// A spreadsheet of the desk: a JSON document of cells. Addresses, extent, and what a person changed. Pure.

export interface Cell {
  readonly value?: string | number | boolean | null;
  readonly formula?: string;
  readonly format?: string;
}

export type Cells = Readonly<Record<string, Cell>>;

/** 0 is A, 25 is Z, 26 is AA. */
export function columnName(column: number): string {
  let name = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}

export function addressOf(column: number, row: number): string {
  return `${columnName(column)}${row + 1}`;
}

export function parseAddress(address: string): { column: number; row: number } | null {
  const match = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(address);
  if (!match?.[1] || !match[2]) return null;
  let column = 0;
  for (const letter of match[1]) column = column * 26 + letter.charCodeAt(0) - 64;
  return { column: column - 1, row: Number(match[2]) - 1 };
}

/** The content of a spreadsheet; none where it is not one. */
export function readCells(content: string): Cells | null {
  try {
    const value = JSON.parse(content) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const inner = (value as { cells?: unknown }).cells;
    return (typeof inner === 'object' && inner !== null && !Array.isArray(inner) && !('value' in inner) ? inner : value) as Cells;
  } catch {
    return null;
  }
}

/** How many columns and rows are shown: what is used, and some room. */
export function extentOf(cells: Cells, leastColumns = 8, leastRows = 20): { columns: number; rows: number } {
  let columns = leastColumns;
  let rows = leastRows;
  for (const address of Object.keys(cells)) {
    const at = parseAddress(address);
    if (!at) continue;
    columns = Math.max(columns, at.column + 2);
    rows = Math.max(rows, at.row + 3);
  }
  return { columns, rows };
}

/** What is typed into a cell as a value: a number where it is one, nothing where it is empty. */
export function typed(text: string): string | number | null {
  const plain = text.trim();
  if (plain === '') return null;
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(plain) && plain.length < 16 ? Number(plain) : text;
}

export function shown(cell: Cell | undefined): string {
  const value = cell?.value;
  if (value === null || value === undefined) return cell?.formula ?? '';
  const places = /^0\.(0+)$/.exec(cell?.format ?? '')?.[1]?.length;
  return typeof value === 'number' && places !== undefined ? value.toFixed(places) : String(value);
}
