// The example tasks as a person would write them with Playwright: the actions for both sides of the bench, and the
// assertions of the YAML specs as code.
const ORIGIN = process.env.BENCH_SITE;

/** @typedef {import('@playwright/test').Page} Page */
/** @typedef {{ method: string, url: string, status: number }} Answer */
/** @typedef {[string, (page: Page) => Promise<unknown>]} Action */
/** @typedef {{ entryUrl: string, actions: Action[], check: (page: Page, expect: any, answers: readonly Answer[]) => Promise<void> }} Task */

/** @param {'button' | 'link'} role @param {string | RegExp} name @returns {Action} */
const click = (role, name) => [
  `click ${role} "${name}"`,
  page => page.getByRole(role, { name }).first().click(),
];
/**
 * Goes to another page, and waits until its scripts have run: a click before that would do nothing.
 *
 * @param {'button' | 'link'} role @param {string | RegExp} name @returns {Action}
 */
const go = (role, name) => [
  `click ${role} "${name}"`,
  page => Promise.all([page.waitForEvent('load'), page.getByRole(role, { name }).first().click()]),
];
/** @param {string} label @param {string} value @returns {Action} */
const fill = (label, value) => [
  `fill "${label}"`,
  page => page.getByLabel(label, { exact: true }).fill(value),
];
/** @param {string} label @param {string} option @returns {Action} */
const select = (label, option) => [
  `select "${option}"`,
  page => page.getByLabel(label, { exact: true }).selectOption({ label: option }),
];
/** @param {string} label @returns {Action} */
const check = label => [`check "${label}"`, page => page.getByLabel(label).check()];

/** @param {any} expect @param {readonly Answer[]} answers @param {string} method @param {RegExp} url @param {RegExp} status */
const answered = (expect, answers, method, url, status) =>
  expect
    .poll(() =>
      answers.some(each => each.method === method && url.test(each.url) && status.test(String(each.status))),
    )
    .toBe(true);

export const TASKS = {
  'check-delivery': {
    entryUrl: `${ORIGIN}/products/olive-tree`,
    actions: [fill('Postcode', '1012 AB'), click('button', 'Check delivery')],
    check: async (page, expect, answers) => {
      await expect(page.locator('#delivery-status')).toContainText('within 1 to 2 working days');
      await answered(expect, answers, 'GET', /\/api\/delivery\?postcode=1012/, /^2/);
    },
  },
  'clear-overlays': {
    entryUrl: `${ORIGIN}/`,
    actions: [click('button', 'Accept all cookies'), click('button', /Dismiss/)],
    check: async (page, expect, answers) => {
      await expect(page.locator('#consent')).toBeHidden();
      await expect(page.locator('.promo')).not.toBeAttached();
      await expect(page.locator('.hero h1')).toBeVisible();
      await answered(expect, answers, 'POST', /\/api\/consent$/, /^204$/);
    },
  },
  'empty-basket': {
    entryUrl: `${ORIGIN}/products/brass-mister`,
    actions: [
      click('button', 'Add to basket'),
      go('link', 'View basket'),
      [
        'click button "Empty basket" and accept',
        async page => {
          page.once('dialog', dialog => void dialog.accept());
          await page.getByRole('button', { name: 'Empty basket' }).click();
        },
      ],
    ],
    check: async (page, expect, answers) => {
      await expect(page.locator('h1')).toContainText('Your basket is empty');
      await expect(page.locator('.basket-line')).not.toBeAttached();
      await answered(expect, answers, 'POST', /\/api\/cart$/, /^201$/);
      await answered(expect, answers, 'DELETE', /\/api\/cart$/, /^204$/);
    },
  },
  'filter-pet-safe': {
    entryUrl: `${ORIGIN}/shop`,
    actions: [check('Low light'), check('Safe for pets'), select('Sort by', 'Price: low to high')],
    check: async (page, expect, answers) => {
      await expect(page).toHaveURL(/\/shop\?light=low&petSafe=true&sort=price-asc$/);
      await answered(expect, answers, 'GET', /\/api\/products\?light=low&petSafe=true&sort=price-asc$/, /^2/);
      await expect(page.locator('.product-card:first-child h2')).toContainText('Parlour palm');
      await expect(page.locator('.product-card[data-pet-safe=false]')).not.toBeAttached();
    },
  },
  'find-boston-fern': {
    entryUrl: `${ORIGIN}/shop`,
    actions: [
      fill('Search the shop', 'fern'),
      click('button', 'Search'),
      go('link', 'Boston fern'),
      ['open "Care instructions"', page => page.getByText('Care instructions').click()],
    ],
    check: async (page, expect, answers) => {
      await expect(page).toHaveURL(`${ORIGIN}/products/boston-fern`);
      await expect(page.locator('details[open] p')).toBeVisible();
      await answered(expect, answers, 'GET', /\/api\/products\?q=fern/, /./);
    },
  },
  'order-snake-plant': {
    entryUrl: `${ORIGIN}/products/snake-plant`,
    actions: [
      ['select "Medium"', page => page.locator('#size').selectOption({ index: 1 })],
      click('button', 'Add to basket'),
      go('link', 'View basket'),
      go('link', 'Go to checkout'),
      fill('Full name', 'Mira Okafor'),
      fill('Email', 'mira@northwind.example'),
      fill('Street and house number', 'Kade 4'),
      fill('City', 'Utrecht'),
      fill('Postcode', '3511 AX'),
      select('Country', 'Netherlands'),
      check('Express delivery'),
      check('Wrap it as a gift'),
      check('I agree to the terms of sale'),
      click('button', 'Place order'),
    ],
    check: async (page, expect, answers) => {
      await expect(page).toHaveURL(/\/order\/confirmed\?id=TL-/);
      await answered(expect, answers, 'POST', /\/api\/orders$/, /^201$/);
      await expect(page.locator('h1')).toContainText('Thank you, Mira');
      await expect(page.getByTestId('order-confirmation')).toContainText('1 × Snake plant, Medium');
      await expect(
        page.locator('[data-testid=order-confirmation] dd').getByText('Express delivery'),
      ).toBeVisible();
    },
  },
  'read-release-notes': {
    entryUrl: `${ORIGIN}/docs`,
    actions: [
      go('link', 'Sensor setup'),
      [
        'click link "release notes", which opens a tab',
        async page => {
          const opened = page.waitForEvent('popup');
          await page
            .getByRole('link', { name: /release notes/i })
            .first()
            .click();
          await (await opened).waitForLoadState();
        },
      ],
    ],
    check: async (page, expect, answers) => {
      await expect(page).toHaveURL(/\/docs\/release-notes$/);
      await expect(page.locator('#latest')).toBeVisible();
      await answered(expect, answers, 'GET', /\/docs\/sensor-setup$/, /./);
    },
  },
  'register-sensor': {
    entryUrl: `${ORIGIN}/support`,
    actions: [
      go('link', 'Register a sensor'),
      fill('Serial number', 'TL-4821-K'),
      fill('Date of purchase', '2026-03-14'),
      check('It was a gift'),
      click('button', 'Register sensor'),
    ],
    check: async (page, expect, answers) => {
      await expect(page).toHaveURL(/\/support\/warranty\/registered$/);
      await answered(expect, answers, 'POST', /\/support\/warranty$/, /^3/);
      await expect(page.getByTestId('serial')).toContainText('TL-4821-K');
      await expect(page.locator("time[datetime='2026-03-14']")).toBeAttached();
    },
  },
  'report-broken-pot': {
    entryUrl: `${ORIGIN}/support`,
    actions: [
      select('Topic', 'Delivery'),
      fill('Your email', 'sam@harbour.example'),
      fill('Message', 'The pot of my Calathea arrived broken. Please send me a new one.'),
      ['check "Email"', page => page.locator('input[name=reply][value=email]').check()],
      click('button', 'Send message'),
    ],
    check: async (page, expect, answers) => {
      await answered(expect, answers, 'POST', /\/api\/messages$/, /^202$/);
      await expect(page.locator('[data-state=sent]')).toBeVisible();
    },
  },
  'set-reminder-day': {
    entryUrl: `${ORIGIN}/login`,
    actions: [
      fill('User name', 'mira'),
      fill('Password', 'violet-garden-7'),
      go('button', 'Log in'),
      check('Email me when a plant needs water'),
      select('Reminder day', 'Friday'),
      check('Fahrenheit'),
      click('button', 'Save settings'),
    ],
    check: async (page, expect, answers) => {
      await expect(page).toHaveURL(/\/account$/);
      await answered(expect, answers, 'POST', /\/login$/, /^303$/);
      await answered(expect, answers, 'PUT', /\/api\/account\/settings$/, /^200$/);
      await expect(page.locator('#settings-status')).toContainText('Settings saved');
      await expect(page.locator('#settings :checked[value=friday]')).toBeAttached();
    },
  },
  'start-team-trial': {
    entryUrl: `${ORIGIN}/`,
    actions: [
      click('button', 'Reject optional cookies'),
      go('link', 'Pricing'),
      check('Team'),
      go('button', 'Start free trial'),
      fill('Work email', 'mira@northwind.example'),
      fill('Company', 'Northwind Studio'),
      select('Team size', '6 to 20 people'),
      check('I agree to the terms of service'),
      click('button', 'Create my account'),
    ],
    check: async (page, expect, answers) => {
      await expect(page).toHaveURL(/\/trial\/welcome/);
      await expect(page.locator('[data-testid=trial-confirmation] h1')).toContainText(
        'Your Team trial has started',
      );
      await answered(expect, answers, 'POST', /\/api\/trials$/, /^201$/);
    },
  },
  'subscribe-newsletter': {
    entryUrl: `${ORIGIN}/`,
    actions: [
      click('button', 'Reject optional cookies'),
      [
        'fill "Email for the newsletter"',
        page => page.frameLocator('iframe').locator('#newsletter-email').fill('sam@harbour.example'),
      ],
      [
        'click "Subscribe"',
        page => page.frameLocator('iframe').getByRole('button', { name: 'Subscribe' }).click(),
      ],
    ],
    check: async (page, expect, answers) => {
      await answered(expect, answers, 'POST', /\/api\/newsletter$/, /^202$/);
      await expect(page.locator('#newsletter-status')).toContainText("You're subscribed");
    },
  },
};
