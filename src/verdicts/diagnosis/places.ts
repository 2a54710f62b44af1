// What stands on a page where passing trials had a control.
import type { Place } from '../../data/action';
import { type Facts, type SeenInTheWay, withoutPlace } from './way';

/** `; button "Reserve" is in its place`; empty if it is still there, or nothing is known. */
export function instead(place: Place, controls: Facts['controls']): string {
  if (!controls) return '';
  const there = controls.toSorted((a, b) => shared(b, place) - shared(a, place))[0];
  const known = controls.filter(({ control }) => control === place.control);
  if (known.some(each => shared(each, place))) return '';
  if (known.length) return '; it is elsewhere on the page';
  const [role] = place.control.split(' "');
  const isThere = there && shared(there, place) > 0;
  // Another control of its role, without a name, may be the one. That is a finding of its own.
  if (!(isThere && there.control.startsWith(`${role} "`)) && controls.some(({ control }) => control === role))
    return '';
  return isThere ? `; ${there.control} is in its place` : '; nothing is in its place';
}

/** If a control without a name is at the place that was sought, it is the one. If another control is there, none of them is. */
export function atPlace(facts: Facts, sought: Place | undefined): Facts {
  const { findings, others, controls = [] } = facts;
  // If nothing is there, the page may be another one than it was then.
  if (!sought || !controls.some(each => shared(each, sought))) return facts;
  const isThere = ({ place }: SeenInTheWay) => place !== undefined && shared(place, sought) > 0;
  const seen = [...findings.filter(({ place }) => place), ...others];
  const there = seen.filter(isThere).map(withoutPlace);
  return {
    ...facts,
    findings: [...there, ...findings.filter(({ place }) => !place)],
    others: seen.filter(found => !isThere(found)),
  };
}

/** The area that both cover. */
export function shared(one: Place, other: Place): number {
  const along = (at: 'x' | 'y', size: 'width' | 'height') =>
    Math.min(one[at] + one[size], other[at] + other[size]) - Math.max(one[at], other[at]);
  return Math.max(0, along('x', 'width')) * Math.max(0, along('y', 'height'));
}
