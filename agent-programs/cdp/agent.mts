// An agent as a separate program, with only a DevTools connection. It has no model: it performs the quoted texts of a
// goal, one after the other. `Enter "Mira" into "Name"` fills a field, and so does `select "Friday" as "Day"`; any other
// quoted text is a button, link, box, option or heading to click. Start it with `command()`:
//   command({ command: 'node', args: ['agent-programs/cdp/agent.mts'] })   // Node 22.18 or newer; before that, tsx instead of node
import { json } from 'node:stream/consumers';
import { chromium, type Locator, type Page } from 'playwright-core';
import type { Line, Task } from './protocol';

type Step = { label: string; value?: string };

const say = (line: Line) => console.log(JSON.stringify(line));

function stepsOf(goal: string): Step[] {
  const quotes = [...goal.matchAll(/([^"]*)"([^"]+)"/g)].map(([, before = '', text = '']) => ({
    before,
    text,
  }));
  return quotes.flatMap(({ before, text }, index) => {
    if (/^\s*(into|as)\s*$/.test(before)) return [];
    const next = quotes[index + 1];
    if (next && /^\s*(into|as)\s*$/.test(next.before)) return [{ label: next.text, value: text }];
    return [/\bsearch for\s*$/i.test(before) ? { label: 'search', value: text } : { label: text }];
  });
}

/** Waits until one of these is there, and returns the first that is. */
async function firstOf(...choices: Locator[]): Promise<Locator> {
  await choices
    .reduce((all, one) => all.or(one))
    .first()
    .waitFor({ state: 'attached' });
  for (const choice of choices) if (await choice.count()) return choice.first();
  throw new Error('the element is gone again');
}

async function perform(page: Page, { label, value }: Step, secrets: Task['secrets']): Promise<void> {
  const roles = (['button', 'link', 'radio', 'checkbox', 'tab'] as const).map(role =>
    page.getByRole(role, { name: label }),
  );
  const option = page.locator('option', { hasText: label });
  const target =
    value === undefined
      ? await firstOf(...roles, option, page.getByText(label))
      : await firstOf(
          page.getByLabel(label, { exact: true }),
          page.getByLabel(label),
          page.getByPlaceholder(label),
        );
  const kind = await target.evaluate(element => element.localName);
  const field = kind === 'option' ? page.locator('select', { has: target }) : target;
  await field.scrollIntoViewIfNeeded();
  const box = await field.boundingBox();
  say({
    type: 'action',
    title: value === undefined ? `click "${label}"` : `enter "${value}" into "${label}"`,
    ...(box ? { point: { x: box.x + box.width / 2, y: box.y + box.height / 2 } } : {}),
  });
  const locator = String(field);
  if (kind === 'option' || kind === 'select')
    say({ type: 'record', do: 'select', locator, labels: [value ?? (await target.innerText())] });
  else if (value === undefined) say({ type: 'record', do: 'click', locator });
  else {
    const text = value in secrets ? `<secret>${value}</secret>` : value;
    say({ type: 'record', do: 'fill', locator, text });
  }
  if (kind === 'option') await field.selectOption(await target.getAttribute('value'));
  else if (kind === 'select') await field.selectOption({ label: value! });
  else if (value === undefined) await field.click();
  else await field.fill(secrets[value] ?? value);
  if (label !== 'search') return;
  say({ type: 'record', do: 'press', locator, key: 'Enter' });
  await field.press('Enter');
}

const task = (await json(process.stdin)) as Task;
say({ type: 'dialogs', answeredBy: 'program' });
const browser = await chromium.connectOverCDP(task.cdp.url);
const context = browser.contexts()[0]!;
context.setDefaultTimeout(5_000);
context.on('dialog', dialog => {
  say({ type: 'dialog', accept: true });
  void dialog.accept();
});
const steps = stepsOf(task.goal);
let end: Line = { type: 'end', status: 'completed' };
for (const [index, step] of steps.entries()) {
  // The tab that opened last, as a person would see it.
  const page = context.pages().at(-1)!;
  say({ type: 'turn', title: step.value === undefined ? `click "${step.label}"` : `fill "${step.label}"` });
  say({ type: 'narration', text: `Step ${index + 1} of ${steps.length}, on ${page.url()}` });
  const problem = await perform(page, step, task.secrets).then(
    () => '',
    error => String(error.message ?? error),
  );
  // A moment for what the step has started: a request, a tab.
  await page.waitForTimeout(200);
  await context.pages().at(-1)!.waitForLoadState();
  say({ type: 'turn_end' });
  if (problem) end = { type: 'end', status: 'gave_up', reason: `"${step.label}": ${problem.split('\n')[0]}` };
  if (problem) break;
}
say(end);
await browser.close();
