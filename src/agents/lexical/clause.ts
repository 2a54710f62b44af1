// The clauses of a goal, as the agent performs them.

/** An element as a goal describes it: `the "Save" button in the row "Alice"`. */
export interface Wanted {
  /** The label, as the goal has it. Empty for `the text field`. */
  label: string;
  /** Names that will do, instead of the label: `Log in` and `Sign in`. */
  names?: RegExp;
  /** `button`, `tab`, `field`, ...: to choose between several elements with the label. */
  kind?: string;
  /** The label of the row, card or section that it is in. */
  place?: string;
  /** 0 for `the first`, -1 for `the last`. */
  nth?: number;
}

export type Act =
  | { do: 'click'; target: Wanted; count?: 2 }
  | { do: 'hover' | 'expand' | 'focus' | 'see'; target: Wanted }
  | { do: 'path'; labels: string[] }
  | { do: 'enter'; value: string; target: Wanted }
  | { do: 'choose'; target: Wanted; from?: Wanted }
  | { do: 'check'; target: Wanted; on: boolean | 'toggle' }
  | { do: 'upload'; file: string; target: Wanted }
  | { do: 'press'; key: string; target?: Wanted }
  | { do: 'search'; text: string; target?: Wanted }
  | { do: 'goto'; url: string }
  | { do: 'wait'; seconds: number }
  | Answer
  | { do: 'back' | 'forward' | 'reload' };

/** How a dialog or banner is answered. */
export interface Answer {
  do: 'answer';
  how: 'accept' | 'reject' | 'close';
  /** Whether it may be a dialog of the browser (alert, confirm, prompt). */
  native: boolean;
  /** The button, or the text for a prompt. */
  given?: string;
  /** What the dialog or banner is called; `''` if the goal does not say. */
  what?: string;
}

/** One thing to do. `source` is its text in the goal, and the turn's title. */
export type Clause = Act & { source: string };

/** Thrown for a clause that can't be read. */
export class NotUnderstood extends Error {
  override name = 'NotUnderstood';
}
