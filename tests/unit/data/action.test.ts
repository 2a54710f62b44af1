import { expect, test } from 'vitest';
import { controlInWords } from '../../../src/data/action';

test.each([
  ["getByLabel('Size')", 'field "Size"'],
  ["getByPlaceholder('Search')", 'field "Search"'],
  ["getByText('Go')", '"Go"'],
  ["getByText('It\\'s here')", '"It\'s here"'],
  ["getByTitle('Close', { exact: true })", '"Close"'],
  ["getByAltText('Logo')", '"Logo"'],
  ["getByRole('searchbox', { name: 'Find' })", 'field "Find"'],
  ["getByRole('spinbutton', { name: 'Count' })", 'field "Count"'],
  ["locator('.icon-cart')", '.icon-cart'],
  ["locator('form').locator('.x')", "locator('form').locator('.x')"],
])('%s is %s', (locator, words) => expect(controlInWords(locator)).toBe(words));
