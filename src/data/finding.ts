// What can stand in an agent's way on a page.
export const findingKinds = [
  'no_name',
  'same_name',
  'no_label',
  'no_role',
  'covered',
  'out_of_reach',
  'disabled',
  'picture_only',
  'dialog_trap',
] as const;

export type FindingKind = (typeof findingKinds)[number];
