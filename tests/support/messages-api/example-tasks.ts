// Plays the example tasks in the model's place, any number of them at once: each conversation tells by its goal which
// task it is, and by its length how far it has come.
import { byRef, call, callTool, done, reply, type Script, type ScriptedRequest } from './script';
import type { JsonObject } from './tokens';

type Step = ['click', string] | ['set', string, string | boolean] | ['accept dialog'];

const fields = (values: Record<string, string | boolean>): Step[] =>
  Object.entries(values).map(([name, value]) => ['set', name, value]);

/** By a part of the goal. Names are parts of the line that read_page shows. */
const TASKS: Record<string, Step[]> = {
  'olive tree': [
    ['set', 'textbox "Postcode', '1012 AB'],
    ['click', 'button "Check delivery'],
  ],
  'dismiss the announcement': [
    ['click', 'button "Accept all'],
    ['click', 'button "Dismiss'],
  ],
  'Empty basket': [
    ['click', 'button "Add to basket'],
    ['click', 'link "View basket'],
    ['accept dialog'],
    ['click', 'button "Empty basket'],
  ],
  'Safe for pets': [
    ['set', 'radio "Low light', true],
    ['set', 'checkbox "Safe for pets', true],
    ['set', 'combobox "Sort', 'Price: low to high'],
  ],
  'Boston fern': [
    ['set', 'searchbox', 'fern'],
    ['click', 'button "Search'],
    ['click', 'link "Boston fern'],
    ['click', 'Care instructions'],
  ],
  'snake plant': [
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
  'release notes': [
    ['click', 'link "Sensor setup'],
    ['click', 'elease notes'],
  ],
  'moisture sensor': [
    ['click', 'link "Register a sensor'],
    ...fields({ 'textbox "Serial': 'TL-4821-K', 'textbox "Date': '2026-03-14', 'It was a gift': true }),
    ['click', 'button "Register sensor'],
  ],
  'Write to support': [
    ...fields({
      'combobox "Topic': 'Delivery',
      'textbox "Your email': 'sam@harbour.example',
      'textbox "Message': 'The pot of my Calathea arrived broken. Please send me a new one.',
      'radio "Email': true,
    }),
    ['click', 'button "Send message'],
  ],
  'Reminder day': [
    ...fields({ 'textbox "User': 'mira', 'textbox "Password': 'violet-garden-7' }),
    ['click', 'button "Log in'],
    ...fields({
      'checkbox "Email me': true,
      'combobox "Reminder day': 'Friday',
      'radio "Fahrenheit': true,
    }),
    ['click', 'button "Save settings'],
  ],
  'choose the "Team" plan': [
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
  newsletter: [
    ['click', 'button "Reject'],
    ['set', 'textbox "Email for the newsletter', 'sam@harbour.example'],
    ['click', 'button "Subscribe'],
  ],
};

function stepsFor(request: ScriptedRequest): Step[] {
  const goal = String(((request.body.messages[0]!.content as JsonObject[])[0] as JsonObject).text);
  const found = Object.entries(TASKS).find(([part]) => goal.includes(part));
  if (!found) throw new Error(`no example task has the goal ${JSON.stringify(goal)}`);
  return found[1];
}

/** One step per answer, and what the page shows after it. */
export const playExamples: Script = request => {
  const steps = stepsFor(request);
  const read = call('read_page', { filter: 'all' });
  if (request.turn === 0) return reply(read);
  const step = steps[request.turn - 1];
  if (!step) return done();
  if (step[0] === 'accept dialog') return reply(callTool('next_dialog', { accept: true }));
  const target = byRef(request.ref(step[1]));
  return reply(
    step[0] === 'click' ? call('left_click', { target }) : call('form_input', { target, value: step[2] }),
    read,
  );
};
