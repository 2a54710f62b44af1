// An agent of our own that uses what the page offers to agents (WebMCP): it looks up the product of the page and puts it into the basket
// by the shop's own tools. No button is clicked, so none needs a name. It stands for a model that reads the tools.
import { defineAgent } from '@taskproof/playwright';

export const toolUser = defineAgent({
  name: 'tool-user',
  async run(task) {
    const words = new URL(task.entryUrl).pathname.split('/').at(-1) ?? '';
    await task.turn(`look for ${words}, and put it into the basket`, async () => {
      const found = JSON.stringify(await task.callPageTool('search_products', { words }));
      const [, slug = ''] = /\\"slug\\":\\"([a-z-]+)\\"/.exec(found) ?? [];
      await task.callPageTool('add_to_cart', { slug, size: 'small', quantity: 1 });
    });
    await task.turn('look at the basket', async turn => {
      await turn.record({ do: 'goto', url: new URL('/cart', task.page.url()).href });
      await task.page.goto('/cart');
    });
  },
});
