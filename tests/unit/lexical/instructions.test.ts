import { describe, expect, it } from 'vitest';
import type { Instruction } from '../../../src/agents/lexical/instruction';
import { parseGoal } from '../../../src/agents/lexical/instructions';
import type { Target } from '../../../src/agents/lexical/targets';

/** A target in one line: `Save @ row of Bob:button #2 x3`. */
function told(target: Target): string {
  const { text, scope } = target.readings[0] ?? { text: '', scope: '' };
  return [
    text,
    scope === '' ? '' : ` @ ${scope}`,
    target.kind ? `:${target.kind}` : '',
    target.ordinal === undefined ? '' : ` #${target.ordinal}`,
    target.count === 1 ? '' : ` x${target.count}`,
  ].join('');
}

function brief(instruction: Instruction): string {
  switch (instruction.do) {
    case 'goto':
      return `goto ${instruction.url}`;
    case 'search':
      return `search ${instruction.text}`;
    case 'press':
      return `press ${instruction.key}`;
    case 'wait':
      return `wait ${instruction.ms}`;
    case 'back':
      return 'back';
    case 'enter':
      return `enter ${JSON.stringify(instruction.value.text)} into ${told(instruction.target)}`;
    case 'choose': {
      const from = instruction.from.phrase === '' ? '' : told(instruction.from);
      return `${instruction.on ? 'choose' : 'unchoose'} ${instruction.values.map(told).join(' | ')}${from ? ` from ${from}` : ''}`;
    }
    case 'path':
      return `path ${instruction.steps.map(told).join(' > ')}`;
    case 'scroll':
      return `scroll ${instruction.to} ${told(instruction.target)}`.trim();
    case 'find':
      return `${instruction.heading ? 'about' : 'find'} ${told(instruction.target)}`;
    default:
      return `${instruction.do} ${told(instruction.target)}`.trim();
  }
}

const TABLE: [goal: string, instructions: string[]][] = [
  ['Click "Sign in".', ['click Sign in']],
  ['Click on the “Sign in” button', ['click Sign in:button']],
  ["Press the 'Don't save' button", ["click Don't save:button"]],
  ['Tap «Weiter» and then ‘Fertig’', ['click Weiter', 'click Fertig']],
  ['click the Sign in button', ['click Sign in:button']],
  ['Click the link "a, b and c."', ['click a, b and c.:link']],
  ['Click the 2nd "Edit" button in the row of Bob', ['click Edit @ Bob:button #2']],
  ['For the user @sam, click on the "Block" button', ['click Block @ the user @sam:button']],
  ['Click the "Share" button on all posts by @sam', ['click Share @ posts by @sam:button xInfinity']],
  ['Click the button in the dialog labelled "OK"', ['click OK @ dialog:button']],
  ['Close the window by clicking the "x"', ['click x @ the window']],
  ['click "A", then "B"', ['click A', 'click B']],
  ['Click "Next" to go on', ['click Next']],
  ['Press Enter', ['press Enter']],
  ['Wait 2 seconds and click "Go"', ['wait 2000', 'click Go']],
  ['Go to https://example.com/a.html and go back', ['goto https://example.com/a.html', 'back']],
  ['Open the pricing page', ['open pricing:page']],
  [
    'Enter "x, y" into the "Full name" field and press Save',
    ['enter "x, y" into Full name:field', 'click Save'],
  ],
  ['Type hello into the search box', ['enter "hello" into :field']],
  [
    'Enter the username "sam" and the password "p 1" into the text fields and press login',
    ['enter "sam" into username:field', 'enter "p 1" into password:field', 'click login'],
  ],
  [
    'Enter "a" into "One", "b" into "Two" and "c" into "Three"',
    ['enter "a" into One:field', 'enter "b" into Two:field', 'enter "c" into Three:field'],
  ],
  ['Fill "City" with "Utrecht"', ['enter "Utrecht" into City:field']],
  ['Set the quantity to 3', ['enter "3" into quantity:field']],
  [
    'Fill in the form with name Jo Doe, email jo@example.com',
    ['enter "Jo Doe" into name:field', 'enter "jo@example.com" into email:field'],
  ],
  ['Type "abc" in all upper case letters in the text input', ['enter "ABC" into :field']],
  ['Enter 4:08 PM as the time and hit submit', ['enter "4:08 PM" into time:field', 'click submit']],
  ['Enter the number "40" into the 3rd textbox', ['enter "40" into :field #3']],
  ['Enter the password "p" into both text fields', ['enter "p" into password:field xInfinity']],
  ['Select a, b and c and click Submit', ['choose a | b | c', 'click Submit']],
  ['Select "6 to 20" as "Team size"', ['choose 6 to 20 from Team size']],
  ['Choose Norway from the list', ['choose Norway from :list']],
  ['Select 12/30/2016 as the date', ['choose 12/30/2016 from date']],
  ['Select File > Export > PDF', ['path File > Export > PDF']],
  ['Select nothing and click Submit', ['click Submit']],
  ['Uncheck "Newsletter" and tick the 3rd checkbox', ['unchoose Newsletter', 'choose :checkbox #3']],
  ['Sort the list by "Price"', ['choose Price']],
  ['Search for "blue mug"', ['search blue mug']],
  [
    'Log in with username sam and password hunter2',
    ['enter "sam" into username:field', 'enter "hunter2" into password:field', 'submit log in:button'],
  ],
  [
    'Sign in as jo@example.com with password x',
    ['enter "jo@example.com" into email:field', 'enter "x" into password:field', 'submit log in:button'],
  ],
  ['Reject the cookies', ['dismiss reject the cookies']],
  ['Accept all cookies', ['accept accept all cookies xInfinity']],
  ['Scroll to the bottom and click "More"', ['scroll bottom', 'click More']],
  ['Find and click the 7th search result', ['click :result #7']],
  ['Use the search box to find and click "A"', ['click A']],
  [
    'Show only "x" and "y": choose the one and check the other',
    ['about x @ only and y', 'choose x', 'choose y'],
  ],
  ['In the account check "Weekly"', ['choose Weekly @ the account']],
  ['1. Click "A"\n2. Click "B"', ['click A', 'click B']],
  ['Mark the message as read', ['click mark as read @ the message']],
  [
    'Find the price of the Team plan and start a free trial',
    ['find price of the Team plan', 'act start a free trial'],
  ],
  ['Click "A". You should be on the next page now.', ['click A', 'about You should be on the next page now']],
  ['Click "Save" and make sure that the page says "Saved"', ['click Save']],
];

describe('parseGoal', () => {
  it.each(TABLE)('%s', (goal, instructions) => {
    expect(parseGoal(goal).instructions.map(brief)).toEqual(instructions);
  });

  it('notices that things are inside others', () => {
    expect(parseGoal('Expand the sections to find and click the link "a"').looksInside).toBe(true);
    expect(parseGoal('Click the link "a"').looksInside).toBe(false);
  });

  it('takes no longer for text made to be slow', () => {
    const goal = `Click ${', and then '.repeat(150)}${'a b '.repeat(80)}`.slice(0, 2000);
    const started = performance.now();
    parseGoal(goal);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
