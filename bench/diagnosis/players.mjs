// Scripted agents that take other ways than lexical(). `hands` stops where it is stuck, `hasty` goes on and claims to be
// done. The others are the cause of their failure themselves.
import { defineAgent } from '@taskproof/playwright';
import { FAULTS, WAYS } from './ways.mjs';

/** Milliseconds that they wait until there is a control, and until it can be used. */
const THERE_MS = 6_000;
const PATIENCE_MS = 2_000;

/** @param {string} name */
export function player(name) {
  return defineAgent({
    name,
    async run(task) {
      task.context.on('dialog', dialog => void dialog.accept().catch(() => undefined));
      for (const move of FAULTS[name] ?? WAYS[task.specId] ?? []) {
        const stuck = await task.turn(move[0], turn => play(task.page, turn, move));
        if (stuck && name !== 'hasty') return { status: 'gave_up', reason: `${move[0]}: ${stuck}` };
      }
      return undefined;
    },
  });
}

/** @param {import('@playwright/test').Page} page @param {any} turn @param {import('./moves.mjs').Move} move @returns {Promise<string | undefined>} why it could not be done */
async function play(page, turn, [title, step, find]) {
  const target = find(page);
  const options = { timeout: PATIENCE_MS };
  try {
    await target.waitFor({ state: 'attached', timeout: THERE_MS });
    await turn.record(step, target);
    if (step.do === 'fill') await target.fill(step.text, options);
    else if (step.do === 'select')
      await target.selectOption(
        step.labels.map(label => ({ label })),
        options,
      );
    else if (step.do === 'check') await target.check(options);
    else if (step.do === 'press') await target.press(step.key, options);
    else await target.click(options);
    turn.action({ title });
    await page.waitForLoadState();
    // As long as an agent waits for its model, so that the page can react.
    await page.waitForTimeout(700);
    return undefined;
  } catch (error) {
    const [said = ''] = String(error).split('\n');
    turn.action({ title, error: String(error).slice(0, 500) });
    return said.slice(0, 200);
  }
}
