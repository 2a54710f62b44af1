// Asks the bench what to do next, for all drivers.

export async function ask(body, server = process.env.BENCH_SERVER) {
  const response = await fetch(server, { method: 'POST', body: JSON.stringify(body) });
  return response.json();
}

/**
 * For drivers without a loop of their own. `act` does one action and returns what a model would be shown.
 */
export async function play(act, close) {
  let answer = await ask({ observation: null });
  while (answer.do !== 'end') {
    const observation = await act(answer).catch(error => ({ error: String(error?.stack ?? error) }));
    answer = await ask({ observation });
  }
  await close();
  process.exit(0);
}

/** For tools with a loop of their own. `session` plays one session on the page of a URL. */
export async function playSessions(session, server = process.env.BENCH_CONTROL) {
  let answer = await ask({ ready: true }, server);
  while (answer.do !== 'end') {
    let error = null;
    await session(answer.url).catch(thrown => {
      error = String(thrown?.stack ?? thrown);
    });
    answer = await ask({ error }, server);
  }
  process.exit(0);
}
