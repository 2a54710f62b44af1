// The kinds of findings. Not in rules.ts, which is sent to the page as text with all its exports.
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
