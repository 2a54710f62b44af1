// The stages of a judgement, after WebJudge (Online-Mind2Web, arXiv 2504.01382): key points, scored screenshots, decision.
import { z } from 'zod';
import type { Judgement } from '../../data/record';
import { messageOf } from '../../text/line';
import { type JudgedTrial, JudgeError, type WebJudgeSettings } from './index';
import { JudgeModel } from './model';
import {
  cached,
  candidates,
  DECIDE,
  described,
  imageBlock,
  KEY_POINTS,
  mostRelevant,
  PROMPT_VERSION,
  pictures,
  recordedEvidence,
  SCORE,
  type ScoredScreenshot,
  type Screenshot,
  taskText,
  text,
  whenOf,
} from './prompts';

/** The first and the last are kept anyway: with so few there is nothing to choose. */
const NOTHING_TO_CHOOSE = 2;

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
    const complain = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const numbers = keyPoints.map(({ number }) => number).sort((a, b) => a - b);
    if (numbers.length !== points || numbers.some((number, index) => number !== index + 1))
      complain(
        ['keyPoints'],
        `there are ${points} key points: each number from 1 to ${points}, exactly once`,
      );
    keyPoints.forEach(({ screenshot }, index) => {
      if (screenshot !== null && (screenshot < 1 || screenshot > screenshots))
        complain(['keyPoints', index, 'screenshot'], `there are screenshots 1 to ${screenshots}, or null`);
    });
    if (passed !== keyPoints.every(({ met }) => met))
      complain(['passed'], 'must be true exactly where every key point is met');
  });
}

type Decision = z.output<ReturnType<typeof decisionOn>>;

/** Key points of specs that this process has already judged: the k trials of a spec share them. */
const remembered = new Map<string, readonly string[]>();

/** @throws JudgeError with the usage, if there is no judgement. */
export async function judgeWeb(trial: JudgedTrial, settings: WebJudgeSettings): Promise<Judgement> {
  const model = new JudgeModel(settings, trial.budgetUsd, trial.signal);
  try {
    return await judgeInStages(trial, settings, model);
  } catch (error) {
    throw new JudgeError(messageOf(error), model.usage);
  }
}

async function judgeInStages(
  trial: JudgedTrial,
  settings: WebJudgeSettings,
  model: JudgeModel,
): Promise<Judgement> {
  const keyPoints = await keyPointsOf(trial, settings, model);
  const task = cached(text(taskText(trial, keyPoints)));
  const shots = candidates(trial.screenshots);

  const score = async (screenshot: Screenshot): Promise<ScoredScreenshot> => {
    const answer = await model.ask({
      stage: 'screenshot',
      system: SCORE,
      content: [
        task,
        text(`This screenshot was taken as ${whenOf(screenshot.turn)}:`),
        imageBlock(screenshot.image),
      ],
      schema: scoreAnswer,
    });
    return { screenshot, ...answer };
  };
  const scored: ScoredScreenshot[] =
    shots.length <= NOTHING_TO_CHOOSE
      ? shots.map(screenshot => ({ screenshot, score: null, shows: null }))
      : await model.inParallel(shots, score);
  const kept = mostRelevant(scored, settings.screenshots);

  const closing = text('Decide: go through the key points, then give the reason and the verdict.');
  const content = [
    task,
    recordedEvidence(trial),
    ...pictures(kept),
    ...described(scored, kept),
    settings.votes > 1 ? cached(closing) : closing,
  ];
  const decide = () =>
    model.ask({
      stage: 'decision',
      system: DECIDE,
      content,
      schema: decisionOn(keyPoints.length, kept.length),
    });
  const votes = await votesOf(decide, settings.votes, model);

  const passes = votes.filter(({ passed }) => passed).length;
  const passed = passes * 2 > votes.length;
  const { reason, keyPoints: answered } = votes.find(vote => vote.passed === passed)!;
  const count =
    settings.votes > 1 ? ` (${passed ? passes : votes.length - passes} of ${votes.length} votes)` : '';
  return {
    passed,
    reason: `${reason}${count}`,
    usage: model.usage,
    keyPoints: keyPoints.map((point, index) => {
      const { met, evidence, screenshot } = answered.find(({ number }) => number === index + 1)!;
      const name = screenshot === null ? null : kept[screenshot - 1]!.screenshot.name;
      return { text: point, met, evidence, screenshot: name };
    }),
    promptVersion: PROMPT_VERSION,
    screenshots: scored.map(each => {
      const { name, turn } = each.screenshot;
      return { name, turn, score: each.score, shows: each.shows, kept: kept.includes(each) };
    }),
    votes: votes.map(vote => ({ passed: vote.passed, reason: vote.reason })),
  };
}

async function keyPointsOf(
  trial: JudgedTrial,
  settings: WebJudgeSettings,
  model: JudgeModel,
): Promise<readonly string[]> {
  const task = taskText(trial);
  const key = JSON.stringify([PROMPT_VERSION, settings.model, task]);
  const known = remembered.get(key);
  if (known) return known;
  const { keyPoints } = await model.ask({
    stage: 'key points',
    system: KEY_POINTS,
    content: [cached(text(task)), text('List the key points.')],
    schema: keyPointsAnswer,
  });
  remembered.set(key, keyPoints);
  return keyPoints;
}

/** As many as a majority needs. The first runs alone, so that the others find its prompt in the cache. */
async function votesOf(
  decide: () => Promise<Decision>,
  most: number,
  model: JudgeModel,
): Promise<Decision[]> {
  const majority = (most + 1) / 2;
  const votes: Decision[] = [];
  for (;;) {
    const passes = votes.filter(({ passed }) => passed).length;
    const ahead = Math.max(passes, votes.length - passes);
    if (ahead >= majority) return votes;
    const more = votes.length === 0 ? 1 : majority - ahead;
    votes.push(...(await model.inParallel(Array.from({ length: more }), decide)));
  }
}
