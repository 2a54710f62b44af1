// What a goal says, once it is read: the clauses that the agent performs.

/** What a goal calls a thing: `the "Save" button in the row "Alice"`. */
export interface Target {
  /** The label, as the goal has it. Empty for `the text field`. */
  label: string;
  /** Names that will do, instead of the label: `Log in` and `Sign in`. */
  names?: RegExp;
  /** `button`, `tab`, `field`, ...: told apart by it where several things have the label. */
  kind?: string;
  /** The label of the row, card or section that it stands in. */
  place?: string;
  /** 0 for `the first`, -1 for `the last`. */
  nth?: number;
}

export type Act =
  | { do: 'click'; target: Target; count?: 2 }
  | { do: 'hover' | 'expand' | 'focus'; target: Target }
  | { do: 'path'; labels: string[] }
  | { do: 'enter'; value: string; target: Target }
  | { do: 'choose'; value: Target; from?: Target }
  | { do: 'check'; target: Target; on: boolean | 'toggle' }
  | { do: 'upload'; file: string; target: Target }
  | { do: 'press'; key: string; target?: Target }
  | { do: 'goto'; url: string }
  | { do: 'wait'; seconds: number }
  | { do: 'search'; text: string; target?: Target }
  | { do: 'see'; target: Target }
  | {
      do: 'answer';
      how: 'accept' | 'reject' | 'close';
      native: boolean;
      button?: string;
      text?: string;
      what?: string;
    }
  | { do: 'back' | 'forward' | 'reload' };

/** One thing to do. */
export type Clause = Act & {
  /** As the goal has it: what the turn is called. */
  source: string;
};

/** Thrown for a clause that the language does not have. */
export class NotUnderstood extends Error {
  override name = 'NotUnderstood';
}
