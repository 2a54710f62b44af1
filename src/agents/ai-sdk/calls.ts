// The calls of an answer: of a part of our tools, with flat inputs that all models can fill in.
import type { ModelMessage } from 'ai';
import { cutText } from '../../text/line';
import type { SessionTask } from '../agent';
import { type Call, Calls, type Outcome } from '../model/calls';
import { answerTools, finish, giveUp, nextDialog, PAGE_TOOLS } from '../tools/task';
import type { Tool } from '../tools/tool';
import { isLooking, TOOLS, toolsByName } from '../tools/tools';

const MAX_TEXT = 50_000;
/** In the order in which models see them. */
const NAMES =
  'navigate read_page find get_page_text left_click hover form_input type key scroll scroll_to switch_tab close_tab wait screenshot'.split(
    ' ',
  );

interface Picture {
  data: string;
  mediaType: string;
}

export class AiSdkCalls extends Calls {
  /** The tabs as the model last saw them. */
  private tabs = '';

  constructor(
    task: SessionTask,
    pictures: boolean,
    private readonly hasPageTools: boolean,
  ) {
    super(task, toolsOf(task, pictures, hasPageTools));
  }

  /** Removes tools that need pictures. */
  dropPictures(): void {
    this.tools = toolsOf(this.task, false, this.hasPageTools);
  }

  protected override get choices(): string {
    return ` Tools: ${Object.keys(this.tools).join(', ')}.`;
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

  /** `words` are in the last result; the pictures are a message of their own. */
  protected sent(calls: readonly Call[], outcomes: readonly Outcome[], words: readonly string[]) {
    const content = calls.map(({ id, name }, index) => {
      const lines = [textOfOutcome(outcomes[index]!), ...(index === calls.length - 1 ? words : [])];
      // As text: some providers wrap errors in JSON and add words of their own.
      const output = { type: 'text' as const, value: this.task.mask(lines.join('\n')) };
      return { type: 'tool-result' as const, toolCallId: id, toolName: name, output };
    });
    // Few APIs accept a picture in a result.
    const shown = outcomes
      .map(({ value }) => value)
      .filter(isPicture)
      .map(({ data, mediaType }) => ({ type: 'file' as const, data, mediaType }));
    const messages: ModelMessage[] = [{ role: 'tool', content }];
    if (shown.length > 0) messages.push({ role: 'user', content: shown });
    return messages;
  }
}

function isPicture(value: unknown): value is Picture {
  const { data, mediaType } = Object(value) as Partial<Picture>;
  return data !== undefined && mediaType !== undefined;
}

function textOfOutcome({ value, error }: Outcome): string {
  if (error !== undefined) return `Error: ${error}`;
  if (value === undefined || value === null || value === '') return 'Done.';
  if (isPicture(value)) return 'The picture follows.';
  return cutText(typeof value === 'object' ? JSON.stringify(value) : String(value), MAX_TEXT);
}

const toolsOf = ({ webmcp, wantsAnswer }: SessionTask, pictures: boolean, hasPageTools: boolean) =>
  toolsFor(pictures, hasPageTools, webmcp.mode === 'only', answerTools(wantsAnswer)[0]);

/**
 * @param isOnly whether the model may act only through the tools of pages
 * @param end the tool that ends the task as done
 */
export function toolsFor(
  pictures: boolean,
  hasPageTools = false,
  isOnly = false,
  end: Tool = finish as Tool,
): Record<string, Tool> {
  const names = NAMES.filter(name => pictures || name !== 'screenshot');
  const ours = [...names.map(name => TOOLS[name]!), ...([nextDialog, giveUp, end] as Tool[])]
    .filter(({ name }) => !isOnly || isLooking(name))
    .map(tool => ({ ...tool, input: tool.flat?.(pictures) ?? tool.input }));
  return toolsByName([...ours, ...(hasPageTools ? (PAGE_TOOLS as Tool[]) : [])]);
}
