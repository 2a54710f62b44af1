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
  type DomAssertion,
  type NetworkAssertion,
  type PassPolicy,
  SPEC_VERSION,
  type TaskSpec,
  type TaskSpecInput,
  taskSpecJsonSchema,
  taskSpecSchema,
  type UrlAssertion,
} from './schema';
