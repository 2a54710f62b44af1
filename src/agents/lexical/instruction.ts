// What a goal can ask for.

import type { Target } from './targets';
import type { Wanted } from './values';

interface Common {
  /** The words of the goal that it was read from. */
  source: string;
}

export type Instruction = Common &
  (
    | { do: 'click' | 'open' | 'focus' | 'hover' | 'expand' | 'submit'; target: Target }
    /** `heading`: it only says what the instructions after it are about. */
    | { do: 'find'; target: Target; heading?: boolean }
    | { do: 'wait'; ms: number }
    | { do: 'goto'; url: string }
    | { do: 'dismiss' | 'accept'; target: Target }
    | { do: 'choose'; values: Target[]; whole: Target; from: Target; on: boolean }
    | { do: 'path'; steps: Target[] }
    | { do: 'enter'; value: Wanted; target: Target }
    | { do: 'search'; text: string }
    | { do: 'press'; key: string }
    | { do: 'scroll'; to: 'top' | 'bottom'; target: Target }
    | { do: 'back' }
    | { do: 'act'; verb: string; target: Target; details: Detail[] }
  );

/** "to Sam", "with the text 'Hi'": what a form asks for once a verb's control was used. */
export interface Detail {
  preposition: string;
  value: string;
  quoted: boolean;
}

export interface Plan {
  instructions: Instruction[];
  /** The goal says how to look: open tabs, sections, menus, a tree. Then only the exact label will do at first. */
  looksInside: boolean;
}
