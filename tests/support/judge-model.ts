// Plays the judge's model: a test sets its answer at each stage, or uses answers that let every trial pass.
import type { Answer, Script, ScriptedRequest } from './messages-api';
import { reply, say } from './messages-api';
import type { JsonObject } from './messages-api/tokens';

export type Stage = 'key points' | 'screenshot' | 'decision';

export function stageOf({ system }: JsonObject): Stage {
  const words = JSON.stringify(system);
  if (words.includes('This stage: list the key points')) return 'key points';
  return words.includes('This stage: decide') ? 'decision' : 'screenshot';
}

export function json(value: unknown): Answer {
  return reply(say(JSON.stringify(value)));
}

/** How many key points and pictures a request shows. */
export function countsOf({ text, body }: ScriptedRequest): { points: number; pictures: number } {
  const points = /<key_points>\n([\s\S]*?)\n<\/key_points>/.exec(text)?.[1]?.match(/^\d+\. /gm)?.length ?? 0;
  const content = body.messages[0]!.content as JsonObject[];
  return { points, pictures: content.filter(({ type }) => type === 'image').length };
}

export function decision(request: ScriptedRequest, passed = true, reason = passed ? 'All is there.' : 'No.') {
  const { points, pictures } = countsOf(request);
  return {
    keyPoints: Array.from({ length: points }, (_, index) => ({
      number: index + 1,
      evidence: passed ? 'The page shows it.' : 'Nothing shows it.',
      met: passed,
      screenshot: passed && pictures ? pictures : null,
    })),
    reason,
    passed,
  };
}

type Play = (request: ScriptedRequest) => Answer | Promise<Answer>;

/** @param plays answers by stage. Default: those of a judge that passes the trial. */
export function playJudge(plays: Partial<Record<Stage, Play>> = {}): Script {
  const content: Record<Stage, Play> = {
    'key points': () => json({ keyPoints: ['The message says that the pot broke', 'It was sent once'] }),
    screenshot: () => json({ shows: 'A form.', score: 3 }),
    decision: request => json(decision(request)),
  };
  return request => {
    const stage = stageOf(request.body);
    return (plays[stage] ?? content[stage])(request);
  };
}

/** A model that passes a trial if the agent said anything at its end. */
export function believer(): Script {
  return playJudge({
    'key points': () => json({ keyPoints: ['The rubric is fulfilled'] }),
    decision: request => {
      const claimed = request.text.includes('- the agent said: ');
      return json(decision(request, claimed, claimed ? 'The agent says so.' : 'The agent does not say so.'));
    },
  });
}
