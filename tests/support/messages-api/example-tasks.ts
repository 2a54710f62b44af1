// Plays the model for the example tasks, any number of them at once: it recognizes the task by the goal of a conversation,
// and the progress by its calls. It answers as a good agent would: it acts only on what it was shown, puts into one answer
// what it can decide at once, looks if it was not shown what an action did, and ends when it has seen the outcome.
import { byRef, call, callTool, done, reply, type Script, type ScriptedRequest, textsOf } from './script';
import type { JsonObject } from './tokens';

type Step = ['click', string] | ['set', string, string | boolean] | ['accept dialog'];

const fields = (values: Record<string, string | boolean>): Step[] =>
  Object.entries(values).map(([name, value]) => ['set', name, value]);

interface Played {
  steps: Step[];
  /** What the page shows once the task is done. */
  outcome: RegExp;
}

/** Tasks by a part of the goal. Names are parts of the line that read_page shows. */
const TASKS: Record<string, Played> = {
  'Check delivery': {
    outcome: /within 1 to 2 working days/,
    steps: [
      ['set', 'textbox "Postcode', '1012 AB'],
      ['click', 'button "Check delivery'],
    ],
  },
  'Dismiss announcement': {
    outcome: /Gone: .*Dismiss|^(?!.*Dismiss).*heading/s,
    steps: [
      ['click', 'button "Accept all'],
      ['click', 'button "Dismiss'],
    ],
  },
  'Empty basket': {
    outcome: /Your basket is empty/,
    steps: [
      ['click', 'button "Add to basket'],
      ['click', 'link "View basket'],
      ['accept dialog'],
      ['click', 'button "Empty basket'],
    ],
  },
  'Safe for pets': {
    outcome: /Parlour palm/,
    steps: [
      ['set', 'radio "Low light', true],
      ['set', 'checkbox "Safe for pets', true],
      ['set', 'combobox "Sort', 'Price: low to high'],
    ],
  },
  'Boston fern': {
    outcome: /Keep the soil moist|[Cc]are instructions.*\n.*paragraph/,
    steps: [
      ['set', 'searchbox', 'fern'],
      ['click', 'button "Search'],
      ['click', 'link "Boston fern'],
      ['click', 'Care instructions'],
    ],
  },
  'Go to checkout': {
    outcome: /Thank you, Mira/,
    steps: [
      ['set', 'combobox "Size', 'Medium'],
      ['click', 'button "Add to basket'],
      ['click', 'link "View basket'],
      ['click', 'link "Go to checkout'],
      ...fields({
        'textbox "Full name': 'Mira Okafor',
        'textbox "Email': 'mira@northwind.example',
        'textbox "Street': 'Kade 4',
        'textbox "City': 'Utrecht',
        'textbox "Postcode': '3511 AX',
        'combobox "Country': 'Netherlands',
        'radio "Express delivery': true,
        'checkbox "Wrap it as a gift': true,
        'checkbox "I agree': true,
      }),
      ['click', 'button "Place order'],
    ],
  },
  'release notes': {
    outcome: /elease notes/,
    steps: [
      ['click', 'link "Sensor setup'],
      ['click', 'elease notes'],
    ],
  },
  'Register a sensor': {
    outcome: /TL-4821-K/,
    steps: [
      ['click', 'link "Register a sensor'],
      ...fields({ 'textbox "Serial': 'TL-4821-K', 'textbox "Date': '2026-03-14', 'It was a gift': true }),
      ['click', 'button "Register sensor'],
    ],
  },
  'Send message': {
    outcome: /sent|Thank you/,
    steps: [
      ...fields({
        'combobox "Topic': 'Delivery',
        'textbox "Your email': 'sam@harbour.example',
        'textbox "Message': 'The pot of my Calathea arrived broken. Please send me a new one.',
        'radio "Email': true,
      }),
      ['click', 'button "Send message'],
    ],
  },
  'Reminder day': {
    outcome: /Settings saved/,
    steps: [
      ...fields({ 'textbox "User': 'mira', 'textbox "Password': 'violet-garden-7' }),
      ['click', 'button "Log in'],
      ...fields({
        'checkbox "Email me': true,
        'combobox "Reminder day': 'Friday',
        'radio "Fahrenheit': true,
      }),
      ['click', 'button "Save settings'],
    ],
  },
  'choose "Team"': {
    outcome: /Your Team trial has started/,
    steps: [
      ['click', 'button "Reject'],
      ['click', 'link "Pricing'],
      ['set', 'radio "Team', true],
      ['click', 'Start free trial'],
      ...fields({
        'textbox "Work email': 'mira@northwind.example',
        'textbox "Company': 'Northwind Studio',
        'combobox "Team size': '6 to 20 people',
        'checkbox "I agree': true,
      }),
      ['click', 'button "Create my account'],
    ],
  },
  newsletter: {
    outcome: /You're subscribed/,
    steps: [
      ['click', 'button "Reject'],
      ['set', 'textbox "Email for the newsletter', 'sam@harbour.example'],
      ['click', 'button "Subscribe'],
    ],
  },
};

function taskOf(request: ScriptedRequest): Played {
  const goal = String(((request.body.messages[0]!.content as JsonObject[])[0] as JsonObject).text);
  const found = Object.entries(TASKS).find(([part]) => goal.includes(part));
  if (!found) throw new Error(`no example task has the goal ${JSON.stringify(goal)}`);
  return found[1];
}

const ACTS = new Set(['left_click', 'form_input', 'next_dialog']);
/** Texts that show the whole page, its changes, or that nothing has changed. */
const WHOLE = /^The page now|^(?:\d+ px above .*\n)?- /m;
const TOLD = /\[ref_\d+\]|page is as it was|^Changed |^Gone: |^Now in view/im;

/** What the model knows of the page: everything since the page was last shown as a whole. */
function knownOf({ body }: ScriptedRequest): string[] {
  const told = body.messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => textsOf(content).join('\n'));
  const whole = told.findLastIndex(
    text => /The page now/.test(text) || (WHOLE.test(text) && !/^Changed /m.test(text)),
  );
  return told.slice(Math.max(0, whole)).join('\n').split('\n').reverse();
}

function refIn(lines: readonly string[], name: string): string | undefined {
  const line = lines.find(
    each => each.includes(name) && /\[ref_\d+\]/.test(each) && !each.startsWith('Gone:'),
  );
  return line && /ref_\d+/.exec(line)![0];
}

export const playExamples: Script = request => {
  const { steps, outcome } = taskOf(request);
  const calls = request.body.messages
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => (content as JsonObject[]).filter(({ type }) => type === 'tool_use'));
  const left = steps.slice(calls.flat().filter(({ name }) => ACTS.has(String(name))).length);
  const looked = calls.at(-1)?.some(({ name }) => name === 'read_page') ?? false;
  const look = () => reply(call('read_page', { filter: 'all' }));
  if (/"is_error":true/.test(JSON.stringify(request.body.messages.at(-1))))
    throw new Error(`a call failed: ${request.text}`);
  if (left.length === 0) return outcome.test(request.text) || looked ? done() : look();
  if (!TOLD.test(request.text)) return look();
  const known = knownOf(request);
  const answer: JsonObject[] = [];
  for (const step of left) {
    if (step[0] === 'accept dialog') {
      answer.push(callTool('next_dialog', { accept: true }));
      continue;
    }
    const ref = refIn(known, step[1]);
    if (!ref) break;
    const target = byRef(ref);
    if (step[0] === 'set') answer.push(call('form_input', { target, value: step[2] }));
    else answer.push(call('left_click', { target }));
    // The result of a click is only known once it is shown.
    if (step[0] === 'click') break;
  }
  if (answer.some(({ name }) => name !== 'next_dialog')) return reply(...answer);
  if (looked) throw new Error(`nothing shows ${left[0]![1]}: ${request.text}`);
  return look();
};
