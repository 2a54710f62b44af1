// The vendor's toolsets on top of our table of tools.
import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import {
  BetaAbstractBrowserToolset20260801,
  BetaAbstractComputerToolset20260801,
  type BetaBrowserMemberResult,
  type BetaComputerMemberResult,
  type BetaToolsetCallContext,
  ToolError,
} from '@anthropic-ai/sdk/helpers/beta/toolsets';
import { BetaNodeFilePolicy } from '@anthropic-ai/sdk/helpers/beta/toolsets/node';
import type {
  BetaBrowserMemberInput,
  BetaBrowserMemberName,
  BetaComputerMemberInput,
  BetaComputerMemberName,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { z } from 'zod';
import type { Driver } from '../../browser/driver/driver';
import { DriverError } from '../../browser/driver/errors';
import { checkedInput, runTool, TOOLS, type Tool } from '../tools';

/** Members by name: on or off; `file_upload` with the absolute folders that files may come from. */
export type Members = Partial<Record<Exclude<BetaBrowserMemberName, 'file_upload'>, boolean>> & {
  file_upload?: false | readonly string[];
};

const MEMBERS: Record<BetaBrowserMemberName, Tool> = TOOLS;

/** The SDK's policy, which also finds names relative to the user's folders. */
class UploadPolicy extends BetaNodeFilePolicy {
  override async resolveUploadPaths(...[ctx, paths]: Parameters<BetaNodeFilePolicy['resolveUploadPaths']>) {
    const found = await Promise.all(paths.map(path => this.find(path)));
    return super.resolveUploadPaths(ctx, found);
  }

  private async find(path: string): Promise<string> {
    if (isAbsolute(path)) return path;
    for (const root of this.uploadRoots) {
      const candidate = join(root, path);
      if (await stat(candidate).catch(() => undefined)) return candidate;
    }
    return path;
  }
}

export class BrowserToolset extends BetaAbstractBrowserToolset20260801 {
  readonly #driver: Driver;
  /** An answer's first call in words: nothing happens before it, so they stay true. */
  #told: { id: string; words: string } | undefined;

  constructor(driver: Driver, members: Members = {}) {
    const configs = Object.entries(members).map(([name, given]) => [name, { enabled: given !== false }]);
    super({
      configs: Object.fromEntries(configs),
      browserState: () => driver.tabs.state(),
      // The user has consented by turning these members on.
      confirm: () => true,
      filePolicy: new UploadPolicy({ uploadRoots: members.file_upload || [] }),
    });
    this.#driver = driver;
    if (members.read_console || members.read_network) driver.keepLogs();
  }

  /** One of an answer's calls in words. @throws if it can't be run */
  async wordsOf(call: BetaToolUseBlock, index: number): Promise<string> {
    const tool = MEMBERS[call.name as BetaBrowserMemberName];
    const input = tool.input.parse(call.input);
    const words = await tool.words(input, this.#driver, this.#pageOf(call.name, input));
    if (index === 0) this.#told = { id: call.id, words };
    return words;
  }

  protected override execute(
    { toolUse }: BetaToolsetCallContext,
    name: BetaBrowserMemberName,
    given: BetaBrowserMemberInput,
  ) {
    return asToolErrors(async () => {
      const tool = MEMBERS[name];
      const input = checkedInput(name, tool.input, given);
      const page = this.#pageOf(name, input);
      const told = this.#told?.id === toolUse?.id ? this.#told?.words : undefined;
      return runTool(tool, input, this.#driver, page, told) as Promise<BetaBrowserMemberResult>;
    });
  }

  /** In calls that change tabs, `tab_id` is the tab to change, not the one to act in. */
  #pageOf(name: string, input: unknown) {
    const changesTab = name === 'switch_tab' || name === 'close_tab';
    return this.#driver.tabs.get(changesTab ? undefined : (input as { tab_id?: string | null }).tab_id);
  }
}

const point = z
  .tuple([z.number(), z.number()])
  .transform(([x, y]) => ({ type: 'coordinate' as const, x, y }));
const text = z.string().nullish();
const none = z.object({});
const placed = z
  .object({ coordinate: point.nullish(), text })
  .transform(({ coordinate, text }) => ({ ...(coordinate && { target: coordinate }), modifiers: text }));

/** Converts the input of each member into that of our tool. Without a `target` it acts at the pointer. */
const INPUTS: Record<BetaComputerMemberName, z.ZodType<object>> = {
  key: TOOLS.key.input,
  hold_key: TOOLS.hold_key.input,
  type: TOOLS.type.input,
  wait: TOOLS.wait.input,
  screenshot: none,
  zoom: TOOLS.zoom.input,
  cursor_position: none,
  mouse_move: z.object({ coordinate: point }).transform(({ coordinate }) => ({ target: coordinate })),
  left_mouse_down: none,
  left_mouse_up: none,
  left_click: placed,
  right_click: placed,
  middle_click: placed,
  double_click: placed,
  triple_click: placed,
  left_click_drag: z
    .object({ start_coordinate: point, coordinate: point, text })
    .transform(({ start_coordinate: from, coordinate: target, text: modifiers }) => ({
      from,
      target,
      modifiers,
    })),
  scroll: z
    .object({
      scroll_direction: z.enum(['up', 'down', 'left', 'right']),
      scroll_amount: z.number().min(0).max(100),
    })
    .and(placed),
};

/** The viewport of the active tab is its screen: to compare with the browser toolset. */
export class ComputerToolset extends BetaAbstractComputerToolset20260801 {
  readonly #driver: Driver;
  readonly #tools: Record<BetaComputerMemberName, Tool>;

  constructor(driver: Driver) {
    // The SDK asks before each key press, since its screen may be a whole desktop. Here it is a test's tab.
    super({ confirm: () => true });
    this.#driver = driver;
    this.#tools = {
      ...TOOLS,
      cursor_position: {
        description: 'Tells where the pointer is.',
        input: none,
        acts: false,
        words: () => 'ask where the pointer is',
        run: () => this.#pointer(),
      },
    };
  }

  /** A call in words. @throws if it can't be run */
  async wordsOf({ name, input }: BetaToolUseBlock): Promise<string> {
    const member = name as BetaComputerMemberName;
    return this.#tools[member].words(await this.#inputOf(member, input), this.#driver, this.#page);
  }

  protected override execute(
    _: BetaToolsetCallContext,
    name: BetaComputerMemberName,
    given: BetaComputerMemberInput,
  ) {
    return asToolErrors(async () => {
      const input = await this.#inputOf(name, given);
      return runTool(this.#tools[name], input, this.#driver, this.#page) as Promise<BetaComputerMemberResult>;
    });
  }

  async #inputOf(name: BetaComputerMemberName, given: unknown): Promise<object> {
    return { target: await this.#pointer(), ...checkedInput(name, INPUTS[name], given) };
  }

  get #page() {
    return this.#driver.session.page;
  }

  /** In the pixels of a screenshot. */
  async #pointer() {
    const scale = await this.#driver.scaleOf(this.#page);
    const { x, y } = this.#driver.cursor;
    return { type: 'coordinate' as const, x: Math.round(x * scale), y: Math.round(y * scale) };
  }
}

/** Turns DriverErrors into the SDK's ToolError, whose message the model sees unchanged. */
async function asToolErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof DriverError ? new ToolError(error.message) : error;
  }
}
