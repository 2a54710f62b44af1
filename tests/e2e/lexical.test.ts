// What a report shows of lexical(): its actions, and next to nothing of its own looking.
import { expect, test } from 'vitest';
import { config, makeSuite, spec, startSite, TASKS_TEST } from './suite';

const STEPS = `module.exports = class {
  seen = [];
  onStepEnd(test, result, step) {
    this.seen.push({ title: step.title, file: step.location?.file ?? '', turn: step.parent?.title ?? '' });
  }
  onEnd() { require('node:fs').writeFileSync('steps.json', JSON.stringify(this.seen)); }
};`;

const PAGE = `<label>Name <input></label><label>Colour <select><option>Red<option>Blue</select></label>
<label><input type="checkbox"> Terms</label><table><tr><td>Fern<td><button>Edit</button><tr><td>Moss<td><button>Edit</button></table>
<button onclick="setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p id=done>Saved</p>') }, 300)">Go</button>`;

test('a report shows the actions of lexical(), and of its own looking next to nothing', async () => {
  const site = await startSite({ '/': PAGE });
  const goal =
    'Enter "Jo" into "Name", select "Blue" from "Colour", check "Terms", click "Edit" in the row "Moss", click "Go" and wait for "Saved"';
  const suite = makeSuite({
    'playwright.config.ts': config({ reporters: "[['./steps.cjs']]" }),
    'steps.cjs': STEPS,
    'tasks.spec.ts': TASKS_TEST,
    'tasks/a.yaml': spec({ id: 'a', url: site.url, goal }),
  });
  const { exitCode, output } = await suite.playwright(['test']);
  expect({ exitCode, output }).toMatchObject({ exitCode: 0 });

  const steps: { title: string; file: string; turn: string }[] = JSON.parse(suite.read('steps.json'));
  const within = (turn: string) => steps.filter(step => step.turn === turn).map(({ title }) => title);
  expect(within('click "Go"')).toEqual(['Click']);
  expect(within('wait for "Saved"')).toEqual([]);
  // The options of the list are read.
  expect(steps.filter(({ title }) => title === 'Evaluate')).toHaveLength(1);
});
