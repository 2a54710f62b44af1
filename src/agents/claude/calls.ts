// The calls of one answer: run in order, each answered once.
import type {
  BetaContentBlock,
  BetaToolResultBlockParam,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { z } from 'zod';
import { Driver } from '../../browser/driver/driver';
import { DriverError } from '../../browser/driver/errors';
import { shorten } from '../../browser/driver/tree';
import type { DialogAnswer } from '../../browser/page-action';
import type { GaveUp, SessionTask, Turn } from '../agent';
import { fillSecrets } from '../secrets';
import { BrowserToolset, type Members } from './browser-toolset';
import { ComputerToolset } from './computer-toolset';
import { GIVE_UP, NEXT_DIALOG } from './prompt';

const NOT_RUN = 'Not executed: an earlier action in this turn failed.';
/** Their result is the report of the tabs and nothing else. */
const STATE_ONLY = new Set(['new_tab', 'list_tabs', 'switch_tab', 'close_tab']);

const giveUpInput = z.object({ reason: z.string().trim().min(1) });
const nextDialogInput = z.object({ accept: z.boolean(), text: z.string().optional() });

export function callsOf(content: readonly BetaContentBlock[]): BetaToolUseBlock[] {
  return content.filter(block => block.type === 'tool_use');
}

export interface Answered {
  results: BetaToolResultBlockParam[];
  gaveUp: GaveUp | undefined;
}

export class Calls {
  private readonly driver: Driver;
  private readonly toolset: BrowserToolset | ComputerToolset;
  /** What happened beside the calls, until a result can tell it. */
  private notices: string[] = [];
  /** How the next confirm or prompt is answered. */
  private nextAnswer: DialogAnswer | undefined;

  constructor(
    private readonly task: SessionTask,
    tools: 'browser' | 'computer',
    members: Members,
  ) {
    this.driver = new Driver(task, text => filled(text, task.secrets));
    task.session.dialogs.policy = dialog => this.answerTo(dialog.type());
    this.toolset =
      tools === 'browser' ? new BrowserToolset(this.driver, members) : new ComputerToolset(this.driver);
  }

  get tools() {
    return [this.toolset.toJSON(), GIVE_UP, NEXT_DIALOG];
  }

  async close(): Promise<void> {
    await this.toolset.close();
    this.driver.dispose();
    this.task.session.dialogs.policy = undefined;
  }

  /** The turn's title: its calls in words. */
  async titleOf(calls: readonly BetaToolUseBlock[]): Promise<string> {
    const words = await Promise.all(calls.map((call, index) => this.wordsOf(call, index)));
    return this.task.mask(shorten(words.join(', then '), 140));
  }

  private async wordsOf(call: BetaToolUseBlock, index: number): Promise<string> {
    const { name, toolset_name } = call;
    if (toolset_name === this.toolset.toolsetName) return this.toolset.wordsOf(call, index).catch(() => name);
    return name === GIVE_UP.name ? 'give up' : name.replace(/_/g, ' ');
  }

  async run(calls: readonly BetaToolUseBlock[], turn: Turn): Promise<Answered> {
    const results: BetaToolResultBlockParam[] = [];
    let failed = false;
    let gaveUp: GaveUp | undefined;
    for (const call of calls) {
      this.task.signal.throwIfAborted();
      const member = call.toolset_name === this.toolset.toolsetName;
      if (member && failed) {
        results.push({ ...textResult(call, NOT_RUN), is_error: true });
        continue;
      }
      if (member) {
        const result = await this.member(call, turn);
        failed ||= result.is_error === true;
        results.push(result);
      } else {
        const answer = this.own(call, turn);
        gaveUp ??= answer.gaveUp;
        results.push(answer.result);
      }
      if (gaveUp) break;
    }
    this.addNotices(calls, results);
    return { results: results.map(result => this.masked(result)), gaveUp };
  }

  private async member(call: BetaToolUseBlock, turn: Turn): Promise<BetaToolResultBlockParam> {
    let noted = false;
    this.driver.onDone = done => {
      noted = true;
      turn.action(done);
    };
    const result = await this.toolset.toolResult(call).finally(() => this.task.signal.throwIfAborted());
    // A call that the SDK or the input check refused never became an action.
    if (!noted) turn.action({ title: call.name, ...(result.is_error && { error: textOf(result) }) });
    return result;
  }

  private own(call: BetaToolUseBlock, turn: Turn): { result: BetaToolResultBlockParam; gaveUp?: GaveUp } {
    if (call.name === GIVE_UP.name) {
      const input = giveUpInput.safeParse(call.input);
      if (!input.success) return { result: refusal(call, 'give_up needs a reason, in words.') };
      const reason = this.task.mask(input.data.reason);
      turn.action({ title: `give up: ${shorten(reason, 200)}`, steps: [] });
      return { result: textResult(call, 'The task has ended.'), gaveUp: { status: 'gave_up', reason } };
    }
    if (call.name === NEXT_DIALOG.name) {
      const input = nextDialogInput.safeParse(call.input);
      if (!input.success) return { result: refusal(call, 'next_dialog needs accept: true or false.') };
      this.nextAnswer = input.data;
      turn.action({ title: `${input.data.accept ? 'accept' : 'dismiss'} the next dialog`, steps: [] });
      return { result: textResult(call, 'The next dialog will be answered so.') };
    }
    turn.action({ title: `call ${call.name}`, error: 'there is no such tool' });
    return { result: refusal(call, `There is no tool ${JSON.stringify(call.name)} here.`) };
  }

  private answerTo(type: string): (DialogAnswer & { note?: string }) | undefined {
    if (type !== 'confirm' && type !== 'prompt') return undefined;
    const answer = this.nextAnswer;
    this.nextAnswer = undefined;
    const note = ' To answer it otherwise, call next_dialog first and repeat the action.';
    return answer ?? { accept: false, note };
  }

  /** Puts what happened beside the calls into the newest result that can hold words. */
  private addNotices(calls: readonly BetaToolUseBlock[], results: BetaToolResultBlockParam[]): void {
    this.notices.push(...this.driver.takeNotes(), ...this.task.takeNotices());
    if (this.notices.length === 0) return;
    const index = results.findLastIndex((result, at) => result.is_error || !STATE_ONLY.has(calls[at]!.name));
    const result = results[index];
    if (!result || !Array.isArray(result.content)) return;
    const text = { type: 'text' as const, text: this.notices.splice(0).join('\n') };
    const state = result.content.findIndex(part => part.type === 'browser_state');
    const at = state < 0 ? result.content.length : state;
    results[index] = {
      ...result,
      content: [...result.content.slice(0, at), text, ...result.content.slice(at)],
    };
  }

  /** No value of a secret reaches the model. The tabs' titles and addresses are masked where they are read. */
  private masked(result: BetaToolResultBlockParam): BetaToolResultBlockParam {
    if (!Array.isArray(result.content)) return { ...result, content: this.task.mask(result.content ?? '') };
    const content = result.content.map(part =>
      part.type === 'text' ? { ...part, text: this.task.mask(part.text) } : part,
    );
    return { ...result, content };
  }
}

/** @throws DriverError for a secret that the task does not have. */
export function filled(text: string, secrets: SessionTask['secrets']): string {
  return fillSecrets(text, secrets, name => {
    const known = Object.keys(secrets).join(', ') || 'none';
    return new DriverError(
      `There is no secret named ${JSON.stringify(name)}. Secrets of this task: ${known}.`,
    );
  });
}

/** Answers calls that are not to be run. */
export function refusals(calls: readonly BetaToolUseBlock[], text: string): BetaToolResultBlockParam[] {
  return calls.map(call => refusal(call, text));
}

function textResult({ id, toolset_name }: BetaToolUseBlock, text: string): BetaToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...(toolset_name != null && { toolset_name }),
    content: [{ type: 'text', text }],
  };
}

function refusal(call: BetaToolUseBlock, text: string): BetaToolResultBlockParam {
  return { ...textResult(call, text), is_error: true };
}

function textOf({ content }: BetaToolResultBlockParam): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join(' ');
}
