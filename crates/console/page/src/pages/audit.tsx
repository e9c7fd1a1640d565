import type { Place } from '../ui/route';
export function Audit(_: { readonly place?: Place }) {
  return null;
}
