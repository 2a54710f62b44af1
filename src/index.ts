export {
  type Agent,
  AgentApiError,
  type AgentTask,
  type Answered,
  BudgetExceededError,
  defineAgent,
  type GaveUp,
  type Turn,
  TurnLimitError,
  type TurnOptions,
} from './agents/agent';
export { type AiSdkModel, type AiSdkOptions, type AiSdkPricing, aiSdk } from './agents/ai-sdk';
export {
  type ClaudeClient,
  type ClaudeMembers,
  type ClaudeOptions,
  claude,
  type ModelOptions,
  type Pricing,
} from './agents/claude';
export { type CommandOptions, command } from './agents/command';
export { type LexicalOptions, lexical } from './agents/lexical';
export { type ReplayOptions, replay } from './agents/replay';
export type { ActionDraft } from './browser/actions/record';
export type { PageTool, PageToolsMode } from './browser/page-tools/page-tools';
export type {
  DialogAnswer,
  FindingKind,
  Fingerprint,
  PageAction,
  Position,
  RecordedAction,
} from './data/action';
export type {
  Action,
  Answer,
  AssertionResult,
  ErrorKind,
  Examination,
  Finding,
  Healing,
  Judgement,
  JudgeResult,
  KeyPoint,
  NetworkEvent,
  TrialRecord,
  TrialStatus,
  TurnRecord,
} from './data/record';
export type { ReportedUsage, TotalUsage, Usage } from './data/usage';
export {
  type AiJudgeOptions,
  aiJudge,
  type Judge,
  type JudgedTrial,
  JudgeError,
  type WebJudgeOptions,
  webJudge,
} from './grading/judge';
export { OptionsError } from './options';
export type { AgentOutcome, AgentRunner, AgentRunOptions } from './playwright/agent-runner';
export {
  type PassPolicyDetails,
  passPolicy,
  type Repeats,
  type RepeatsOptions,
  repeats,
  type TaskproofTestsOptions,
  taskproofTests,
} from './playwright/declare';
export { expect, type TaskproofTestOptions, test } from './playwright/fixtures';
export type {
  Check,
  ForSpecs,
  PlaceholderValues,
  Prepare,
  UnpreparedTrial,
} from './playwright/hooks';
export { type PageToolTestsOptions, pageToolTests } from './playwright/page-tool-tests';
export type { TaskproofOptions } from './playwright/run/options';
export { totp } from './playwright/run/totp';
export type { TrialData } from './spec/placeholders';
export type * from './spec/task-spec';
export type { JsonSchema } from './spec/value-schema';
export type { WantedAnswer } from './spec/wanted-answer';
export type { SecretFunction } from './text/secrets';
export type { CheckedTrial } from './trial/run-agent';
