import type { Place } from '../ui/route';
export function Work(_: { readonly place?: Place }) {
  return null;
}
