// What a member takes. The SDK hands the model's input on unchecked: what does not fit goes back to the model in words.
import { ToolError } from '@anthropic-ai/sdk/helpers/beta/toolsets';
import { z } from 'zod';
import { DriverError } from '../../browser/driver/errors';

const tab_id = z.string().nullish();
const coordinate = z.object({ type: z.literal('coordinate'), x: z.number(), y: z.number() });
const ref = z.object({ type: z.literal('ref'), ref: z.string().min(1) });
const target = z.discriminatedUnion('type', [coordinate, ref], {
  error: 'expected {"type": "ref", "ref": "ref_7"} or {"type": "coordinate", "x": 10, "y": 20}',
});
const modifiers = z.string().nullish();
const seconds = z.number().min(0);
const point = z.tuple([z.number(), z.number()]);
const region = z.tuple([z.number(), z.number(), z.number(), z.number()]);
const direction = z.enum(['up', 'down', 'left', 'right']);
const repeat = z.int().min(1).max(100).nullish();

const tab = z.object({ tab_id });
const clicked = z.object({ target, modifiers, tab_id });
const pointed = z.object({ target: coordinate, tab_id });

export const BROWSER_INPUTS = {
  navigate: z.object({ url: z.string().min(1), tab_id }),
  list_tabs: z.object({}),
  new_tab: z.object({}),
  switch_tab: z.object({ tab_id: z.string().min(1) }),
  close_tab: z.object({ tab_id: z.string().min(1) }),
  read_page: z.object({
    filter: z.enum(['all', 'interactive']).nullish(),
    depth: z.int().min(1).nullish(),
    ref: z.string().nullish(),
    tab_id,
  }),
  get_page_text: tab,
  read_console: tab,
  read_network: tab,
  find: z.object({ query: z.string().min(1), tab_id }),
  form_input: z.object({ target: ref, value: z.union([z.string(), z.number(), z.boolean()]), tab_id }),
  file_upload: z.object({
    target: ref,
    paths: z.array(z.string()).nullish(),
    document_ids: z.array(z.string()).nullish(),
    tab_id,
  }),
  scroll_to: z.object({ target: ref, tab_id }),
  screenshot: tab,
  zoom: z.object({ region, tab_id }),
  left_click: clicked,
  right_click: clicked,
  middle_click: clicked,
  double_click: clicked,
  triple_click: clicked,
  hover: z.object({ target, tab_id }),
  left_click_drag: z.object({ from: coordinate, target: coordinate, tab_id }),
  left_mouse_down: pointed,
  left_mouse_up: pointed,
  mouse_move: pointed,
  scroll: z.object({
    scroll_direction: direction,
    target: coordinate,
    scroll_amount: z.number().min(1).max(100).nullish(),
    tab_id,
  }),
  type: z.object({ text: z.string(), tab_id }),
  key: z.object({ text: z.string().min(1), repeat, tab_id }),
  hold_key: z.object({ text: z.string().min(1), duration: seconds, tab_id }),
  wait: z.object({ duration: seconds, tab_id }),
  javascript_exec: z.object({ text: z.string().min(1), tab_id }),
};

const atPoint = z.object({ coordinate: point.nullish(), text: z.string().nullish() });

export const COMPUTER_INPUTS = {
  key: z.object({ text: z.string().min(1), repeat }),
  hold_key: z.object({ text: z.string().min(1), duration: seconds }),
  type: z.object({ text: z.string() }),
  cursor_position: z.object({}),
  mouse_move: z.object({ coordinate: point }),
  left_mouse_down: z.object({}),
  left_mouse_up: z.object({}),
  left_click: atPoint,
  left_click_drag: z.object({ start_coordinate: point, coordinate: point, text: z.string().nullish() }),
  right_click: atPoint,
  middle_click: atPoint,
  double_click: atPoint,
  triple_click: atPoint,
  scroll: z.object({
    scroll_direction: direction,
    scroll_amount: z.number().min(0).max(100),
    coordinate: point.nullish(),
    text: z.string().nullish(),
  }),
  wait: z.object({ duration: seconds }),
  screenshot: z.object({}),
  zoom: z.object({ region }),
};

export type BrowserInputs = { [K in keyof typeof BROWSER_INPUTS]: z.output<(typeof BROWSER_INPUTS)[K]> };
export type ComputerInputs = { [K in keyof typeof COMPUTER_INPUTS]: z.output<(typeof COMPUTER_INPUTS)[K]> };

/** @throws ToolError that names the field and what was expected. */
export function checked<T>(schema: z.ZodType<T>, member: string, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
  throw new ToolError(`Invalid input for ${member}. ${problems.join('; ')}`);
}

/** The driver's errors as the SDK shows them to the model. */
export async function asToolErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof DriverError ? new ToolError(error.message) : error;
  }
}

/** What the SDK itself refuses, as the driver tells of it. */
export async function asDriverErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof ToolError ? new DriverError(error.message) : error;
  }
}
