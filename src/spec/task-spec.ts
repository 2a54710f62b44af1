// The types of the format for users. They are written by hand (and checked against the schema), since TypeScript leaves the docstrings of
// inferred types out of declaration files, and editors would show none.
import type { z } from 'zod';

/** The page's final URL matches a glob. */
export interface UrlAssertion {
  type: 'url';
  /** Glob for the whole final URL: `**` is any run of characters, `*` any run without `/`, `?` one character. */
  pattern: string;
  /** For people only. */
  description?: string;
}

/** Whether the final page has elements that match a selector. */
export interface DomAssertion {
  type: 'dom';
  /** CSS selector. */
  selector: string;
  state: 'visible' | 'attached' | 'text' | 'absent' | 'hidden';
  /** With state `text`: the text that a match must contain. */
  text?: string;
  /** With state `text`: hidden text counts, too. Default: only in 0.1. This field and those below need `playwright/1`. */
  hidden?: true;
  /** With state `visible` or `attached`: a match is a field with exactly this value. */
  value?: string;
  /** How many elements must match, be visible or contain the text. Default: at least one. */
  count?: Count;
  /** For people only. */
  description?: string;
}

/** A request of the trial matches a glob. */
export interface NetworkAssertion {
  type: 'network';
  /** Glob for the URLs of the requests of the trial. */
  urlPattern: string;
  /** Default: any. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  /** 100 to 599, or a class such as "2xx". Default: any, or no response at all. */
  status?: number | string;
  /** How many requests must match. Default: at least one. This field and those below need `playwright/1`. */
  count?: Count;
  /** No request may match, to the end of the trial. */
  never?: true;
  /** A text that the body contains, or a part of its JSON or of its form's fields. Default: any. */
  body?: string | Record<string, unknown> | unknown[];
  /** For people only. */
  description?: string;
}

/** A whole number, or bounds: at least one of them. */
export type Count = number | { min?: number; max?: number };

/** What the agent says at its end: exactly one of `text`, `equals`, `regex`, `number`, `date`, `oneOf` and `matches`. */
export interface AnswerAssertion {
  type: 'answer';
  /** A text that the answer contains. */
  text?: string;
  /** The whole answer. */
  equals?: string;
  /** A JavaScript regular expression (with the flag `u`) that matches somewhere in the answer. */
  regex?: string;
  /** The number that the answer gives, in any usual form. */
  number?: number;
  /** With `number`: how far off it may be. Default: 0. */
  tolerance?: number;
  /** The date that the answer gives, in any usual form: `2026-03-14`. */
  date?: string;
  /** The whole answer is one of these. */
  oneOf?: string[];
  /** A JSON Schema for a structured answer. */
  matches?: Record<string, unknown>;
  /** For people only. */
  description?: string;
}

/** A file was downloaded in the trial. */
export interface DownloadAssertion {
  type: 'download';
  /** Glob for the suggested name of the file. */
  name: string;
  /** A text that the file contains. Default: any content. */
  text?: string;
  /** For people only. */
  description?: string;
}

/** The last two need `playwright/1`. */
export type Assertion = UrlAssertion | DomAssertion | NetworkAssertion | AnswerAssertion | DownloadAssertion;

/** The spec passes if at least minPasses of k trials do. */
export interface PassPolicy {
  /** 1 to 25. */
  k: number;
  /** 1 to k. */
  minPasses: number;
}

/** A task that an AI agent should manage on a site, and the assertions that prove it. Defaults are filled in. */
export interface TaskSpec {
  /** `playwright/1` adds to 0.1 what only this library reads. */
  specVersion: '0.1' | 'playwright/1';
  /** 1 to 64 lowercase letters, digits and hyphens. */
  id: string;
  /** The task for the agent, verbatim except for `{{trial}}` and `{{unique}}`. */
  goal: string;
  /** For people only; never shown to the agent. */
  description?: string;
  tags?: string[];
  /** http(s) URL where every trial begins; in `playwright/1` also a path, relative to the suite's `baseURL`. */
  entryUrl: string;
  /** Hosts that the agent may visit, such as example.com or *.example.com. Default: the host of entryUrl; empty while that is a path. */
  allowedDomains: string[];
  /** Most turns of the agent, 1 to 200. Default: 20. */
  maxSteps: number;
  /** US dollars after which a trial stops. Default: none. */
  maxCostUsd?: number;
  /** Default: one trial, which must pass. */
  passPolicy: PassPolicy;
  /** All must hold for a trial to pass. */
  assertions: Assertion[];
  /** Rubric for the judge. Default: none. */
  judge?: string;
}

/** A task spec as written, before defaults. */
export type TaskSpecInput = Omit<TaskSpec, 'allowedDomains' | 'maxSteps' | 'passPolicy' | 'assertions'> &
  Partial<Pick<TaskSpec, 'allowedDomains' | 'maxSteps' | 'passPolicy'>> & {
    assertions: (
      | Exclude<Assertion, DomAssertion>
      | (Omit<DomAssertion, 'state'> & Partial<Pick<DomAssertion, 'state'>>)
    )[];
  };

/** Checks any value, and fills in defaults. `parse` throws an Error with all problems as `issues`. */
export type ValueSchema<Value> = Pick<z.ZodType<Value>, 'parse' | 'safeParse'>;
