// What the contestants without a model loop of their own have in common: ask the bench for the next action, do it, and
// ask again with what the action showed.

/**
 * @param {(answer: any) => Promise<unknown>} act does one action and returns what a model would be shown
 * @param {() => Promise<unknown>} [close]
 */
export async function play(act, close = async () => undefined) {
  const door = process.env.BENCH_DOOR ?? '';
  /** @type {unknown} */
  let observation = null;
  for (;;) {
    const response = await fetch(door, { method: 'POST', body: JSON.stringify({ observation }) });
    const answer = await response.json();
    if (answer.do === 'end') break;
    observation = await act(answer).catch(error => ({ error: String(error?.stack ?? error) }));
  }
  await close();
  process.exit(0);
}
