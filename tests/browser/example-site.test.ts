// Carries out every example task by hand: its assertions hold then, and did not before.
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSite } from '../../example-tasks/site/server.mjs';
import { recordNetwork } from '../../src/browser/network-log';
import { AssertionFailure, checkAssertion, type GradedState } from '../../src/grading/assertions';
import { parseTaskSpec, type TaskSpec } from '../../src/spec';
import { leaveSharedBrowser, sharedBrowser } from '../support/shared-browser';

const FOLDERS = ['tasks', 'experiment'];
let site: Awaited<ReturnType<typeof startSite>>;
let browser: Browser;

beforeAll(async () => {
  site = await startSite({ port: 0 });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await leaveSharedBrowser();
  await site.close();
});

/** What a person would do. Returns the tab that they end in, where it is another one. */
const BY_HAND: Record<string, (page: Page) => Promise<Page | undefined>> = {
  'start-team-trial': async page => {
    await page.getByRole('button', { name: 'Reject optional cookies' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pricing' }).click();
    await page.getByRole('radio', { name: 'Team' }).check();
    await page.getByRole('button', { name: 'Start free trial' }).click();
    await page.getByLabel('Work email').fill('mira@northwind.example');
    await page.getByLabel('Company').fill('Northwind Studio');
    await page.getByLabel('Team size').selectOption('6 to 20 people');
    await page.getByLabel('I agree to the terms of service').check();
    await page.getByRole('button', { name: 'Create my account' }).click();
    return undefined;
  },
  'order-snake-plant': async page => {
    await page.getByLabel('Size').selectOption({ label: 'Medium: €41.60' });
    await page.getByRole('button', { name: 'Add to basket' }).click();
    await page.getByRole('link', { name: 'View basket' }).click();
    await page.getByRole('link', { name: 'Go to checkout' }).click();
    await page.getByLabel('Full name').fill('Mira Okafor');
    await page.getByLabel('Email').fill('mira@northwind.example');
    await page.getByLabel('Street and house number').fill('Kade 4');
    await page.getByLabel('City').fill('Utrecht');
    await page.getByLabel('Postcode').fill('3511 AX');
    await page.getByLabel('Country').selectOption('Netherlands');
    await page.getByLabel('Express delivery').check();
    await page.getByLabel('Wrap it as a gift').check();
    await page.getByLabel('I agree to the terms of sale').check();
    await page.getByRole('button', { name: 'Place order' }).click();
    return undefined;
  },
  'find-boston-fern': async page => {
    await page.getByRole('searchbox', { name: 'Search the shop' }).fill('fern');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'Boston fern' }).click();
    await page.getByText('Care instructions').click();
    return undefined;
  },
  'filter-pet-safe': async page => {
    await page.getByLabel('Low light').check();
    await page.getByLabel('Safe for pets').check();
    await page.getByLabel('Sort by').selectOption('Price: low to high');
    return undefined;
  },
  'clear-overlays': async page => {
    await page.getByRole('button', { name: 'Accept all cookies' }).click();
    await page.getByRole('button', { name: 'Dismiss announcement' }).click();
    return undefined;
  },
  'set-reminder-day': async page => {
    await page.getByLabel('User name').fill('mira');
    await page.getByLabel('Password').fill('violet-garden-7');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('Email me when a plant needs water').check();
    await page.getByLabel('Reminder day').selectOption('Friday');
    await page.getByLabel('Fahrenheit').check();
    await page.getByRole('button', { name: 'Save settings' }).click();
    return undefined;
  },
  'read-release-notes': async page => {
    await page.getByRole('link', { name: 'Sensor setup' }).click();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'release notes' }).click();
    return opened;
  },
  'subscribe-newsletter': async page => {
    await page.getByRole('button', { name: 'Reject optional cookies' }).click();
    const frame = page.frameLocator('iframe[title="Newsletter sign-up"]');
    await frame.getByLabel('Email for the newsletter').fill('sam@harbour.example');
    await frame.getByRole('button', { name: 'Subscribe' }).click();
    return undefined;
  },
  'empty-basket': async page => {
    page.once('dialog', dialog => void dialog.accept());
    await page.getByRole('button', { name: 'Add to basket' }).click();
    await page.getByRole('link', { name: 'View basket' }).click();
    await page.getByRole('button', { name: 'Empty basket' }).click();
    return undefined;
  },
  'check-delivery': async page => {
    await page.getByLabel('Postcode').fill('1012 AB');
    await page.getByRole('button', { name: 'Check delivery' }).click();
    return undefined;
  },
  'report-broken-pot': async page => {
    await page.getByLabel('Topic').selectOption('Delivery');
    await page.getByLabel('Your email').fill('sam@harbour.example');
    await page.getByLabel('Message').fill('The pot of my Calathea arrived broken. Please send me a new one.');
    await page.getByRole('radio', { name: 'Email' }).check();
    await page.getByRole('button', { name: 'Send message' }).click();
    return undefined;
  },
  'buy-monstera': async page => {
    await page.getByRole('button', { name: 'Add to basket' }).click();
    await page.getByRole('link', { name: 'View basket' }).click();
    return undefined;
  },
  'register-sensor': async page => {
    await page.getByRole('link', { name: 'Register a sensor' }).click();
    await page.getByLabel('Serial number').fill('TL-4821-K');
    await page.getByLabel('Date of purchase').fill('2026-03-14');
    await page.getByLabel('It was a gift').check();
    await page.getByRole('button', { name: 'Register sensor' }).click();
    return undefined;
  },
};

/** Rejects with the reason of the first assertion that does not hold. */
async function checkAll(spec: TaskSpec, state: GradedState): Promise<void> {
  for (const assertion of spec.assertions) await checkAssertion(assertion, state);
}

const specs = FOLDERS.flatMap(folder =>
  readdirSync(`example-tasks/${folder}`).map(name => `${folder}/${name}`),
);

test('each spec is carried out below', () => {
  expect(Object.keys(BY_HAND).sort()).toEqual(specs.map(name => basename(name, '.yaml')).sort());
});

describe.each(specs)('%s', name => {
  test('holds when it is done, and not before', async () => {
    const source = readFileSync(`example-tasks/${name}`, 'utf8')
      .replaceAll('http://127.0.0.1:4173', site.url)
      .replaceAll('{{trial}}', '1');
    const spec = parseTaskSpec(source, { filename: name });
    const context = await browser.newContext();
    const log = recordNetwork(context);
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(spec.entryUrl, { waitUntil: 'networkidle' });
    const before = checkAll(spec, { page, network: log.events, timeoutMs: 500 });
    await expect(before).rejects.toThrow(AssertionFailure);
    const last = await BY_HAND[spec.id]!(page);
    await checkAll(spec, { page: last ?? page, network: log.events, timeoutMs: 10_000 });
    await context.close();
  });
});

test('the consent dialog covers the page until it is answered, and is not asked again', async () => {
  const page = await browser.newPage({ baseURL: site.url });
  await page.goto('/');
  const shop = page.getByRole('link', { name: 'Browse the shop' });
  const isOnTop = (link: Element) => {
    const { x, y, width, height } = link.getBoundingClientRect();
    return link.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  };
  expect(await shop.evaluate(isOnTop)).toBe(false);
  const consent = page.waitForResponse('**/api/consent');
  await page.getByRole('button', { name: 'Accept all cookies' }).click();
  await consent;
  await page.reload();
  expect(await page.locator('#consent').evaluate(dialog => getComputedStyle(dialog).display)).toBe('none');
  expect(await shop.evaluate(isOnTop)).toBe(true);
  await shop.click();
  await page.waitForURL('**/shop');
  await page.close();
});

test('no page needs anything from elsewhere or breaks its own scripts', async () => {
  const context = await browser.newContext({ baseURL: site.url });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('request', request => {
    if (!request.url().startsWith(site.url)) problems.push(request.url());
  });
  page.on('pageerror', error => problems.push(error.message));
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text());
  });
  const paths = [
    '/',
    '/shop',
    '/products/calathea',
    '/cart',
    '/pricing',
    '/trial?plan=solo',
    '/docs',
    '/support',
  ];
  for (const path of [...paths, '/support/warranty', '/login'])
    await page.goto(path, { waitUntil: 'networkidle' });
  expect(problems).toEqual([]);
  await context.close();
});
