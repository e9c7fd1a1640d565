import type { Place } from '../ui/route';
export function Policy(_: { readonly place?: Place }) {
  return null;
}
