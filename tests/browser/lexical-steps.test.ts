// What a report shows of lexical(): its actions, and next to nothing of its own looking.
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { lexical } from '../../src/agents/lexical';
import { agentTask } from '../support/agent-task';
import { browserOfTests } from '../support/shared-browser';
import { usedPages } from '../support/used-pages';

const pages = usedPages(browserOfTests());

const PAGE = `<label>Name <input></label><label>Colour <select><option>Red<option>Blue</select></label>
<label><input type="checkbox"> Terms</label><table><tr><td>Fern<td><button>Edit</button><tr><td>Moss<td><button>Edit</button></table>
<button onclick="setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p>Saved</p>') }, 300)">Go</button>`;
const GOAL =
  'Enter "Jo" into "Name", select "Blue" from "Colour", check "Terms", click "Edit" in the row "Moss", click "Go" and wait for "Saved"';

/** Calls that Playwright shows in no report. */
const UNSEEN = /^(newCDPSession|send|queryCount|inputValue)$/;

/** The calls of which Playwright's runner makes steps that reports show. */
async function stepsOf(page: Page, act: () => Promise<unknown>): Promise<string[]> {
  const { _instrumentation: told } = page as unknown as {
    _instrumentation: Record<'addListener' | 'removeListener', (listener: object) => void>;
  };
  const steps: string[] = [];
  const listener = { onApiCallBegin: (_: unknown, { method }: { method: string }) => steps.push(method) };
  told.addListener(listener);
  await act().finally(() => told.removeListener(listener));
  return steps.filter(method => !UNSEEN.test(method));
}

it('a report shows the actions of lexical(), and of its own looking next to nothing', async () => {
  const page = await pages.take();
  await page.setContent(PAGE);
  const task = agentTask(page, { goal: GOAL });
  const steps = await stepsOf(page, async () =>
    expect(await lexical().run(task)).not.toMatchObject({ status: 'gave_up' }),
  );
  task.session.dispose();
  expect(steps).toEqual([...['click', 'type', 'selectOption', 'check', 'click', 'click']]);
});
