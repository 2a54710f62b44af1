// The types of the format for users. Written by hand, and held to the schema by `satisfies`: TypeScript leaves the docstrings of a
// schema's fields out of declaration files, so editors would show none on types inferred from it.
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
  /** For people only. */
  description?: string;
}

export type Assertion = UrlAssertion | DomAssertion | NetworkAssertion;

/** The spec passes if at least minPasses of k trials do. */
export interface PassPolicy {
  /** 1 to 25. */
  k: number;
  /** 1 to k. */
  minPasses: number;
}

/** A task that an AI agent should manage on a site, and the assertions that prove it. Defaults are filled in. */
export interface TaskSpec {
  specVersion: '0.1';
  /** 1 to 64 lowercase letters, digits and hyphens. */
  id: string;
  /** The task for the agent, verbatim except for `{{trial}}` and `{{unique}}`. */
  goal: string;
  /** For people only; never shown to the agent. */
  description?: string;
  tags?: string[];
  /** http(s) URL where every trial begins. */
  entryUrl: string;
  /** Hosts that the agent may visit, such as example.com or *.example.com. Default: the host of entryUrl. */
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
      | UrlAssertion
      | NetworkAssertion
      | (Omit<DomAssertion, 'state'> & Partial<Pick<DomAssertion, 'state'>>)
    )[];
  };

/** Checks any value, and fills in defaults. `parse` throws an Error with all problems as `issues`. */
export type ValueSchema<Value> = Pick<z.ZodType<Value>, 'parse' | 'safeParse'>;
