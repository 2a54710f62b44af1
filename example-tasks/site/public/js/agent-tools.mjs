// What the shop offers to agents itself (WebMCP), in browsers that have it. The contact form is one more such tool.
import { call } from './api.mjs';
import { showBasketCount } from './site.mjs';

/** @param {string} text */
const say = text => ({ content: [{ type: 'text', text }] });

/** @param {{ error?: string, fields?: Record<string, string> } | null} body of an answer that refuses */
const refuse = body => ({
  ...say([body?.error ?? 'That did not work.', ...Object.values(body?.fields ?? {})].join(' ')),
  isError: true,
});

const TOOLS = [
  {
    name: 'search_products',
    description: 'Finds products by words, with slug, price and whether they are safe for pets.',
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: 'object',
      properties: { words: { type: 'string', minLength: 1, maxLength: 80 } },
      required: ['words'],
    },
    /** @param {{ words: string }} input */
    async execute({ words }) {
      if (typeof words !== 'string') return refuse({ error: 'Give words to search for.' });
      const { status, body } = await call('GET', `/api/products?${new URLSearchParams({ q: words })}`);
      return status === 200 ? say(JSON.stringify(body.products)) : refuse(body);
    },
  },
  {
    name: 'add_to_cart',
    description: 'Puts a product into the basket. search_products tells its slug, its page its sizes.',
    inputSchema: {
      type: 'object',
      properties: {
        slug: { type: 'string' },
        size: { enum: ['small', 'medium', 'large', 'one-size'] },
        quantity: { type: 'integer', minimum: 1, maximum: 20 },
      },
      required: ['slug', 'size', 'quantity'],
    },
    /** @param {unknown} input */
    async execute(input) {
      const { status, body } = await call('POST', '/api/cart', input);
      if (status !== 201) return refuse(body);
      showBasketCount(body.count);
      return say(`${body.name} added. Products in the basket: ${body.count}.`);
    },
  },
  {
    name: 'start_trial',
    description: 'Starts a free trial of a plan, and goes to its welcome page.',
    annotations: { consequentialHint: true },
    inputSchema: {
      type: 'object',
      properties: {
        plan: { enum: ['solo', 'team', 'business'] },
        email: { type: 'string', format: 'email' },
        company: { type: 'string' },
        size: { enum: ['1-5', '6-20', '21-100'] },
        terms: { const: true, description: 'Agreement to the terms of service.' },
      },
      required: ['plan', 'email', 'company', 'size', 'terms'],
    },
    /** @param {unknown} input */
    async execute(input) {
      const { status, body } = await call('POST', '/api/trials', input);
      if (status !== 201) return refuse(body);
      location.assign(body.location);
      return say('The trial has started.');
    },
  },
];

const { modelContext } = /** @type {any} */ (document);
for (const tool of TOOLS) modelContext?.registerTool(tool);
