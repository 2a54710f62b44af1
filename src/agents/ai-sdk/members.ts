// The tools for any model: a part of the table, with flat inputs that all models can fill in.
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { viewportOf } from '../../browser/reading/references';
import { shorten } from '../../browser/reading/tree';
import type { Driver } from '../tools/driver';
import { looks, TASK_TOOLS, TOOLS, type Tool } from '../tools/tools';

/** A tool of the table with another input. */
function flat<Given, Input>(
  tool: Tool<Given>,
  input: z.ZodType<Input>,
  adapt: (input: Input, driver: Driver, page: Page) => Given | Promise<Given>,
): Tool<Input> {
  return {
    ...tool,
    input,
    words: async (given, driver, page) => tool.words(await adapt(given, driver, page), driver, page),
    run: async (given, driver, page) => tool.run(await adapt(given, driver, page), driver, page),
  };
}

/** A tool of the table for the active tab, without further inputs. */
function here<Input>(tool: Tool<Input>, ...without: string[]): Tool<Input> {
  const left = ['tab_id', ...without].map(name => [name, true]);
  const input = (tool.input as unknown as z.ZodObject).omit(Object.fromEntries(left));
  return { ...tool, input: input as unknown as z.ZodType<Input> };
}

const ref = z.string().min(1).describe('The reference of an element: ref_7.');
const byRef = z.object({ ref });

const targetOf = ({ ref }: { ref: string }) => ({ type: 'ref' as const, ref });
const aimed = (tool: typeof TOOLS.hover) => flat(tool, byRef, input => ({ target: targetOf(input) }));

const placed = z
  .object({
    ref: ref.optional(),
    x: z.number().optional().describe('Without a reference: the pixels of the newest screenshot.'),
    y: z.number().optional(),
  })
  .refine(({ ref, x, y }) => ref !== undefined || (x !== undefined && y !== undefined), {
    error: 'either ref, or x and y, must be given',
  });

/** By reference, or by a point in a screenshot. */
const pointed = (tool: typeof TOOLS.hover) =>
  flat(tool, placed, ({ ref, x, y }) => ({
    target: ref ? targetOf({ ref }) : { type: 'coordinate' as const, x: x!, y: y! },
  }));

const scrollInput = z.object({
  direction: z.enum(['up', 'down', 'left', 'right']),
  amount: z.number().min(1).max(100).optional().describe('Notches of the wheel. Default: 5.'),
});

/** At the middle of the viewport. */
const scroll = flat(TOOLS.scroll, scrollInput, async ({ direction, amount = 5 }, driver, page) => {
  const [{ width, height }, scale] = await Promise.all([viewportOf(page), driver.scaleOf(page)]);
  const target = { type: 'coordinate' as const, x: (width * scale) / 2, y: (height * scale) / 2 };
  return { scroll_direction: direction, scroll_amount: amount, target };
});

const finish = looks(
  'Ends the task as done. Call it once what the site shows says so.',
  z.object({
    result: z.string().describe('A sentence on the outcome. If the task asks for information, that.'),
  }),
  ({ result }) => `finish: ${shorten(result, 100)}`,
  () => 'The task has ended.',
);

/** Tools by name, in the order in which models see them. */
export function membersFor(pictures: boolean): Record<string, Tool> {
  const point = pictures ? pointed : aimed;
  return {
    navigate: here(TOOLS.navigate),
    read_page: {
      ...TOOLS.read_page,
      input: z.object({
        filter: z.enum(['all', 'interactive']).optional().describe('Default: what is in the viewport.'),
        ref: z.string().optional().describe('Only this element and what is in it.'),
      }),
    },
    find: here(TOOLS.find),
    get_page_text: here(TOOLS.get_page_text),
    left_click: point(TOOLS.left_click),
    hover: point(TOOLS.hover),
    form_input: flat(
      TOOLS.form_input,
      z.object({ ref, value: z.union([z.string(), z.number(), z.boolean()]) }),
      input => ({ target: targetOf(input), value: input.value }),
    ),
    type: here(TOOLS.type),
    key: here(TOOLS.key, 'repeat'),
    scroll,
    scroll_to: aimed(TOOLS.scroll_to),
    switch_tab: TOOLS.switch_tab,
    close_tab: TOOLS.close_tab,
    wait: here(TOOLS.wait),
    ...(pictures && { screenshot: here(TOOLS.screenshot) }),
    next_dialog: TASK_TOOLS.next_dialog,
    give_up: TASK_TOOLS.give_up,
    finish,
  } as Record<string, Tool>;
}
