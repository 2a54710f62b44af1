// What may stand in an agent's way. Apart from the rules, which are sent to the page as text with all that they export.
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
