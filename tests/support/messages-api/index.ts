export { playExamples } from './example-tasks';
export type { Answer, Fault, LoggedRequest, Reply, Script, ScriptedRequest } from './script';
export {
  at,
  brokenCall,
  byRef,
  call,
  callTool,
  clicks,
  done,
  reply,
  say,
  status,
  textsOf,
  think,
} from './script';
export { type MessagesApi, type MessagesApiOptions, startMessagesApi } from './server';
export type { Json, JsonObject } from './tokens';
export { imageInfo, imageTokens, textTokens } from './tokens';
