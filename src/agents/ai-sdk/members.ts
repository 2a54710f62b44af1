// The tools for any model: a part of the table, with flat inputs that all models can fill in.
import type { Page } from '@playwright/test';
import { z } from 'zod';
import type { Driver } from '../../browser/driver/driver';
import { viewportOf } from '../../browser/driver/refs';
import { shorten } from '../../browser/driver/tree';
import { TASK_TOOLS, TOOLS, type Tool } from '../tools';

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

/** A tool of the table with fewer inputs. */
function narrowed<Given, Input extends Given>(tool: Tool<Given>, input: z.ZodType<Input>): Tool<Input> {
  return { ...tool, input };
}

const ref = z.string().min(1).describe('The reference of an element: ref_7.');
const byRef = z.object({ ref });
const tab_id = z.string().min(1).describe('tab_2');

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

const finish: Tool<{ result: string }> = {
  description: 'Ends the task as done. Call it once what the site shows says so.',
  input: z.object({
    result: z.string().describe('A sentence on the outcome. If the task asks for information, that.'),
  }),
  acts: false,
  words: ({ result }) => `finish: ${shorten(result, 100)}`,
  run: () => 'The task has ended.',
};

/** Tools by name, in the order in which models see them. */
export function membersFor(pictures: boolean): Record<string, Tool> {
  const point = pictures ? pointed : aimed;
  return {
    navigate: narrowed(TOOLS.navigate, z.object({ url: z.string().min(1) })),
    read_page: narrowed(
      TOOLS.read_page,
      z.object({
        filter: z.enum(['all', 'interactive']).optional().describe('Default: what is in the viewport.'),
        ref: z.string().optional().describe('Only this element and what is in it.'),
      }),
    ),
    find: narrowed(TOOLS.find, z.object({ query: z.string().min(1) })),
    get_page_text: narrowed(TOOLS.get_page_text, z.object({})),
    left_click: point(TOOLS.left_click),
    hover: point(TOOLS.hover),
    form_input: flat(
      TOOLS.form_input,
      z.object({ ref, value: z.union([z.string(), z.number(), z.boolean()]) }),
      input => ({ target: targetOf(input), value: input.value }),
    ),
    type: narrowed(TOOLS.type, z.object({ text: z.string() })),
    key: narrowed(
      TOOLS.key,
      z.object({ text: z.string().min(1).describe('A key or a chord: Enter, ctrl+a.') }),
    ),
    scroll,
    scroll_to: aimed(TOOLS.scroll_to),
    switch_tab: narrowed(TOOLS.switch_tab, z.object({ tab_id })),
    close_tab: narrowed(TOOLS.close_tab, z.object({ tab_id })),
    wait: narrowed(TOOLS.wait, z.object({ duration: z.number().min(0).describe('Seconds, at most 30.') })),
    ...(pictures && { screenshot: narrowed(TOOLS.screenshot, z.object({})) }),
    next_dialog: TASK_TOOLS.next_dialog,
    give_up: TASK_TOOLS.give_up,
    finish,
  } as Record<string, Tool>;
}
