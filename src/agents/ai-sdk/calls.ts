// The calls of an answer: of a part of our tools.
import type { ModelMessage } from 'ai';
import type { SessionTask, Turn } from '../agent';
import { type Call, Calls, type Ending } from '../model/calls';
import type { Tool } from '../tools/tool';
import { toolsFor } from './tools';

const MAX_TEXT = 50_000;

interface Picture {
  data: string;
  mediaType: string;
}

interface Result {
  text: string;
  isError?: true;
  picture?: Picture;
}

export class AiSdkCalls extends Calls<Call, Result, ModelMessage> {
  protected tools: Record<string, Tool>;
  /** The tabs as the model last saw them. */
  private tabs = '';

  constructor(
    task: SessionTask,
    pictures: boolean,
    private readonly hasPageTools: boolean,
  ) {
    super(task);
    this.tools = toolsFor({ pictures, hasPageTools, isOnly: task.webmcp.mode === 'only' });
  }

  /** Removes tools that need pictures. */
  dropPictures(): void {
    const { hasPageTools, task } = this;
    this.tools = toolsFor({ pictures: false, hasPageTools, isOnly: task.webmcp.mode === 'only' });
  }

  protected override get choices(): string {
    return ` Tools: ${Object.keys(this.tools).join(', ')}.`;
  }

  protected override endingOf(call: Call, turn: Turn): Ending {
    if (call.name !== 'finish') return super.endingOf(call, turn);
    turn.narrate(this.task.mask(String((call.input as { result: string }).result)));
    return { result: undefined };
  }

  /** With the tabs, if they have changed. */
  override async look(): Promise<string> {
    const page = await super.look();
    const { tabs } = await this.driver.tabs.state();
    const lines = tabs.map(
      ({ tab_id, title, url, active }) =>
        `- ${tab_id}: "${title}" ${url}${active && tabs.length > 1 ? ' (active)' : ''}`,
    );
    const told = ['Open tabs:', ...lines].join('\n');
    const isNew = told !== this.tabs;
    this.tabs = told;
    return [isNew && told, page].filter(Boolean).join('\n').toWellFormed();
  }

  protected resultOf(_: Call, value: unknown): Result {
    if (value === undefined || value === null || value === '') return { text: 'Done.' };
    if (typeof value !== 'object') return { text: bounded(String(value)) };
    const { data, mediaType } = value as Partial<Picture>;
    if (data !== undefined && mediaType !== undefined)
      return { text: 'The picture follows.', picture: { data, mediaType } };
    return { text: bounded(JSON.stringify(value)) };
  }

  protected refusal(_: Call, text: string): Result {
    return { text, isError: true };
  }

  protected errorIn({ text, isError }: Result): string | undefined {
    return isError && text;
  }

  /** `words` are in the last result; the pictures are a message of their own. */
  protected sent(calls: readonly Call[], results: readonly Result[], words: readonly string[]) {
    const content = calls.map(({ id, name }, index) => {
      const { text, isError } = results[index]!;
      const lines = [isError ? `Error: ${text}` : text, ...(index === calls.length - 1 ? words : [])];
      // As text: some providers wrap errors in JSON and add words of their own.
      const output = { type: 'text' as const, value: this.task.mask(lines.join('\n')) };
      return { type: 'tool-result' as const, toolCallId: id, toolName: name, output };
    });
    const pictures = results.flatMap(({ picture }) => (picture ? [picture] : []));
    // Few APIs accept a picture in a result.
    const shown = pictures.map(({ data, mediaType }) => ({ type: 'file' as const, data, mediaType }));
    const messages: ModelMessage[] = [{ role: 'tool', content }];
    if (shown.length > 0) messages.push({ role: 'user', content: shown });
    return messages;
  }
}

function bounded(text: string): string {
  const whole = text.toWellFormed();
  if (whole.length <= MAX_TEXT) return whole;
  return `${whole.slice(0, MAX_TEXT).toWellFormed()}… (${whole.length - MAX_TEXT} more characters)`;
}
