// The vendor's computer toolset, with the viewport of the active tab as its screen: to compare with the browser toolset.
import {
  BetaAbstractComputerToolset20260801,
  type BetaComputerMemberResult,
  type BetaToolsetCallContext,
} from '@anthropic-ai/sdk/helpers/beta/toolsets';
import type {
  BetaComputerMemberInput,
  BetaComputerMemberName,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { z } from 'zod';
import type { Driver } from '../../browser/driver/driver';
import { checkedInput, runTool, TOOLS, type Tool } from '../tools';
import { asToolErrors } from './browser-toolset';

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
