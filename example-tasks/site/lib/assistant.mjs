// The shop's assistant: a script in the place of a model. It words an answer differently from time to time, and one in eight
// misses the question; a seed decides which, so that what it says is the same from run to run.
import { createHash, randomInt } from 'node:crypto';
import { checkFields, filled } from './fields.mjs';
import { readJson, sendJson } from './http.mjs';

const OPENINGS = ['Gladly.', 'Good question!', 'In short:', 'I have looked it up.'];
/** @type {[about: RegExp, answers: string[]][]} */
const TOPICS = [
  [
    /return|refund|send .*back/i,
    [
      'You can send anything back within 30 days.',
      'Returns are free for 30 days after delivery.',
      'You have 30 days to change your mind and get your money back.',
    ],
  ],
  [/sensor|warranty/i, ['Sensors are covered for three years.', 'The warranty of a sensor is three years.']],
];
const EVASION = 'I am not sure. Shall I ask a gardener to write to you?';

/**
 * @param {string} question
 * @param {string} seed
 */
export function answerTo(question, seed) {
  const [chance = 0, opening = 0, wording = 0] = createHash('sha256').update(`${seed} ${question}`).digest();
  const answers = TOPICS.find(([about]) => about.test(question))?.[1];
  if (!answers || chance < 32) return EVASION;
  return `${OPENINGS[opening % OPENINGS.length]} ${answers[wording % answers.length]}`;
}

/** @param {import('../server.mjs').Visit} visit */
export async function ask({ request, response }) {
  const sent = await readJson(request);
  const { question } = checkFields(sent, { question: filled('Ask something.') });
  sendJson(response, 200, { answer: answerTo(question, String(sent.seed || randomInt(1e9))) });
}
