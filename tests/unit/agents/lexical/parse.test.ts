// The little language of lexical(): goals, and the clauses that are read of them.
import { describe, expect, it } from 'vitest';
import type { Clause } from '../../../../src/agents/lexical/clause';
import { parseGoal } from '../../../../src/agents/lexical/parse';

/** A clause in one line: `click Edit:button @ Alice #2`. */
function told(clause: Clause): string {
  const { source, ...act } = clause;
  const name = (target: { label: string; kind?: string; place?: string; nth?: number }) =>
    [
      target.label,
      target.kind ? `:${target.kind}` : '',
      target.place ? ` @ ${target.place}` : '',
      target.nth === undefined ? '' : ` #${target.nth + 1}`,
    ].join('');
  switch (act.do) {
    case 'path':
      return `path ${act.labels.join(' > ')}`;
    case 'enter':
      return `enter ${act.value} into ${name(act.target)}`;
    case 'choose':
      return `choose ${name(act.target)}${act.from ? ` from ${name(act.from)}` : ''}`;
    case 'check':
      return `${act.on === 'toggle' ? 'toggle' : act.on ? 'check' : 'uncheck'} ${name(act.target)}`;
    case 'upload':
      return `upload ${act.file} to ${name(act.target)}`;
    case 'press':
      return `press ${act.key}${act.target ? ` in ${name(act.target)}` : ''}`;
    case 'goto':
      return `goto ${act.url}`;
    case 'wait':
      return `wait ${act.seconds}`;
    case 'search':
      return `search ${act.text}${act.target ? ` in ${name(act.target)}` : ''}`;
    case 'answer':
      return [act.how, act.native ? 'dialog' : act.what || 'it', act.given ?? ''].join(' ').trim();
    case 'click':
      return `${act.count ? 'double click' : 'click'} ${name(act.target)}`;
    default:
      return 'target' in act ? `${act.do} ${name(act.target)}` : act.do;
  }
}

const TABLE: [goal: string, clauses: string[]][] = [
  ['Click "Sign in".', ['click Sign in']],
  ['Click on the “Sign in” button', ['click Sign in:button']],
  ["Press the 'Don't save' button", ["click Don't save:button"]],
  ['Tap «Weiter» and then ‘Fertig’', ['click Weiter', 'click Fertig']],
  ['click the Sign in button', ['click Sign in:button']],
  ['Click "a, b and c."', ['click a, b and c.']],
  ['Click the 2nd "Edit" button in the row of Bob', ['click Edit:button @ Bob #2']],
  ['Click "Edit" in the row "Alice"', ['click Edit @ Alice']],
  ['For the user @ann, click "Like"', ['click Like @ @ann']],
  ['Enter "x" into both text fields', ['enter x into :text field #1', 'enter x into :text field #2']],
  ['Click "A", wait 2 seconds, then click "B"', ['click A', 'wait 2', 'click B']],
  ['Click "Add" next to "Fern"', ['click Add @ Fern']],
  ['Find "Fern", open it and click "Buy"', ['see Fern', 'click Fern', 'click Buy']],
  ['Check that "News" is shown, then close it', ['see News', 'close dialog']],
  ['In the "Users" section, click "Edit"', ['click Edit @ Users']],
  ['For "Team" click "Start"', ['click Start @ Team']],
  ['Click the button labelled "OK"', ['click OK:button']],
  ['open "Boston fern" among the results', ['click Boston fern']],
  ['Click "Next" to go on', ['click Next']],
  ['Press Enter', ['press Enter']],
  ['Press Ctrl+A in "Body"', ['press Ctrl+A in Body']],
  ['Press "Delete"', ['click Delete']],
  ['Press the "Delete" key', ['press Delete']],
  ['Go to https://example.com/a.html and go back', ['goto https://example.com/a.html', 'back']],
  ['Go to /admin/pages', ['goto /admin/pages']],
  [
    'Enter "x, y" into the "Full name" field and press Save',
    ['enter x, y into Full name:field', 'click Save'],
  ],
  [
    'Enter "a" into "One", "b" into "Two" and "c" into "Three"',
    ['enter a into One', 'enter b into Two', 'enter c into Three'],
  ],
  [
    'Fill in "City" with "Utrecht" and "Street" with "Kade 4"',
    ['enter Utrecht into City', 'enter Kade 4 into Street'],
  ],
  ['"Name": "Bob", "City": "Paris"', ['enter Bob into Name', 'enter Paris into City']],
  [
    'Fill in "Name": "Bob" and "City": "Paris", press "OK"',
    ['enter Bob into Name', 'enter Paris into City', 'click OK'],
  ],
  ['In the "Colours" section, choose "Red"', ['choose Red @ Colours']],
  ['Set the quantity to 3', ['enter 3 into quantity']],
  ['Enter <secret>PW</secret> into "Password"', ['enter <secret>PW</secret> into Password']],
  [
    'Enter the user name "sam" and the password "p 1"',
    ['enter sam into user name', 'enter p 1 into password'],
  ],
  [
    'Log in with the user name "sam" and the password "p". Click "Go"',
    ['enter sam into user name', 'enter p into password', 'click Go'],
  ],
  [
    'Log in with the user name "sam" and the password "p". Click "Books"',
    ['enter sam into user name', 'enter p into password', 'click Log in:button', 'click Books'],
  ],
  [
    'Log in with the user name "sam" and the password "p" and click "Let me in"',
    ['enter sam into user name', 'enter p into password', 'click Let me in'],
  ],
  [
    'Log in with the user name "sam" and the password "p".\nPress the "Sign in" button',
    ['enter sam into user name', 'enter p into password', 'click Sign in:button'],
  ],
  [
    'Log in with the user name "sam" and the password "p", check "A"',
    ['enter sam into user name', 'enter p into password', 'click Log in:button', 'check A'],
  ],
  ['Select "6 to 20" as "Team size"', ['choose 6 to 20 from Team size']],
  ['Select a, b and c and click Submit', ['choose a', 'choose b', 'choose c', 'click Submit']],
  ['Choose "Norway" from the list', ['choose Norway']],
  ['Sort the list by "Price"', ['choose Price']],
  ['Open "File" > "Export" > "PDF"', ['path File > Export > PDF']],
  ['Select File > Export', ['path File > Export']],
  ['Uncheck "A" and "B", toggle "C"', ['uncheck A', 'uncheck B', 'toggle C']],
  ['Upload "a.txt" to "Attachment"', ['upload a.txt to Attachment']],
  ['Double-click "Cell" and hover over "Help"', ['double click Cell', 'hover Help']],
  ['Search for "blue mug"', ['search blue mug']],
  ['Search for "x" in "Docs"', ['search x in Docs']],
  ['Click "Delete" and confirm the dialog with "OK"', ['click Delete', 'accept dialog OK']],
  ['Click "Delete" and dismiss the dialog', ['click Delete', 'close dialog']],
  ['accept the prompt with "Bob"', ['accept dialog Bob']],
  ['Reject the optional cookies', ['reject it']],
  ['Close the "News" dialog', ['close News']],
  ['Check that "Saved" is shown', ['see Saved']],
  ['Read its "Care instructions"', ['see Care instructions']],
  ['Show only "x" and "y": choose the one and check the other', ['choose x', 'check y']],
  ['Order a "Medium" plant: select that size', ['choose Medium:size']],
  ['1. Click "A"\n2. Click "B"', ['click A', 'click B']],
  ['Click "A" (a tab opens). They come up later; stay there.', ['click A']],
];

describe('parseGoal', () => {
  it.each(TABLE)('%s', (goal, clauses) => {
    expect(parseGoal(goal).map(told)).toEqual(clauses);
  });

  it.each([
    ['Juggle "A" and click "B"', 'Juggle "A"'],
    ['Click "A", then ponder', 'ponder'],
    ['Click "A" "B"', 'Click "A" "B"'],
    ['Delete "A"', 'Delete "A"'],
    ['Buy a "Large" one: click "Go"', '"Large": named, but nothing says what to do with it'],
    ['In the "Users" section.', '"Users": named as a place, but nothing is done in it'],
    ['Find the price', 'Find the price'],
    ['', ''],
  ])('refuses %s', (goal, reason) => {
    expect(() => parseGoal(goal)).toThrow(reason);
  });

  it('names clauses as the goal has them', () => {
    expect(parseGoal('Enter "a" into "A" and "b" into "B"').map(({ source }) => source)).toEqual([
      'Enter "a" into "A"',
      'enter "b" into "B"',
    ]);
  });

  it('does not hang on text made to be slow', () => {
    const goal = `Click ${', and then '.repeat(150)}${'a b '.repeat(80)}`.slice(0, 2000);
    expect(() => parseGoal(goal)).not.toThrow(RangeError);
  });
});
