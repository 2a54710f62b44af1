// FOR ONE RELEASE: blobs of 0.1 have plans and controls of failed actions only as texts. Remove this file and its calls after 0.2.
import type { TestCase, TestResult } from '@playwright/test/reporter';
import { z } from 'zod';
import { fieldInWords } from '../data/action';
import { sumOf } from '../data/collections';
import type { Plan } from '../data/plan';
import { errorKinds, type TrialRecord } from '../data/record';
import { sumOfCosts, sumOfTokens, sumOfWaits, usageSchema, waitTimesSchema } from '../data/usage';
import { type Annotation, carryPlan, describeOf, PASS_POLICY, PLAN } from '../playwright/run/plan';
import { oneLine } from '../text/line';

const POLICY = /^(?:1|at least (\d+) of (\d+)) (trial|replay)(?:, which|s) must pass(; stops early)?$/;
const TRIAL = / · (trial|replay) \d+\/\d+$/;

/** Adds the plan as a hidden annotation to a test or its result, if its visible annotations describe one. */
export function carryPlanOf01(test: TestCase, annotations: Annotation[] = test.annotations): void {
  if (annotations.some(({ type }) => type === PLAN)) return;
  const spec = annotations.findIndex(
    (each, at) => each.type === 'spec' && annotations[at + 1]?.type === 'policy',
  );
  const at = spec >= 0 ? spec + 1 : annotations.findLastIndex(({ type }) => type === PASS_POLICY);
  const found = POLICY.exec(annotations[at]?.description ?? '');
  if (!found) return;
  const [, minPasses = 1, k = 1, noun, stops] = found;
  const id = test.title.replace(TRIAL, '');
  const path = [...test.titlePath().slice(2, -1).filter(Boolean), id];
  const plan: Plan = {
    id,
    describe: describeOf(test),
    file: spec >= 0 ? annotations[spec]!.description! : path[0]!,
    ...(spec >= 0 ? {} : { titlePath: path }),
    policy: { k: Number(k), minPasses: Number(minPasses) },
    replayed: noun === 'replay',
    ...(stops ? { earlyStop: true } : {}),
  };
  annotations.splice(spec >= 0 ? spec : at, 0, { type: PLAN, description: '' });
  carryPlan({ annotations }, plan);
}

const CONTROL =
  /(?:\b(button|link|tab|checkbox|radio|combobox|option|menuitem|switch|field|textbox|searchbox|spinbutton) )?("[^"]+")[^"]*$/;

/** Finds the last control that a title names: `field "Last name"` in `enter "Doe" into textbox "Last name"`. */
export function nameControlsOf01({ turns }: TrialRecord): void {
  for (const action of turns.flatMap(({ actions }) => actions)) {
    const [, role, name] = CONTROL.exec(oneLine(action.title, 120)) ?? [];
    if (name) action.control ??= role ? fieldInWords(`${role} ${name}`) : name;
  }
}

/** What an attachment of 0.1 says of one `agent.run` in a hand-written test, which left no record. */
export const agentNote01Schema = z.object({
  agent: z.string(),
  model: z.string().nullable(),
  turns: z.int().nonnegative(),
  usage: usageSchema,
  ...waitTimesSchema.partial().shape,
  error: z.object({ kind: z.enum(errorKinds), reason: z.string() }).optional(),
});

export type AgentNote01 = z.infer<typeof agentNote01Schema>;

/** What the agents of an ordinary test did; nothing if it had none, or if a newer version ran it. */
export function agentWork01({ attachments }: TestResult) {
  const notes = attachments.flatMap(({ name, body }) =>
    name === '_taskproof-agent' && body ? agentNote01Schema.parse(JSON.parse(body.toString('utf8'))) : [],
  );
  const error = notes.find(({ error }) => error)?.error;
  const spent = {
    turns: sumOf(notes, ({ turns }) => turns),
    costUsd: sumOfCosts(notes.map(({ usage }) => usage.costUsd)),
    usage: sumOfTokens(notes.map(({ usage }) => usage)),
    ...sumOfWaits(notes),
  };
  return { subject: notes[0], spent, error: error && { errorKind: error.kind, endReason: error.reason } };
}
