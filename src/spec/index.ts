// `@taskproof/playwright/spec`: the task-spec format, without a browser and without an SDK.
import * as assertions from './assertions';
import * as schemas from './schema';
import type { Assertion, PassPolicy, TaskSpec, ValueSchema } from './task-spec';

export type { SourceLocation, TaskSpecIssue } from './errors';
export {
  TaskSpecError,
  TaskSpecErrorAt,
  TaskSpecLoadError,
  TaskSpecValidationError,
  TaskSpecYamlError,
  UnsupportedSpecVersionError,
} from './errors';
export {
  type ParseOptions,
  parseTaskSpec,
  type SafeParseResult,
  SUPPORTED_SPEC_VERSIONS,
  safeParseTaskSpec,
} from './parse';
export { K_MAX, SPEC_VERSION, type SpecVersion, taskSpecJsonSchema } from './schema';
export type * from './task-spec';

/** A task spec as a plain object: refuses what the parser refuses, and fills in the defaults. */
export const taskSpecSchema: ValueSchema<TaskSpec> = schemas.taskSpecSchema;
/** One assertion of a spec of either version. */
export const assertionSchema: ValueSchema<Assertion> = assertions.assertionSchema1;
/** `{ k, minPasses }`, 1 <= minPasses <= k <= K_MAX. */
export const passPolicySchema: ValueSchema<PassPolicy> = schemas.passPolicySchema;
