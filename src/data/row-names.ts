// How the rows of results and baselines are named, matched and sorted.
import { compareText } from './collections';
import type { RowSubject } from './verdict';

/** The name of a spec in reports: its id, after the titles of its describes: `phone › cart`. */
export function specName({ spec, describe }: Pick<RowSubject, 'spec' | 'describe'>): string {
  return describe ? `${describe} › ${spec}` : spec;
}

type Named = Pick<RowSubject, 'spec' | 'titlePath' | 'describe' | 'project' | 'replayed'>;

/** By spec, then project, agents before replays. */
export function byRowName(a: Named, b: Named): number {
  return (
    compareText(specName(a), specName(b)) ||
    compareText(a.project, b.project) ||
    Number(a.replayed) - Number(b.replayed)
  );
}

/** The key of a row in a file. An ordinary test is known by its path, since its name depends on the other tests. */
export const keyOf = (row: Named) =>
  JSON.stringify([row.titlePath ?? specName(row), row.project, row.replayed]);
