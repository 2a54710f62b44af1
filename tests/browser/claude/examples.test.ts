import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSite } from '../../../example-tasks/site/server.mjs';
import { claude } from '../../../src/agents/claude';
import { recordNetwork } from '../../../src/browser/session/network';
import { checkAssertion } from '../../../src/grading/assertions';
import { AssertionFailure } from '../../../src/grading/holds';
import { parseTaskSpec } from '../../../src/spec';
import { agentTask, endTasks } from '../../support/agent-task';
import { type MessagesApi, playExamples, startMessagesApi } from '../../support/messages-api';
import { browserOfTests } from '../../support/shared-browser';
import { usedPages } from '../../support/used-pages';

const FOLDER = 'example-tasks/tasks';
const pages = usedPages(browserOfTests());
let site: { url: string; close(): Promise<void> };
let api: MessagesApi;

beforeAll(async () => {
  [site, api] = await Promise.all([startSite({ port: 0 }), startMessagesApi({ script: playExamples })]);
});
afterAll(() => Promise.all([site?.close(), api?.close()]));

describe('with a script in the place of the model, Claude passes what did not hold before', () => {
  it.each(readdirSync(FOLDER))('%s', async file => {
    const source = readFileSync(`${FOLDER}/${file}`, 'utf8').replaceAll('http://127.0.0.1:4173', site.url);
    const spec = parseTaskSpec(source);
    const page = await pages.take();
    // The site knows a visitor by a cookie alone.
    await page.context().clearCookies();
    const network = recordNetwork(page.context());
    const checkAll = async (tab: Page, timeoutMs: number) => {
      for (const assertion of spec.assertions)
        await checkAssertion(assertion, { page: tab, network: network.events, timeoutMs });
    };
    await page.goto(spec.entryUrl);
    // On a busy machine, the network may be idle between a document and its scripts, so that alone would not do.
    await page.waitForLoadState('networkidle');
    await expect(checkAll(page, 100)).rejects.toThrow(AssertionFailure);
    const task = agentTask(page, { goal: spec.goal, maxSteps: spec.maxSteps });
    const agent = claude({ apiKey: api.apiKey, baseURL: api.url, maxRetries: 0 });
    expect(await agent.run(task)).toEqual({ answer: expect.any(String) });
    console.log(
      `turns ${file} ${task.turns.length}`,
      task.turns.map(turn => turn.title),
    );
    const failed = task.turns.flatMap(turn => turn.actions).filter(action => action.error);
    expect(failed).toEqual([]);
    await checkAll(task.page, 20_000);
    network.stop();
    endTasks(page);
  });
});
