// The vendor's computer toolset with the active tab's viewport as its screen, for comparison with the browser toolset.
import {
  BetaAbstractComputerToolset20260801,
  type BetaComputerMemberResult,
  type BetaToolsetCallContext,
} from '@anthropic-ai/sdk/helpers/beta/toolsets';
import type {
  BetaComputerMemberInput,
  BetaComputerMemberName,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { Driver, Point } from '../../browser/driver/driver';
import { holdKey, key, type, wait } from '../../browser/driver/keyboard';
import { modifiersOf } from '../../browser/driver/keys';
import { type Click, click, drag, move, regionOf, scroll } from '../../browser/driver/mouse';
import { viewportOf } from '../../browser/driver/refs';
import { picture, pictureScale } from '../../browser/driver/screenshot';
import { asDriverErrors, asToolErrors, COMPUTER_INPUTS, type ComputerInputs, checked } from './inputs';
import { computerWords } from './words';

type Ctx = BetaToolsetCallContext;
type Input<K extends keyof ComputerInputs> = ComputerInputs[K];

const LOOKS = new Set<string>(['screenshot', 'zoom', 'cursor_position', 'wait']);

export class ComputerToolset extends BetaAbstractComputerToolset20260801 {
  readonly #driver: Driver;

  constructor(driver: Driver) {
    // The SDK asks before each key press on a whole desktop. Here the screen is a test's tab.
    super({ confirm: () => true });
    this.#driver = driver;
  }

  async wordsOf(name: string, input: unknown): Promise<string> {
    const parsed = COMPUTER_INPUTS[name as BetaComputerMemberName]?.safeParse(input);
    if (!parsed?.success) return name;
    return computerWords(this.#driver, this.#page, name as BetaComputerMemberName, parsed.data as never);
  }

  protected override execute(ctx: Ctx, name: BetaComputerMemberName, given: BetaComputerMemberInput) {
    return asToolErrors(async () => {
      const input = checked(COMPUTER_INPUTS[name] as never, name, given) as BetaComputerMemberInput;
      const page = this.#page;
      const words = await computerWords(this.#driver, page, name, input as never);
      return this.#driver.run(page, words, !LOOKS.has(name), () =>
        asDriverErrors(() => super.execute(ctx, name, input)),
      ) as Promise<BetaComputerMemberResult>;
    });
  }

  get #page() {
    return this.#driver.session.page;
  }

  /** In the screenshot's pixels, where the model gave none: where the pointer is. */
  async #place(coordinate: readonly [number, number] | null | undefined): Promise<Point> {
    if (coordinate) return { x: coordinate[0], y: coordinate[1] };
    return this.cursor_position();
  }

  async #click({ coordinate, text }: Input<'left_click'>, how: Click): Promise<string | undefined> {
    const point = await this.#place(coordinate);
    return click(this.#driver, this.#page, { type: 'coordinate', ...point }, { ...how, modifiers: text });
  }

  protected override async cursor_position() {
    const scale = pictureScale(await viewportOf(this.#page));
    const { x, y } = this.#driver.cursor;
    return { x: Math.round(x * scale), y: Math.round(y * scale) };
  }
  protected override key(_: Ctx, { text, repeat }: Input<'key'>) {
    return key(this.#driver, this.#page, text, repeat ?? 1);
  }
  protected override hold_key(_: Ctx, { text, duration }: Input<'hold_key'>) {
    return holdKey(this.#driver, this.#page, text, duration);
  }
  protected override type_(_: Ctx, { text }: Input<'type'>) {
    return type(this.#driver, this.#page, text);
  }
  protected override mouse_move(_: Ctx, { coordinate: [x, y] }: { coordinate: number[] }) {
    return move(this.#driver, this.#page, { x: x!, y: y! });
  }
  protected override left_mouse_down() {
    return this.#page.mouse.down();
  }
  protected override left_mouse_up() {
    return this.#page.mouse.up();
  }
  protected override left_click(_: Ctx, input: object) {
    return this.#click(input, {});
  }
  protected override right_click(_: Ctx, input: object) {
    return this.#click(input, { button: 'right' });
  }
  protected override middle_click(_: Ctx, input: object) {
    return this.#click(input, { button: 'middle' });
  }
  protected override double_click(_: Ctx, input: object) {
    return this.#click(input, { count: 2 });
  }
  protected override triple_click(_: Ctx, input: object) {
    return this.#click(input, { count: 3 });
  }
  protected override async left_click_drag(
    _: Ctx,
    input: { start_coordinate: number[]; coordinate: number[]; text?: string | null },
  ) {
    const [from, to] = [input.start_coordinate, input.coordinate].map(([x, y]) => ({ x: x!, y: y! }));
    return drag(this.#driver, this.#page, from!, to!, modifiersOf(input.text));
  }
  protected override async scroll(_: Ctx, input: object) {
    const { coordinate, scroll_direction, scroll_amount, text } = input as Input<'scroll'>;
    const point = await this.#place(coordinate);
    return scroll(this.#driver, this.#page, point, scroll_direction, scroll_amount, modifiersOf(text));
  }
  protected override wait(_: Ctx, { duration }: Input<'wait'>) {
    return wait(this.#driver, duration);
  }
  protected override screenshot() {
    return picture(this.#page);
  }
  protected override async zoom(_: Ctx, { region }: { region: number[] }) {
    return picture(this.#page, await regionOf(this.#driver, this.#page, region));
  }
}
