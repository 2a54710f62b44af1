// What a program that plays trials reads and writes, as JSON: one object, then lines. docs/agent-protocol.md is this file for people.
import { z } from 'zod';
import { problemsIn } from '../spec/errors';
import { beginning } from '../text/line';
import { inTexts } from '../text/mask';
import { type PageAction, pageActions } from './action';
import { answerSchema } from './record';
import { tokensSchema } from './usage';

export const PROTOCOL_VERSION = '1';

const text = z.string();

export const taskSchema = z
  .object({
    protocolVersion: z
      .literal(PROTOCOL_VERSION)
      .describe(
        'A program should stop if it does not know this version. New fields may be added without a new version.',
      ),
    goal: text.describe("What to do: the spec's goal, verbatim."),
    entryUrl: text.describe('Where the trial begins. The page is there already.'),
    allowedDomains: z
      .array(text)
      .describe('Hostnames, optionally with a leading `*.`. The guard refuses navigations elsewhere.'),
    maxSteps: z.int().positive().describe('The most turns. One more ends the trial as `max_steps`.'),
    maxCostUsd: z.number().positive().nullable().describe('The most US dollars; null if there is no cap.'),
    timeLimitMs: z.number().positive().describe('Milliseconds from now until the program is ended.'),
    seed: z
      .int()
      .nonnegative()
      .describe('Differs between the trials of a spec, and is the same in each run.'),
    wantsAnswer: z
      .union([z.boolean(), z.record(z.string(), z.unknown())])
      .describe(
        'Whether the answer will be checked: true for a text, which should be as short as possible; for a structured value its JSON Schema.',
      ),
    secrets: z.record(text, text).describe('By name. Values to type, never to be shown to a model.'),
    computedSecrets: z
      .array(text)
      .describe(
        'Names of secrets without a value yet: `Taskproof.secret` computes one, right before it is typed.',
      ),
    pageTools: z
      .union([z.enum(['auto', 'only']), z.literal(false)])
      .describe(
        '`only`: act only through the tools that pages offer (`Taskproof.callPageTool`); false: they are hidden.',
      ),
    cdp: z.object({
      url: text.describe('WebSocket address of the DevTools protocol, for `connectOverCDP` and the like.'),
      targetId: text.describe("The page's id in that protocol."),
    }),
  })
  .describe('What a program that plays a Taskproof trial gets on its standard input, as one JSON object.');

const actionFields = {
  title: text.describe('In words: `click button "Sign in"`.'),
  error: text.optional().describe('What went wrong, if the action failed.'),
  point: z
    .object({ x: z.number(), y: z.number() })
    .optional()
    .describe("Viewport pixels (CSS) of a click, marked on the turn's picture."),
  detail: z.record(z.string(), z.unknown()).optional().describe('Anything else to keep in the record.'),
};

const recordLines = pageActions.map(action =>
  z.strictObject({ type: z.literal('record'), ...action.shape }),
) as unknown as [z.ZodObject<{ type: z.ZodLiteral<'record'>; do: z.ZodLiteral<PageAction['do']> }>];

const lineOf = <Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  fields: Fields,
  description: string,
) => z.strictObject({ type: z.literal(type), ...fields }).describe(description);

export const lineSchema = z
  .discriminatedUnion('type', [
    lineOf('turn', { title: text.min(1) }, 'A turn begins, which ends the one before.'),
    lineOf('narration', { text }, 'What the agent said or thought in this turn.'),
    lineOf('action', actionFields, 'Something done in this turn.'),
    z
      .discriminatedUnion('do', recordLines)
      .describe(
        'The next action on the active tab, for `replay()`. Write it before the action, in a turn. Locators are as Playwright writes them: `getByRole("button", { name: "Go" })`, `locator("#go")`.',
      ),
    lineOf('read_only', {}, 'This turn changes nothing: recordings leave it out.'),
    lineOf(
      'usage',
      {
        ...tokensSchema.partial().shape,
        costUsd: z.number().nonnegative().nullable().optional(),
        totalCostUsd: z.number().nonnegative().optional(),
      },
      'Tokens and US dollars of one model request; a missing or null cost is unknown. `totalCostUsd` is the cost of all requests of the trial so far, for a program that learns it only at its end. Write the line before the turn that it pays for.',
    ),
    lineOf(
      'waiting',
      { for: z.enum(['model', 'limit']).default('model') },
      "The program waits for its model's answer or, with `limit`, for a rate limit or before another try. The trial's time stands still.",
    ),
    lineOf('waiting_end', {}, "The wait is over: the trial's time goes on."),
    lineOf(
      'activate',
      { targetId: text },
      'Another tab becomes the active one, for pictures and assertions.',
    ),
    lineOf(
      'dialogs',
      { answeredBy: z.enum(['host', 'program']) },
      'Who answers alerts, confirms and other dialogs from now on. By default the host: it accepts alerts and "leave this page?" and dismisses confirms and prompts, at once.',
    ),
    lineOf(
      'dialog',
      { accept: z.boolean(), text: text.optional() },
      'How the program answers an open dialog, for `replay()`.',
    ),
    lineOf('turn_end', {}, 'The turn is over: its picture is taken now, not when the next one begins.'),
    lineOf(
      'end',
      {
        status: z.enum(['completed', 'gave_up', 'error']).default('completed'),
        answer: answerSchema
          .optional()
          .describe('With `completed`: what the agent answers, a text or a structured value.'),
        neverActed: text
          .min(1)
          .optional()
          .describe(
            'With `completed`: why nobody tried the task, such as a model that called no tool. If the answer does not pass, the trial says nothing about the site.',
          ),
        reason: text.optional().describe('Required with `gave_up` and `error`.'),
        errorKind: z
          .literal('agent_api')
          .optional()
          .describe('With `error`: the model is not available, which says nothing about the site.'),
      },
      "The program is done, or can't do the task. The last line.",
    ),
  ])
  .describe('One line of standard output of a program that plays a Taskproof trial.');

export type TaskMessage = z.infer<typeof taskSchema>;
export type Line =
  | Exclude<z.infer<typeof lineSchema>, { type: 'record' }>
  | ({ type: 'record' } & PageAction);

/** JSON Schema (draft 2020-12) of what the program reads (`task`) and of each line that it writes (`line`). */
export function protocolJsonSchema(): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Taskproof agent protocol ${PROTOCOL_VERSION}`,
    $defs: { task: definition(taskSchema), line: definition(lineSchema) },
  };
}

function definition(schema: z.ZodType): Record<string, unknown> {
  // `$schema` is set once, at the top.
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/** @throws Error that says what is wrong with the line. @param mask takes secrets out of what the error quotes */
export function parseLine(line: string, mask: (text: string) => string = text => text): Line {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    throw new Error(
      `it wrote ${beginning(JSON.stringify(mask(line)), 200)}, which is not JSON: standard output is only for the protocol, so print logs to standard error`,
    );
  }
  const { success, data, error } = lineSchema.safeParse(json);
  if (success) return data as Line;
  throw new Error(
    // Each text, not the line, where JSON may have escaped characters of a secret.
    `it wrote ${beginning(JSON.stringify(inTexts(json, mask)), 200)}, which is not a line of the protocol: ${problemsIn(error, 'line').join('; ').slice(0, 300)}`,
  );
}
