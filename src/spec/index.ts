// `@taskproof/playwright/spec`: the task-spec format, without a browser and without an SDK.
export type { SourceLocation, TaskSpecIssue } from './errors';
export {
  TaskSpecError,
  TaskSpecErrorAt,
  TaskSpecLoadError,
  TaskSpecValidationError,
  TaskSpecYamlError,
  UnsupportedSpecVersionError,
} from './errors';
export type { LoadedSpec } from './load';
export {
  type LocatedSpec,
  type ParseOptions,
  parseTaskSpec,
  type SafeParseResult,
  SUPPORTED_SPEC_VERSIONS,
  safeParseTaskSpec,
} from './parse';
export {
  type Assertion,
  assertionSchema,
  type DomAssertion,
  K_MAX,
  type NetworkAssertion,
  type PassPolicy,
  passPolicySchema,
  SPEC_VERSION,
  type TaskSpec,
  type TaskSpecInput,
  taskSpecJsonSchema,
  taskSpecSchema,
  type UrlAssertion,
} from './schema';
