// What the config, a project and test.use say, put together.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { repeats } from '../../../../src/playwright/declare';
import {
  isFromRepeats,
  knownOptions,
  mergedOptions,
  readConfigOptions,
} from '../../../../src/playwright/run/options';
import { fakeProject, fakeTest } from '../../../support/fake-suite';
import { tempFolder } from '../../../support/temp-folder';

const agent = { name: 'mine', run: async () => undefined };
const other = { name: 'other', run: async () => undefined };

afterEach(() => readConfigOptions({}));

const project = (taskproof?: unknown) => fakeProject('agents', { use: { taskproof } as object });

/** As the runner does, once for each text. */
async function config(taskproof: object): Promise<void> {
  const file = join(tempFolder(), 'playwright.config.mjs');
  writeFileSync(file, `export default { use: { taskproof: ${JSON.stringify(taskproof)} } };`);
  await readConfigOptions({ configFile: file });
}

test.each<[string, object, unknown, unknown, unknown]>([
  [
    'all three',
    { maxCostUsd: 1 },
    { earlyStop: true },
    { origin: 'o' },
    { maxCostUsd: 1, earlyStop: true, origin: 'o' },
  ],
  ['the nearest wins', { maxCostUsd: 1 }, { maxCostUsd: 2 }, { maxCostUsd: 3 }, { maxCostUsd: 3 }],
  ['undefined is nothing', { maxCostUsd: 1 }, { maxCostUsd: undefined }, {}, { maxCostUsd: 1 }],
  [
    'secrets by name',
    { secrets: { A: '1', B: '1' } },
    { secrets: { B: '2', C: undefined } },
    { secrets: { A: undefined, D: '4' } },
    { secrets: { A: '1', B: '2', C: undefined, D: '4' } },
  ],
  [
    'a project without',
    { maxCostUsd: 1 },
    undefined,
    { earlyStop: true },
    { maxCostUsd: 1, earlyStop: true },
  ],
  ['what is no object is left to the check', { maxCostUsd: 1 }, 'x', 'x', 'x'],
])('%s', async (_, ofConfig, ofProject, used, expected) => {
  await config(ofConfig);
  expect(mergedOptions(project(ofProject), used)).toEqual(expected);
});

test('projects have their repeats from repeats() in the project, or in the config if they set none', async () => {
  const file = join(tempFolder(), 'repeats.cjs');
  writeFileSync(file, '');
  const repeated = async (config: object) => {
    require.cache[file] = { exports: config } as NodeJS.Module;
    await readConfigOptions({ configFile: file });
    return ['one', 'own'].map(name => isFromRepeats({ name }));
  };
  const projects = [{ name: 'one' }, { name: 'own', repeatEach: 2 }];
  const five = repeats({ atLeast: 5 });
  expect(await repeated({ projects })).toEqual([false, false]);
  expect(await repeated({ ...five, projects })).toEqual([true, false]);
  expect(await repeated({ projects: [{ name: 'one' }, { name: 'own', ...five }] })).toEqual([false, true]);
});

test('agents are taken as they are, and the same layers make one object', async () => {
  await config({ maxCostUsd: 1 });
  const [of, used] = [project({ agent, earlyStop: true }), { agent: other }];
  const merged = mergedOptions(of, used);
  expect((merged as { agent: unknown }).agent).toBe(other);
  expect(mergedOptions(of, used)).toBe(merged);
});

test.each([
  ['no config file', undefined],
  ['one that can not be found', '/nowhere/playwright.config.ts'],
])('%s: the options of the project count, as Playwright has it', async (_, configFile) => {
  await readConfigOptions(configFile === undefined ? {} : { configFile });
  const own = { agent };
  expect(mergedOptions(project(own), own)).toBe(own);
});

test('the main process knows what test.use adds, the innermost one', async () => {
  await config({ maxCostUsd: 1 });
  const using = (...given: unknown[]) =>
    fakeTest({
      outside: given.reduce<object>(
        (parent, taskproof) => ({ parent, _use: [{ fixtures: { taskproof } }] }),
        {},
      ),
    });
  const known = (...given: unknown[]) => knownOptions(using(...given), project({ agent }));
  expect(known()).toEqual({ known: true, value: { maxCostUsd: 1, agent } });
  expect(known({ agent: other, earlyStop: true }, { origin: 'o' })).toEqual({
    known: true,
    value: { maxCostUsd: 1, agent, origin: 'o' },
  });
  expect(known(() => undefined)).toEqual({ known: false });
});
