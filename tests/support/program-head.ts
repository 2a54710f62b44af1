// At the head of each program by which `command()` plays in end-to-end tests.
export const PROGRAM_HEAD = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { setTimeout as after } from 'node:timers/promises';
const say = line => process.stdout.write(typeof line === 'string' ? line : JSON.stringify(line) + '\\n');
const never = () => new Promise(() => setInterval(() => {}, 1000));
/** A session with the trial's page, in the bare protocol. */
async function attach({ url, targetId }) {
  // Half of a program's start, so only for those that need it.
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  let id = 0;
  const send = (method, params = {}, sessionId) => new Promise((resolve, reject) => {
    const mine = ++id;
    const listen = data => {
      const answer = JSON.parse(data);
      if (answer.id !== mine) return;
      socket.off('message', listen);
      if (answer.error) reject(new Error(answer.error.message));
      else resolve(answer.result);
    };
    socket.on('message', listen);
    socket.send(JSON.stringify({ id: mine, method, params, ...(sessionId ? { sessionId } : {}) }));
  });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const evaluate = async expression =>
    (await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId)).result.value;
  return { socket, send, evaluate, sessionId };
}
`;
