// Locators as Playwright writes them, read back: what is read must be what was written, and nothing else is run.
import type { Page } from '@playwright/test';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { locatorOf } from '../../src/browser/actions/locate';
import { browserOfTests } from '../support/shared-browser';

const browser = browserOfTests();
let page: Page;
beforeAll(async () => {
  page = await browser().newPage();
});

describe('what Playwright writes is read back', () => {
  test.each([
    "getByRole('button', { name: 'Place order' })",
    "getByRole('button', { name: 'Place order', exact: true }).first()",
    "getByRole('heading', { checked: false, level: 2 })",
    "getByText('It\\'s here').nth(3).locator('> b')",
    'getByText(/^a\\/b (c|[/])+$/i).last()',
    "locator('iframe').contentFrame().getByLabel('Name')",
    "locator('div').filter({ hasText: 'x' }).getByRole('row').filter({ has: getByText('y') })",
    "getByTestId('a').and(getByTitle('b')).or(getByPlaceholder('c'))",
    "getByAltText('back\\\\slash \\n')",
  ])('%s', expression => {
    expect(locatorOf(page, expression).toString()).toBe(expression);
  });

  test('with any text in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }), fc.nat(9), (text, n) => {
        // Half a surrogate pair is no text that a page can hold.
        fc.pre(!/\p{Surrogate}/u.test(text));
        for (const made of [
          page.getByRole('button', { name: text }).nth(n),
          page.getByText(text, { exact: true }),
          page.locator('p').filter({ hasText: text }),
          page.frameLocator('iframe').getByTestId(text),
        ])
          expect(locatorOf(page, made.toString()).toString()).toBe(made.toString());
      }),
      { numRuns: 100 },
    );
  });
});

describe('what is no locator is refused, with the place', () => {
  test.each([
    ['', /no method.*character 1/],
    ["getByRole('button'", /`\)` is missing/],
    ["getByRole('button", /a string has no closing quote/],
    ["getByRole('button').click()", /`click`/],
    ["getByRole('button').evaluate('alert(1)')", /`evaluate`/],
    ["constructor('x')", /`constructor`/],
    ["page.getByText('x')", /`page`/],
    ["getByText('x') ; alert(1)", /unexpected text after/],
    ["locator('iframe').contentFrame()", /a frame, not an element/],
    ['getByRole({ __proto__: 1 })', /an option must be `name: value`/],
    ["getByRole('button').nth('x').getByText(`y`)", /no method/],
    ['getByText(/(/)', /Invalid regular expression/],
    ['getByText(/x/zz)', /Invalid flags/],
  ])('%s', (expression, message) => {
    expect(() => locatorOf(page, expression)).toThrow(/^not a locator: /);
    expect(() => locatorOf(page, expression)).toThrow(message);
  });
});
