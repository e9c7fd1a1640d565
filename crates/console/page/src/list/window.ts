// Which rows of a long list are on the screen. Pure arithmetic over rows of one height.

export interface Window {
  /** The first row to draw. */
  readonly first: number;
  /** One behind the last row to draw. */
  readonly end: number;
  /** Where the first row stands. */
  readonly offset: number;
  /** The height of everything. */
  readonly height: number;
}

export function windowOf(count: number, rowHeight: number, scrollTop: number, viewport: number, overscan = 8): Window {
  const height = count * rowHeight;
  const top = Math.min(Math.max(0, scrollTop), Math.max(0, height - viewport));
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const end = Math.min(count, Math.ceil((top + viewport) / rowHeight) + overscan);
  return { first: Math.min(first, count), end, offset: Math.min(first, count) * rowHeight, height };
}

/** Where to scroll so that a row can be seen, moving no further than needed. */
export function reveal(row: number, rowHeight: number, scrollTop: number, viewport: number): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + viewport) return top + rowHeight - viewport;
  return scrollTop;
}

/** Whether somebody looks at the end of the list, and wants to stay there as it grows. */
export function isAtEnd(count: number, rowHeight: number, scrollTop: number, viewport: number): boolean {
  return scrollTop + viewport >= count * rowHeight - rowHeight;
}
