// The language of lexical(): goals, and the clauses that are read of them.
import { expect, it } from 'vitest';
import { type Clause, parseGoal } from '../../../../src/agents/lexical/goal';

/** A clause in one line: `click Edit:button @ Alice #2`. */
function told({ do: what, target: { label, kind, place, nth }, texts, word }: Clause): string {
  const others = texts.filter(text => text !== label && text !== place);
  const where = [kind && `:${kind}`, place && ` @ ${place}`, nth !== undefined && ` #${nth + 1}`];
  return [what, word, others.join(' + '), label + where.filter(Boolean).join('')].filter(Boolean).join(' ');
}

it.each([
  ['Click "Sign in".', ['click Sign in']],
  ['Click on the “Sign in” button', ['click Sign in:button']],
  ["Press the 'Don't save' button", ["click Don't save:button"]],
  ['Click «Weiter» and then ‘Fertig’.', 'Fertig'],
  ['click the button "a, b and c."', ['click a, b and c.:button']],
  ['Click the 2nd "Edit" button in the row "Bob"', ['click Edit:button @ Bob #2']],
  ['Click the last "Add" next to "Fern"', ['click Add @ Fern #0']],
  ['Check "Red" in the "Colours" section', ['check Red @ Colours']],
  ['Double-click "Cell" and hover over "Help"', ['double-click Cell', 'hover Help']],
  ['Press Enter, press Ctrl+A in "Body"', ['press Enter', 'press Ctrl+A Body']],
  ['Press "Delete", press the Delete key', ['click Delete', 'press Delete']],
  ['Press "Enter"', ['press Enter']],
  ['Go to https://example.com/a.html and go back.', ['goto https://example.com/a.html', 'back']],
  ['Go to "Pricing", go to /admin/pages', ['click Pricing', 'goto /admin/pages']],
  ['Enter "x, y" into the "Full name" field; press "Save"', ['enter x, y Full name:field', 'click Save']],
  ['Enter <secret>PW</secret> into "Password"', ['enter <secret>PW</secret> Password']],
  ['Select "6 to 20" as "Team size", choose "Blue"', ['select 6 to 20 Team size', 'check Blue']],
  ['Uncheck "A", upload "a.txt" to "B"', ['uncheck A', 'upload a.txt B']],
  ['Open "File" > "Export" > "PDF"', ['menu File + Export + PDF']],
  ['Log in with the user name "sam" and the password "p 1", click "A"', ['log in sam + p 1', 'click A']],
  ['Click "Delete" and accept the dialog', ['click Delete', 'accept']],
  ['accept the prompt with "Bob", dismiss the dialog', ['accept Bob', 'dismiss']],
  ['Wait for "Saved" and read "Total" in the row "Fern"', ['read Saved', 'read Total @ Fern']],
  ['1. Click "A"\n2. click "B"\n- click\n  "C"\nopen "D"', ['click A', 'click B', 'click C', 'click D']],
])('reads %s', (goal, clauses) => {
  if (typeof clauses === 'string') expect(() => parseGoal(goal)).toThrow(`can't be understood: "${clauses}"`);
  else expect(parseGoal(goal).map(told)).toEqual(clauses);
});

it.each([
  ['Juggle "A" and click "B"', 'Juggle "A"'],
  ['Click "A", then ponder', 'ponder'],
  ['Click "A" "B"', 'Click "A" "B"'],
  ['Click the Sign in button', 'Click the Sign in button'],
  ['Enter "a" into "A" and "b" into "B"', '"b" into "B"'],
  ['Press Entre', 'Press Entre'],
  ['Check that "A" is shown', 'Check that "A" is shown'],
  ['', ''],
])('refuses %s', (goal, clause) => {
  expect(() => parseGoal(goal)).toThrow(
    `can't be understood: ${clause}. Begin a clause with click, double-click,`,
  );
});

it('does not hang on text made to be slow', () => {
  const goal = `Click ${', and then '.repeat(150)}${'a b '.repeat(80)}`.slice(0, 2000);
  expect(() => parseGoal(goal)).toThrow("can't be understood");
});
