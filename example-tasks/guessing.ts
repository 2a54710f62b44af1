// An agent of our own, without a model. It clicks what the goal names in quotes, as lexical() does; where nothing has that
// name it guesses, as an agent does that looks at the picture: it clicks the button without a name, or else the first one of the page's
// main part.
import { defineAgent } from '@taskproof/playwright';

export const guessing = defineAgent({
  name: 'guessing',
  async run(task) {
    for (const [, name] of task.goal.matchAll(/"([^"]+)"/g))
      await task.turn(`click "${name}"`, async turn => {
        const { page } = task;
        const named = page.getByRole('button', { name }).or(page.getByRole('link', { name }));
        const isThere = await named.waitFor({ timeout: 2000 }).then(
          () => true,
          () => false,
        );
        const nameless = page.getByRole('button', { name: /^$/ });
        const guessed = (await nameless.count())
          ? nameless
          : page.getByRole('main').getByRole('button').first();
        const target = isThere ? named : guessed;
        await turn.record({ do: 'click' }, target); // so that it can be recorded, and compared with other trials
        await target.click();
      });
  },
});
