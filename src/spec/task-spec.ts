// The types of the format for users. A task's are written by hand, and checked against the schema: TypeScript leaves the docstrings of
// inferred types out of declaration files, and editors would show none.
import type { z } from 'zod';
import type { assertionSchema1 } from './assertions';

/** What must hold for a trial to pass. `answer`, `download` and some fields need `playwright/1`. */
export type Assertion = z.output<typeof assertionSchema1>;
export type UrlAssertion = Extract<Assertion, { type: 'url' }>;
export type DomAssertion = Extract<Assertion, { type: 'dom' }>;
export type NetworkAssertion = Extract<Assertion, { type: 'network' }>;
export type AnswerAssertion = Extract<Assertion, { type: 'answer' }>;
export type DownloadAssertion = Extract<Assertion, { type: 'download' }>;

/** A whole number, or bounds: at least one of them. */
export type Count = NonNullable<DomAssertion['count']>;

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
    assertions: z.input<typeof assertionSchema1>[];
  };

/** Checks any value, and fills in defaults. `parse` throws an Error with all problems as `issues`. */
export type ValueSchema<Value> = Pick<z.ZodType<Value>, 'parse' | 'safeParse'>;
