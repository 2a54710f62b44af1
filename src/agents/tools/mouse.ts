// Mouse tools: clicks, drags, the wheel. `target` is an element by its reference, or a point in the newest screenshot.
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { modifiersOf } from '../../browser/actions/keys';
import { placeIn, readAt, targetAt } from '../../browser/actions/locate';
import { dropAt, perform } from '../../browser/actions/perform';
import { refuseDragging } from '../../browser/actions/secrets';
import type { Point } from '../../browser/injected/elements';
import { viewportOf } from '../../browser/session/pictures';
import { messageOf } from '../../text/line';
import { ACTION_LIMIT_MS, type Driver } from './driver';
import { whileHolding } from './form';
import { byEither, byPoint, byRef, defineTool, flatPlace, flatRef, modifiers } from './tool';

const NOTCH = 100;

const aim = z.object({ target: byEither, modifiers });
type Aimed = z.infer<typeof aim>;

/** `ctrl+click button "Save"` */
const aimed =
  (verb: string) =>
  async ({ target, modifiers }: Aimed, driver: Driver, page: Page) =>
    `${modifiers ? `${modifiers}+` : ''}${verb} ${await driver.wordsOf(page, target)}`;

const flatTarget = (pictures: boolean) => (pictures ? flatPlace : flatRef);

const clickTool = (
  name: string,
  verb: string,
  options: { button?: 'right' | 'middle'; clickCount?: number } = {},
) =>
  defineTool<Aimed>({
    name,
    input: aim,
    flat: flatTarget,
    words: aimed(verb),
    // Returns a hint if the click opens something that can't be seen.
    async handle({ target, modifiers }, driver, page) {
      const held = modifiersOf(modifiers);
      const draft = { do: 'click' as const, ...options, modifiers: held.length ? held : undefined };
      if (target.type === 'ref') {
        const { locator, node } = await driver.locate(page, target);
        await driver.performShown(page, { ...draft, locator });
        const isList = node.role === 'combobox';
        const tag = isList && (await locator.evaluate(({ localName }) => localName).catch(() => undefined));
        return hintFor(tag || undefined, node.inputType);
      }
      const point = await driver.pointOf(page, target);
      driver.mark(point);
      const seen = await driver.recordAt(page, draft, point);
      await whileHolding(page, held, () => page.mouse.click(point.x, point.y, options));
      return hintFor(seen?.tag, seen?.inputType);
    },
  });

/** For elements with the browser's own lists, pickers and dialogs, which no screenshot or tree shows. */
function hintFor(tag: string | undefined, inputType: string | undefined): string | undefined {
  if (tag === 'select')
    return 'The list of a native select can not be seen: choose with form_input, or by keys.';
  if (inputType === 'file') return 'A file dialog can not be seen or used: files are given with file_upload.';
  if (inputType && ['date', 'time', 'datetime-local', 'month', 'week', 'color'].includes(inputType))
    return `The picker of a native ${inputType} field may not be seen: set the value with form_input.`;
  return undefined;
}

async function moveTo(driver: Driver, page: Page, to: Point): Promise<void> {
  const point = await driver.pointOf(page, to);
  driver.mark(point);
  await page.mouse.move(point.x, point.y);
}

async function hoverAt(driver: Driver, page: Page, to: Point): Promise<void> {
  await driver.recordAt(page, { do: 'hover' }, await driver.pointOf(page, to));
  await moveTo(driver, page, to);
}

async function release(driver: Driver, page: Page, at: Point): Promise<void> {
  const point = await driver.pointOf(page, at);
  driver.mark(point);
  await dropAt(page, point);
}

const pointTool = (
  name: string,
  verb: string,
  act: (driver: Driver, page: Page, at: Point) => Promise<void>,
) =>
  defineTool({
    name,
    input: z.object({ target: byPoint }),
    words: aimed(verb),
    handle: ({ target }, driver, page) => act(driver, page, target),
  });

const hover = defineTool({
  name: 'hover',
  description: 'Moves the pointer over an element or a point.',
  input: z.object({ target: byEither }),
  flat: flatTarget,
  words: aimed('hover over'),
  async handle({ target }, driver, page) {
    if (target.type === 'coordinate') return hoverAt(driver, page, target);
    const { locator } = await driver.locate(page, target);
    return driver.performShown(page, { do: 'hover', locator });
  },
});

const drag = defineTool({
  name: 'left_click_drag',
  input: z.object({ from: byPoint, target: byPoint, modifiers }),
  words: async ({ from, target }, driver, page) =>
    `drag ${await driver.wordsOf(page, from)} to (${target.x}, ${target.y})`,
  async handle({ from, target, modifiers }, driver, page) {
    const held = modifiersOf(modifiers);
    const start = await driver.pointOf(page, from);
    const end = await driver.pointOf(page, target);
    const [source, goal] = await Promise.all([start, end].map(point => targetAt(page, point, 'spotAt')));
    if (source && goal) await refuseDragging(source.element, goal.element, driver.task, ACTION_LIMIT_MS);
    if (held.length === 0) {
      const draft = { do: 'drag', position: source?.position, toPosition: goal?.position } as const;
      if (source && goal) await driver.task.recorder.record(page, draft, source.element, goal.element);
    }
    await whileHolding(page, held, async () => {
      await page.mouse.move(start.x, start.y);
      await page.mouse.down();
      await release(driver, page, target);
    });
  },
});

const direction = z.enum(['up', 'down', 'left', 'right']);
const notches = z.number().min(1).max(100);

const scroll = defineTool({
  name: 'scroll',
  description: 'Turns the mouse wheel at a point.',
  input: z.object({
    scroll_direction: direction,
    target: byPoint.nullish(),
    scroll_amount: z.number().min(0).max(100).nullish(),
    modifiers,
  }),
  flat: () =>
    z
      .object({ direction, amount: notches.optional().describe('Notches of the wheel. Default: 5.') })
      .transform(({ direction, amount = 5 }) => ({ scroll_direction: direction, scroll_amount: amount })),
  words: ({ scroll_direction }) => `scroll ${scroll_direction}`,
  // Returns a hint if nothing has scrolled.
  async handle({ target, scroll_direction: direction, scroll_amount, modifiers }, driver, page) {
    const held = modifiersOf(modifiers);
    const { width, height } = await viewportOf(page);
    const point = target ? await driver.pointOf(page, target) : { x: width / 2, y: height / 2 };
    driver.mark(point);
    const way = (scroll_amount ?? 3) * NOTCH;
    const x = direction === 'left' ? -way : direction === 'right' ? way : 0;
    const y = direction === 'up' ? -way : direction === 'down' ? way : 0;
    const seen = await readAt(page.mainFrame(), point, 'scrollsAt');
    // Without a scroller, the page itself scrolls.
    const path = seen?.result.scroller;
    const locator = path ? await placeIn(seen.frame, path) : undefined;
    if (held.length === 0) await driver.task.recorder.record(page, { do: 'scroll', x, y }, locator);
    await whileHolding(page, held, async () => {
      await page.mouse.move(point.x, point.y);
      await page.mouse.wheel(x, y).catch(error => {
        if (!/mobile WebKit/.test(messageOf(error))) throw error;
        return perform(
          page,
          { do: 'scroll', locator, x, y },
          { timeoutMs: ACTION_LIMIT_MS, task: driver.task },
        );
      });
    });
    // Whether a frame under the pointer has scrolled can't be seen from here.
    const isAtEnd = seen?.frame === page.mainFrame() && !seen.result.room[direction];
    return isAtEnd ? `Nothing scrolled: there is no more to see further ${direction}.` : undefined;
  },
});

const scrollTo = defineTool({
  name: 'scroll_to',
  description: 'Scrolls until an element is in view.',
  input: z.object({ target: byRef }),
  flat: () => flatRef,
  words: aimed('scroll to'),
  async handle({ target }, driver, page) {
    const { locator } = await driver.locate(page, target);
    // A replay does not need it: its next action scrolls to its own element.
    driver.task.recorder.readOnly();
    await driver.show(locator);
  },
});

export const MOUSE_TOOLS = [
  { ...clickTool('left_click', 'click'), description: 'Clicks an element or a point.' },
  clickTool('right_click', 'right-click', { button: 'right' }),
  clickTool('middle_click', 'middle-click', { button: 'middle' }),
  clickTool('double_click', 'double-click', { clickCount: 2 }),
  clickTool('triple_click', 'triple-click', { clickCount: 3 }),
  hover,
  drag,
  pointTool('left_mouse_down', 'press the mouse on', async (driver, page, at) => {
    await moveTo(driver, page, at);
    await page.mouse.down();
  }),
  pointTool('left_mouse_up', 'release the mouse on', release),
  pointTool('mouse_move', 'move the mouse to', hoverAt),
  scroll,
  scrollTo,
];
