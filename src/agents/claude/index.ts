// The agent for Claude. Configs import this file, so the SDK is loaded only when a trial runs.
import { resolve } from 'node:path';
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../../options';
import { messageOf } from '../../text/line';
import type { Agent, SessionTask } from '../agent';
import { pricingSchema } from '../model/budget';
import type { Members } from './toolsets';

const MEMBERS = [
  ...(['navigate', 'listTabs', 'newTab', 'switchTab', 'closeTab', 'readPage', 'getPageText'] as const),
  ...(['readConsole', 'readNetwork', 'find', 'formInput', 'scrollTo', 'screenshot', 'zoom'] as const),
  ...(['leftClick', 'rightClick', 'middleClick', 'doubleClick', 'tripleClick', 'hover'] as const),
  ...(['leftClickDrag', 'leftMouseDown', 'leftMouseUp', 'mouseMove', 'scroll', 'type', 'key'] as const),
  ...(['holdKey', 'wait', 'javascriptExec'] as const),
];

/** US dollars per million tokens. */
export interface Pricing {
  input: number;
  output: number;
  /** Default: a tenth of `input`. */
  cacheRead?: number;
  /** A five-minute cache write. Default: 1.25 times `input`. */
  cacheWrite?: number;
}

/** Members of the browser tool by name: false switches one off, true switches one on. Off by default: readConsole, readNetwork, javascriptExec. */
export interface ClaudeMembers extends Partial<Record<(typeof MEMBERS)[number], boolean>> {
  /** Folders that files may come from, relative to the folder of the Playwright config; false for none. Default: false. */
  fileUpload?: false | readonly string[];
}

/** A client of the vendor's SDK, of any installed copy: `new Anthropic()`, `new AnthropicBedrock()`, `new AnthropicVertex()`. */
export interface ClaudeClient {
  readonly baseURL: string;
  readonly beta: { readonly messages: { stream(params: never, options?: never): object } };
}

/** What `claude()` and `webJudge()` have in common. */
export interface ModelOptions {
  /** A client that you made: for Bedrock, Vertex, Foundry or a gateway. Default: one of the vendor's API. */
  client?: ClaudeClient;
  /** The key. Default: `ANTHROPIC_API_KEY` or `ANTHROPIC_AUTH_TOKEN` in the environment, or a profile. */
  apiKey?: string;
  /** Address of the API. Default: `ANTHROPIC_BASE_URL` in the environment, or the vendor's. */
  baseURL?: string;
  /** How much the model thinks. Default: the model's own default. */
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  /** Tries after a failure (500) or an answer that broke off; limits (429, 529) are waited out. Default: 4. */
  maxRetries?: number;
  /** US dollars per million tokens. Default: those of the built-in table. */
  pricing?: Pricing;
}

export interface ClaudeOptions extends ModelOptions {
  /** The model's name. Default: `claude-opus-5-5`. */
  model?: string;
  /** The most tokens of an answer, thinking included; at least 256. Default: 8,192. */
  maxTokens?: number;
  /** Milliseconds without any data before a request fails, or ten times as long with only pings; an API that has answered in this run may be unreachable for as long. Default: 300,000. */
  requestTimeoutMs?: number;
  /** `browser` gives the model text and pictures of a page, `computer` only pictures. Default: `browser`. */
  tools?: 'browser' | 'computer';
  /**
   * Members of the browser tool, true or false by name; `fileUpload` takes the folders of files, relative to the config. Default: all but `fileUpload`, `readConsole`, `readNetwork` and `javascriptExec`.
   */
  members?: ClaudeMembers;
}

const isClient = (given: unknown) =>
  typeof (given as ClaudeClient | undefined)?.beta?.messages?.stream === 'function';

export const modelSchemas = {
  client: z
    .custom<ClaudeClient>(isClient, "must be a client of the vendor's SDK, such as new Anthropic()")
    .optional(),
  apiKey: z.string().optional(),
  baseURL: z
    .url()
    .refine(
      url => !/^\w+:\/\/[^/]*@/.test(url),
      'must not have a user name in it: no request can be sent to such an address',
    )
    .optional(),
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
  maxRetries: z.int().min(0).default(4),
  pricing: pricingSchema.optional(),
} satisfies OptionSchemas<ModelOptions>;

/** Refuses options that belong on the client. */
export function oneSource(options: ModelOptions, context: z.RefinementCtx): void {
  for (const name of ['apiKey', 'baseURL'] as const)
    if (options.client && options[name] !== undefined)
      context.addIssue({ code: 'custom', path: [name], message: 'set it on the client instead' });
}

const membersSchema = z.strictObject({
  ...(Object.fromEntries(MEMBERS.map(name => [name, z.boolean().optional()])) as Record<
    (typeof MEMBERS)[number],
    z.ZodOptional<z.ZodBoolean>
  >),
  fileUpload: z
    .union(
      [z.literal(false), z.array(z.string().min(1)).min(1).readonly()],
      'must be a list of folders, or false',
    )
    .optional(),
} satisfies OptionSchemas<ClaudeMembers>);

const optionsSchema = z.strictObject({
  model: z.string().min(1).default('claude-opus-5-5'),
  ...modelSchemas,
  maxTokens: z.int().min(256).default(8192),
  requestTimeoutMs: z.int().min(1).default(300_000),
  tools: z.enum(['browser', 'computer']).default('browser'),
  members: membersSchema.default({}),
} satisfies OptionSchemas<ClaudeOptions>);

export type ClaudeSettings = z.output<typeof optionsSchema>;
export type ModelSettings = Omit<ClaudeSettings, 'tools' | 'members'>;

export function settingsOf(options: ClaudeOptions): ClaudeSettings {
  return checkOptions('claude()', optionsSchema.superRefine(oneSource), options);
}

/** Members as the vendor names them, with absolute folders. */
export function vendorMembers(members: ClaudeMembers, configDir: string): Members {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [
      name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
      Array.isArray(value) ? value.map(folder => resolve(configDir, folder)) : value,
    ]),
  );
}

/** @throws Error if the settings have no key and no client, and the SDK would find none in the environment or a profile. */
export async function requireCredentials({ apiKey, client }: ModelSettings, factory: 'claude' | 'webJudge') {
  const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_CUSTOM_HEADERS } = process.env;
  if (client || apiKey || ANTHROPIC_API_KEY || ANTHROPIC_AUTH_TOKEN) return;
  if (/^\s*(?:x-api-key|authorization)\s*:\s*\S/im.test(ANTHROPIC_CUSTOM_HEADERS ?? '')) return;
  try {
    const { defaultCredentials } = await import('@anthropic-ai/sdk/lib/credentials/credential-chain');
    // Looks for a profile's file or a federation rule in the environment, without a network request.
    if (await defaultCredentials({ baseURL: 'https://api.anthropic.com', fetch })) return;
  } catch (error) {
    throw new Error(`${factory}: ${messageOf(error)}`);
  }
  throw new Error(
    `${factory}: no API key found. Set the environment variable ANTHROPIC_API_KEY, or ${factory}({ apiKey }).`,
  );
}

/**
 * An agent with a Claude model, which acts with the vendor's browser tool. Its `preflight` throws if there
 * is no key and no client. If requests fail, or a cost cap is set and the price is unknown, a trial is `error: agent_api`.
 *
 * @throws OptionsError that names every wrong or unknown option.
 */
export function claude(options: ClaudeOptions = {}): Agent {
  // Kept in closures, not in properties: an agent in a config may be printed or serialised.
  const settings = settingsOf(options);
  return {
    name: 'claude',
    model: settings.model,
    waits: true,
    preflight: () => requireCredentials(settings, 'claude'),
    async run(task: SessionTask) {
      const { playWithClaude } = await import('./loop.js');
      return playWithClaude(task, settings);
    },
  };
}
