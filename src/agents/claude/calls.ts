// The calls of an answer: those of the vendor's toolset, whose members are our tools by other inputs, and of our own tools.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  BetaAbstractBrowserToolset20260801,
  BetaAbstractComputerToolset20260801,
  type BetaToolsetCallContext,
  ToolError,
} from '@anthropic-ai/sdk/helpers/beta/toolsets';
import { BetaNodeFilePolicy } from '@anthropic-ai/sdk/helpers/beta/toolsets/node';
import type {
  BetaContentBlockParam,
  BetaTool,
  BetaToolResultBlockParam,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { z } from 'zod';
import { DriverError } from '../../browser/actions/act';
import type { SessionTask } from '../agent';
import { Calls, type Outcome } from '../model/calls';
import type { Driver } from '../tools/driver';
import { answerTools, giveUp, nextDialog, PAGE_TOOLS } from '../tools/task';
import { checkedInput, defineTool, none, type Prepared, type Tool } from '../tools/tool';
import { TOOLS, toolsByName } from '../tools/tools';

/** Members by name: on or off; `file_upload` with the absolute folders that files may come from. */
export type Members = Record<string, boolean | readonly string[]>;

export const foldersOf = ({ file_upload }: Members) => (Array.isArray(file_upload) ? file_upload : []);

const inTab = z.object({ tab_id: z.string().nullish() });

/** The SDK's policy, which also finds names relative to the user's folders. */
class UploadPolicy extends BetaNodeFilePolicy {
  override resolveUploadPaths(...[ctx, paths]: Parameters<BetaNodeFilePolicy['resolveUploadPaths']>) {
    const placesOf = (path: string) => this.uploadRoots.map(root => resolve(root, path));
    return super.resolveUploadPaths(
      ctx,
      paths.map(path => placesOf(path).find(place => existsSync(place)) ?? path),
    );
  }
}

export class BrowserToolset extends BetaAbstractBrowserToolset20260801 {
  constructor(
    readonly driver: Driver,
    members: Members = {},
  ) {
    const configs = Object.entries(members).map(([name, given]) => [name, { enabled: given !== false }]);
    super({
      configs: Object.fromEntries(configs),
      browserState: () => driver.tabs.state(),
      // The user has consented by turning these members on.
      confirm: () => true,
      filePolicy: new UploadPolicy({ uploadRoots: foldersOf(members) }),
    });
  }

  prepared(name: string, given: unknown): Prepared {
    const tool = TOOLS[name]!;
    const { tab_id, ...input } = checkedInput(name, inTab.and(tool.input as z.ZodType<object>), given);
    // In calls that change tabs, `tab_id` is the tab to change, not the one to act in.
    const changesTab = name === 'switch_tab' || name === 'close_tab';
    return changesTab
      ? { tool, input: { tab_id }, page: this.driver.session.page }
      : { tool, input, page: this.driver.tabs.get(tab_id) };
  }

  protected override execute(_: BetaToolsetCallContext, name: string, given: object) {
    return executed(this, name, given);
  }
}

const pixel = z
  .tuple([z.number(), z.number()])
  .transform(([x, y]) => ({ type: 'coordinate' as const, x, y }));
const onScreen = z.looseObject({ coordinate: pixel.nullish(), start_coordinate: pixel.nullish() });

const cursorPosition = defineTool({
  name: 'cursor_position',
  input: none,
  acts: false,
  words: () => 'ask where the pointer is',
  handle: (_, driver, page) => driver.pointer(page),
}) as Tool;

/** The viewport of the active tab is its screen: to compare with the browser toolset. */
export class ComputerToolset extends BetaAbstractComputerToolset20260801 {
  constructor(readonly driver: Driver) {
    // The SDK asks before each key press, since its screen may be a whole desktop. Here it is a test's tab.
    super({ confirm: () => true });
  }

  /** A call without a point acts at the pointer. The text of a click names the keys that are held. */
  async prepared(name: string, given: unknown): Promise<Prepared> {
    const { page } = this.driver.session;
    const tool = TOOLS[name] ?? cursorPosition;
    const { coordinate, start_coordinate: from, ...rest } = checkedInput(name, onScreen, given);
    const target = coordinate ?? (await this.driver.pointer(page));
    const input = { ...rest, target, from, modifiers: rest.text };
    return { tool, input: checkedInput(name, tool.input, input), page };
  }

  protected override execute(_: BetaToolsetCallContext, name: string, given: object) {
    return executed(this, name, given);
  }
}

/** Turns DriverErrors into the SDK's ToolError, whose message the model sees unchanged. */
async function executed(toolset: BrowserToolset | ComputerToolset, name: string, given: object) {
  try {
    return (await toolset.driver.run(await toolset.prepared(name, given))) as never;
  } catch (error) {
    throw error instanceof DriverError ? new ToolError(error.message) : error;
  }
}

type Block = BetaToolResultBlockParam;

export class ClaudeCalls extends Calls {
  private readonly toolset: BrowserToolset | ComputerToolset;
  /** What happened besides the calls, kept until a result can hold it. */
  private notices: string[] = [];

  constructor(
    task: SessionTask,
    private readonly kind: 'browser' | 'computer',
    members: Members,
    hasPageTools: boolean,
  ) {
    const own = [giveUp, nextDialog, ...answerTools(task.wantsAnswer), ...(hasPageTools ? PAGE_TOOLS : [])];
    super(task, toolsByName(own as Tool[]));
    this.toolset =
      kind === 'browser' ? new BrowserToolset(this.driver, members) : new ComputerToolset(this.driver);
  }

  /** With the vendor's toolset. */
  get offered() {
    const own = this.definitions.map(
      ({ schema, ...tool }) => ({ ...tool, input_schema: schema }) as BetaTool,
    );
    return [this.toolset.toJSON(), ...own];
  }

  override async close(): Promise<void> {
    await this.toolset.close();
    await super.close();
  }

  /** Undefined for a model that only sees pictures. */
  override async look(): Promise<string | undefined> {
    return this.kind === 'browser' ? super.look() : undefined;
  }

  /** The value of a member is the vendor's block. */
  protected override async outcomeOf(call: BetaToolUseBlock): Promise<Outcome> {
    if (!this.isMember(call)) return super.outcomeOf(call);
    const value = await this.toolset.toolResult(call);
    const texts = partsOf(value).flatMap(part => (part.type === 'text' ? [part.text] : []));
    return { value, error: value.is_error ? texts.join(' ') : undefined };
  }

  protected override async prepared(call: BetaToolUseBlock) {
    return this.isMember(call) ? this.toolset.prepared(call.name, call.input) : super.prepared(call);
  }

  protected sent(calls: readonly BetaToolUseBlock[], outcomes: readonly Outcome[], words: readonly string[]) {
    this.notices.push(...words);
    const results = calls.map((call, at) => this.blockOf(call, outcomes[at]!));
    const told = this.notices.length > 0 ? withText(results, this.notices.join('\n')) : undefined;
    if (told) this.notices = [];
    return [{ role: 'user', content: told ?? results }];
  }

  private isMember({ toolset_name }: BetaToolUseBlock): boolean {
    return toolset_name === this.toolset.toolsetName;
  }

  /** A result with secrets masked. The tabs' titles and addresses are already. */
  private blockOf({ id, toolset_name }: BetaToolUseBlock, { value, error }: Outcome): Block {
    const own: Block = {
      type: 'tool_result',
      tool_use_id: id,
      ...(toolset_name != null && { toolset_name }),
      content: error ?? String(value),
      ...(error !== undefined && { is_error: true }),
    };
    const block = typeof value === 'object' ? (value as Block) : own;
    const content = partsOf(block).map(part =>
      part.type === 'text' ? { ...part, text: this.task.mask(part.text) } : part,
    );
    return { ...block, content };
  }
}

/**
 * Adds a text to the last result that can hold one, after its own texts; undefined if none can. As a text after the results, it
 * would make it more likely that the model stops in the middle of the task.
 */
export function withText(
  content: readonly BetaContentBlockParam[],
  text: string,
): BetaContentBlockParam[] | undefined {
  const index = content.findLastIndex(
    block => block.type === 'tool_result' && partsOf(block).some(({ type }) => type !== 'browser_state'),
  );
  if (index < 0) return undefined;
  const result = content[index] as Block;
  const parts = partsOf(result);
  const state = parts.findIndex(part => part.type === 'browser_state');
  const told = parts.toSpliced(state < 0 ? parts.length : state, 0, { type: 'text', text });
  return content.with(index, { ...result, content: told });
}

const partsOf = ({ content = [] }: Block) =>
  typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
