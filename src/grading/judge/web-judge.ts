// The stages of a judgement, after WebJudge (Online-Mind2Web, arXiv 2504.01382): key points, scored screenshots, decision.
import { z } from 'zod';
import { costOf, type Prices, tokensOf, uncounted, unknownPrice } from '../../agents/model/budget';
import type { Judgement } from '../../data/record';
import { addUsage, NO_USAGE } from '../../data/usage';
import { problemsIn } from '../../spec/errors';
import { messageOf, parsedJson } from '../../text/line';
import { type JudgedTrial, JudgeError, type WebJudgeSettings } from './index';
import {
  type Ask,
  type Block,
  candidates,
  DECIDE,
  described,
  KEY_POINTS,
  mostRelevant,
  PROMPT_VERSION,
  picture,
  pictures,
  type Question,
  type Reply,
  recordedEvidence,
  SCORE,
  type ScoredScreenshot,
  taskText,
  text,
  whenOf,
} from './prompts';

/** The first and the last are kept anyway: with so few there is nothing to choose. */
const NOTHING_TO_CHOOSE = 2;
const OUTPUT_GUESS = 500;
const MAX_PROBLEM = 300;
const PARALLEL = 4;

const words = z.string().trim().min(1).max(2_000);

const keyPointsAnswer = z.strictObject({ keyPoints: z.array(words).min(1).max(10) });
const scoreAnswer = z.strictObject({ shows: words, score: z.int().min(1).max(5) });

const pointAnswer = z.strictObject({
  number: z.int(),
  evidence: words,
  met: z.boolean(),
  screenshot: z.int().nullable(),
});

// The points come before the verdict, so that the model goes through them first.
const decisionAnswer = z.strictObject({
  keyPoints: z.array(pointAnswer).min(1),
  reason: words,
  passed: z.boolean(),
});

/** @returns the schema of a decision on so many key points and screenshots, both numbered from 1. */
function decisionOn(points: number, screenshots: number) {
  return decisionAnswer.superRefine(({ keyPoints, passed }, context) => {
    const rule = (path: string, holds: boolean, message: string) => {
      if (!holds) context.addIssue({ code: 'custom', path: [path], message });
    };
    const numbers = new Set(keyPoints.map(({ number }) => number));
    const isEach = keyPoints.length === points && keyPoints.every((_, index) => numbers.has(index + 1));
    const isThere = keyPoints.every(({ screenshot: at }) => at === null || (at >= 1 && at <= screenshots));
    const each = `there are ${points} key points: each number from 1 to ${points}, exactly once`;
    rule('keyPoints', isEach, each);
    rule('keyPoints', isThere, `there are screenshots 1 to ${screenshots}, or null`);
    const allMet = keyPoints.every(({ met }) => met);
    rule('passed', passed === allMet, 'must be true exactly where every key point is met');
  });
}

/** Key points of specs that this process has already judged: the k trials of a spec share them. */
const remembered = new Map<string, Promise<readonly string[]>>();

/** A judge's options as the method needs them. */
interface Judging extends Pick<WebJudgeSettings, 'model' | 'votes' | 'screenshots' | 'maxTokens'> {
  factory: 'webJudge' | 'aiJudge';
  prices: Prices | undefined;
}

export async function judgeWeb(trial: JudgedTrial, settings: Judging, asks: Ask): Promise<Judgement> {
  const stages = new Stages(trial, settings, asks);
  try {
    return await stages.judge();
  } catch (error) {
    throw new JudgeError(messageOf(error), stages.usage);
  }
}

class Stages {
  usage = NO_USAGE;
  private reserved = 0;

  constructor(
    private readonly trial: JudgedTrial,
    private readonly settings: Judging,
    private readonly asks: Ask,
  ) {}

  async judge(): Promise<Judgement> {
    const { trial, settings } = this;
    const keyPoints = await this.keyPoints();
    const task = text(taskText(trial, keyPoints), true);
    const shots = candidates(trial.screenshots);
    const scored: ScoredScreenshot[] =
      shots.length <= NOTHING_TO_CHOOSE
        ? shots.map(shot => ({ ...shot, score: null, shows: null }))
        : await inParallel(shots, async shot => {
            const taken = text(`This screenshot was taken as ${whenOf(shot.turn)}:`);
            const content = [task, taken, picture(shot.image)];
            return { ...shot, ...(await this.ask('screenshot', SCORE, content, scoreAnswer)) };
          });
    const kept = mostRelevant(scored, settings.screenshots);

    const content = [
      task,
      recordedEvidence(trial),
      ...pictures(kept),
      ...described(scored, kept),
      text('Decide: go through the key points, then give the reason and the verdict.', settings.votes > 1),
    ];
    const schema = decisionOn(keyPoints.length, kept.length);
    const votes: z.output<typeof schema>[] = [];
    const count = (passed: boolean) => votes.filter(vote => vote.passed === passed).length;
    const majority = (settings.votes + 1) / 2;
    // The first runs alone, so that the others find its prompt in the cache.
    for (let more = 1; more > 0; more = majority - Math.max(count(true), count(false))) {
      const decide = () => this.ask('decision', DECIDE, content, schema);
      votes.push(...(await inParallel(Array(more).fill(null), decide)));
    }

    this.spent();

    const passed = count(true) > count(false);
    const { reason, keyPoints: answered } = votes.find(vote => vote.passed === passed)!;
    const counted = settings.votes > 1 ? ` (${count(passed)} of ${votes.length} votes)` : '';
    return {
      passed,
      reason: `${reason}${counted}`,
      usage: this.usage,
      keyPoints: keyPoints.map((point, index) => {
        const { met, evidence, screenshot } = answered.find(({ number }) => number === index + 1)!;
        const name = screenshot === null ? null : kept[screenshot - 1]!.name;
        return { text: point, met, evidence, screenshot: name };
      }),
      promptVersion: PROMPT_VERSION,
      screenshots: scored.map(({ image: _, ...shot }, index) => ({
        ...shot,
        kept: kept.includes(scored[index]!),
      })),
      votes: votes.map(({ passed, reason }) => ({ passed, reason })),
    };
  }

  private keyPoints(): Promise<readonly string[]> {
    const task = taskText(this.trial);
    const key = JSON.stringify([PROMPT_VERSION, this.settings.model, task]);
    const known = remembered.get(key);
    if (known) return known;
    const content = [text(task, true), text('List the key points.')];
    const asked = this.ask('key points', KEY_POINTS, content, keyPointsAnswer).then(each => each.keyPoints);
    remembered.set(key, asked);
    return asked.catch(error => {
      remembered.delete(key);
      throw error;
    });
  }

  private async ask<Schema extends z.ZodType>(
    stage: string,
    system: string,
    content: Block[],
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const { maxTokens, factory } = this.settings;
    const question = { system, content, schema, maxTokens };
    const first = await this.send(question);
    const answer = read(first, schema, factory);
    if ('value' in answer) return answer.value;
    const again = `An earlier answer to this was not valid (${answer.problem}). Answer again, in the required form.`;
    const second = await this.send({
      ...question,
      // With the same limit, thinking would use it up again.
      maxTokens: first.stop === 'cut off' ? maxTokens * 2 : maxTokens,
      content: [...content, text(again)],
    });
    const mended = read(second, schema, factory);
    if ('value' in mended) return mended.value;
    throw new Error(`the answer to "${stage}" is malformed, even when asked again: ${mended.problem}`);
  }

  private async send(question: Question): Promise<Reply> {
    const { signal, waiting, maxRequests } = this.trial;
    let price = 0;
    const reserve = () => {
      this.reserved -= price;
      price = 0;
      price = this.priceOf(question);
      this.reserved += price;
    };
    reserve();
    const spent = (usage: Parameters<typeof addUsage>[1]) => {
      this.usage = addUsage(this.usage, usage);
    };
    const asked = this.asks(question, { signal, waiting, maxRequests, spent, check: reserve });
    const reply = await asked.finally(() => {
      this.reserved -= price;
    });
    if (reply.stop === 'refused')
      throw new Error(`the model "${this.settings.model}" refuses to judge this trial`);
    return reply;
  }

  /** US dollars so far; null if nothing is capped. @throws Error if the cost is unknown under a cap */
  private spent(): number | null {
    const { budgetUsd, runIsCapped } = this.trial;
    if (budgetUsd === undefined && !runIsCapped) return null;
    const { prices, model, factory } = this.settings;
    if (!prices) throw new Error(unknownPrice(model, factory));
    if (this.usage.costUsd === null) throw new Error(uncounted(model));
    return this.usage.costUsd;
  }

  /** @throws Error if the request would probably exceed what is left of the cap. */
  private priceOf({ system, content }: Question): number {
    const { budgetUsd } = this.trial;
    const { prices, factory } = this.settings;
    const known = this.spent();
    if (known === null) return 0;
    const tokens = { cacheCreationTokens: tokensOf([system, content]), outputTokens: OUTPUT_GUESS };
    const price = costOf(prices!, tokens);
    const spent = known + this.reserved;
    if (budgetUsd === undefined || spent + price <= budgetUsd) return price;
    throw new Error(
      `the judge would exceed the cost cap: of the $${budgetUsd.toFixed(4)} that were left it has spent $${spent.toFixed(4)}, and its next request would cost about $${price.toFixed(4)}. Raise maxCostUsd (or maxRunCostUsd, if that is lower), or use a cheaper model: ${factory}({ model }).`,
    );
  }
}

function read<Schema extends z.ZodType>(
  { text: said, stop }: Reply,
  schema: Schema,
  factory: Judging['factory'],
): { value: z.output<Schema> } | { problem: string } {
  if (stop === 'cut off')
    return { problem: `it was cut off. If this happens often, raise ${factory}({ maxTokens })` };
  const json = parsedJson(said);
  if (json === undefined) return { problem: 'it is not JSON' };
  const { data, error } = schema.safeParse(json);
  return error ? { problem: problemsIn(error, 'answer').join('; ').slice(0, MAX_PROBLEM) } : { value: data };
}

/** In order, a few at a time. If one fails, waits for those that run beside it before it rejects: each is paid for. */
async function inParallel<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>) {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += PARALLEL) {
    const some = items.slice(at, at + PARALLEL).map(run);
    await Promise.allSettled(some);
    results.push(...(await Promise.all(some)));
  }
  return results;
}
