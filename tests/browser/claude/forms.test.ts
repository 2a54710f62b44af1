import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness, html } from '../../support/claude-harness';

const pages = harness({
  '/form':
    html(`<script>window.log = []; addEventListener('keydown', e => log.push([e.ctrlKey && 'ctrl', e.shiftKey && 'shift', e.altKey && 'alt', e.key].filter(Boolean).join('+')), true)</script>
    <form onsubmit="document.title = 'sent ' + new URLSearchParams(new FormData(this)); return false">
    <label>Name <input name="name"></label><label>Notes <textarea name="notes"></textarea></label>
    <label>Age <input name="age" type="number"></label>
    ${['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'].map(type => `<label>The ${type} <input name="${type}" type="${type}"></label>`).join('')}
    <label><input type="checkbox" name="terms"> I agree</label>
    <label><input type="radio" name="plan" value="a"> Plan A</label><label><input type="radio" name="plan" value="b"> Plan B</label>
    <div role="switch" aria-checked="false" tabindex="0" onclick="this.ariaChecked = String(this.ariaChecked !== 'true')">Dark mode</div>
    <label>Country <select name="country"><option value="de">Germany</option><option value="fr">France</option><option disabled>Nowhere</option></select></label>
    <label>Code <select name="code"><option value="US">+1</option><option value="CA">+1</option></select></label>
    <label>Colours <select name="colours" multiple><option>Red</option><option>Green</option><option>Blue</option></select></label>
    <label>Read only <input readonly value="x"></label>
    <div contenteditable aria-label="Editor"></div>
    <label>Secret <input type="password" name="pw"></label>
    <label>File <input type="file" name="file" multiple></label>
    <button type="button" onclick="picker.click()">Attach</button><input id="picker" type="file" hidden onchange="document.title = 'attached ' + this.files[0].name">
    <button>Send</button></form><div id="host"></div>
    <script>host.attachShadow({ mode: 'open' }).innerHTML = '<label>In shadow <input></label>'</script>`),
  '/frame': html(`<iframe src="/form" style="width:900px;height:600px;border:0"></iframe>`),
});

/** The form as it was at first, without a navigation for each row. */
async function sameForm() {
  const opened = await pages.openOnce('/form');
  await opened.page.evaluate('document.forms[0].reset(); document.title = ""; window.log = []');
  return opened;
}

describe('type and key', () => {
  it('types at the focus, into fields, editors, frames and shadow roots', async () => {
    const { act, ref, page, actions } = await pages.open('/form');
    const typeInto = async (line: RegExp, text: string) => {
      await act('left_click', { target: await ref(line) });
      return act('type', { text });
    };
    expect((await typeInto(/textbox "Name"/, 'Zoë O’Neil')).text).toBe('Typed.');
    expect(actions.at(-1)!.title).toBe('type "Zoë O’Neil" into textbox "Name"');
    await typeInto(/textbox "Notes"/, 'one\ntwo');
    await typeInto(/textbox "Editor"/, 'rich');
    await typeInto(/textbox "In shadow"/, 'deep');
    expect(await page.getByLabel('Name').inputValue()).toBe('Zoë O’Neil');
    expect(await page.getByLabel('Notes').inputValue()).toBe('one\ntwo');
    expect(await page.getByLabel('Editor').textContent()).toBe('rich');
    expect(await page.getByLabel('In shadow').inputValue()).toBe('deep');
    const frame = await pages.open('/frame');
    await frame.act('left_click', { target: await frame.ref(/textbox "Name"/) });
    await frame.act('type', { text: 'framed' });
    expect(frame.actions.at(-1)!.title).toBe('type "framed" into textbox "Name"');
    expect(await frame.page.frames()[1]!.getByLabel('Name').inputValue()).toBe('framed');
  });

  it('says that nothing has the focus', async () => {
    const { act } = await pages.open('/form');
    expect((await act('type', { text: 'lost' })).text).toContain('No field has the focus');
  });

  it('types long texts at once', async () => {
    const { act, page, ref } = await pages.open('/form');
    await act('left_click', { target: await ref(/textbox "Notes"/) });
    await act('type', { text: 'word '.repeat(2000) });
    expect((await page.getByLabel('Notes').inputValue()).length).toBe(10_000);
  });

  it.each([
    ['ctrl+a', ['ctrl+a']],
    ['Return', ['Enter']],
    ['shift+Tab', ['shift+Tab']],
    ['BackSpace Delete', ['Backspace', 'Delete']],
    ['Page_Down', ['PageDown']],
    ['Up Down', ['ArrowUp', 'ArrowDown']],
    ['cmd+shift+p', ['ctrl+shift+P']],
    ['esc', ['Escape']],
    ['space', [' ']],
    ['F2', ['F2']],
    ['alt+x', ['alt+x']],
    ['?', ['?']],
  ])('presses %s', async (text, expected) => {
    const { act, page, log } = await sameForm();
    await page.getByLabel('Notes').focus();
    expect((await act('key', { text })).text).toBe(`Pressed ${text}.`);
    const keys = ((await log()) as string[]).filter(key => !/(Control|Shift|Alt|Meta)$/.test(key));
    expect(keys).toEqual(expected);
  });

  it('repeats keys, holds them, and refuses what is no key', async () => {
    const { act, run, page, log } = await pages.open('/form');
    await page.getByLabel('Notes').focus();
    await act('key', { text: 'a', repeat: 3 });
    expect(await page.getByLabel('Notes').inputValue()).toBe('aaa');
    await page.evaluate("window.log = []; addEventListener('keyup', e => log.push('up ' + e.key))");
    expect((await act('hold_key', { text: 'shift', duration: 0.1 })).text).toBe('Held shift for 0.1s.');
    expect(await log()).toEqual(['shift+Shift', 'up Shift']);
    const { isError, text } = await run('key', { text: 'Enterr' });
    expect(isError).toBe(true);
    expect(text).toContain('"Enterr" is not a key. Use names like Enter, Tab');
  });

  it('waits as long as it is asked to, and no longer than the trial', async () => {
    const { act, tools, task } = await pages.open('/form');
    expect((await act('wait', { duration: 0.05 })).text).toBe('Waited 0.05s.');
    const waiting = tools.toolResult({
      type: 'tool_use',
      id: 'w',
      name: 'wait',
      input: { duration: 30 },
      toolset_name: 'browser',
    });
    task.abort(new Error('the time is up'));
    const block = await waiting;
    expect(block.is_error).toBe(true);
  });
});

describe('form_input', () => {
  it.each<[string, string | number | boolean, RegExp]>([
    ['textbox "Name"', 'Ada', /name=Ada/],
    ['textbox "Notes"', 'many words', /notes=many\+words/],
    ['spinbutton "Age"', 42, /age=42/],
    ['textbox "The date"', '2026-03-01', /date=2026-03-01/],
    ['textbox "The time"', '13:45', /time=13%3A45/],
    ['textbox "The datetime-local"', '2026-03-01T13:45', /datetime-local=2026-03-01T13%3A45/],
    ['textbox "The month"', '2026-03', /month=2026-03/],
    ['textbox "The week"', '2026-W05', /week=2026-W05/],
    ['slider "The range"', 70, /range=70/],
    ['checkbox "I agree"', true, /terms=on/],
    ['radio "Plan B"', true, /plan=b/],
    ['combobox "Country"', 'France', /country=fr/],
    ['combobox "Country"', 'fr', /country=fr/],
    ['combobox "Country"', ' france ', /country=fr/],
  ])('sets %s to %s', async (line, value, sent) => {
    const { act, ref, page } = await sameForm();
    const { text } = await act('form_input', { target: await ref(new RegExp(line)), value });
    expect(text).toMatch(/^Set the value of ref_\d+\./);
    await page.evaluate('document.forms[0].requestSubmit()');
    expect(await page.title()).toMatch(sent);
  });

  it('turns switches and checkboxes on and off, and fills editors', async () => {
    const { act, ref, page, actions } = await pages.open('/form');
    for (const value of [true, true, false, 'on', 'off']) {
      await act('form_input', { target: await ref(/switch "Dark mode"/), value });
      const isOn = value === true || value === 'on';
      expect(await page.getByRole('switch').getAttribute('aria-checked')).toBe(String(isOn));
    }
    await act('form_input', { target: await ref(/textbox "Editor"/), value: 'filled' });
    expect(await page.getByLabel('Editor').textContent()).toBe('filled');
    expect(actions.at(-1)).toMatchObject({
      title: 'set textbox "Editor" to "filled"',
      point: { x: expect.any(Number) },
    });
  });

  it('adds an option to a list of which several can be chosen', async () => {
    const { act, ref, page, actions } = await sameForm();
    for (const value of ['Red', 'Blue'])
      await act('form_input', { target: await ref(/listbox "Colours"/), value });
    await page.evaluate('document.forms[0].requestSubmit()');
    expect(await page.title()).toMatch(/colours=Red&colours=Blue/);
    expect(actions.at(-1)!.recorded).toMatchObject([{ do: 'select', labels: ['Red', 'Blue'] }]);
  });

  it.each<[string, string, RegExp]>([
    ['combobox "Country"', 'Spain', /There is no option "Spain"\. Options: "Germany", "France", "Nowhere"\./],
    ['combobox "Country"', 'Nowhere', /"Nowhere" is disabled/],
    ['combobox "Code"', 'CA', /Several options are called "\+1"/],
    ['textbox "The date"', '1 March 2026', /A date field takes values like 2026-01-31, not "1 March 2026"/],
    ['textbox "Read only"', 'y', /it is read-only/],
    ['button "File"', 'a.txt', /takes files: use file_upload/],
    ['button "Send"', 'x', /has no value to set/],
  ])('says what %s takes instead of %s', async (line, value, message) => {
    const { run, ref } = await sameForm();
    const { isError, text } = await run('form_input', { target: await ref(new RegExp(line)), value });
    expect(isError).toBe(true);
    expect(text).toMatch(message);
  });

  it('hints where a click opens what can not be seen', async () => {
    const { act, ref } = await pages.open('/form');
    const { text } = await act('left_click', { target: await ref(/combobox "Country"/) });
    expect(text).toContain('choose with form_input');
  });
});

describe('secrets', () => {
  it('that there are not are named, with those that there are', async () => {
    const { run } = await pages.open('/form', { secrets: { SHOP_PASSWORD: 'correct horse' } });
    expect((await run('type', { text: '<secret>OTHER</secret>' })).text).toContain(
      'There is no secret named "OTHER". Secrets of this task: SHOP_PASSWORD.',
    );
  });
});

describe('file_upload', () => {
  it('is off, and says so, unless the user gives folders', async () => {
    const { run, ref } = await pages.open('/form');
    const { isError, text } = await run('file_upload', {
      target: await ref(/"File"/),
      paths: ['/etc/passwd'],
    });
    expect(isError).toBe(true);
    expect(text).toMatch(/file_upload.*(not permitted|can not|cannot)/);
  });

  it('gives files of those folders, by name or path, to inputs and to buttons that open a file dialog', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'upload-'));
    await writeFile(join(folder, 'cv.txt'), 'me');
    const { act, run, ref, page, actions } = await pages.open('/form', {
      members: { file_upload: [folder] },
    });
    await act('file_upload', { target: await ref(/"File"/), paths: ['cv.txt'] });
    expect(
      await page.locator('[name=file]').evaluate(input => (input as HTMLInputElement).files![0]!.name),
    ).toBe('cv.txt');
    await act('file_upload', { target: await ref(/"Attach"/), paths: [join(folder, 'cv.txt')] });
    expect(await page.title()).toBe('attached cv.txt');
    expect(actions.at(-1)!.title).toBe('upload "cv.txt" to button "Attach"');
    const outside = await run('file_upload', { target: await ref(/"File"/), paths: ['/etc/passwd'] });
    expect(outside.isError).toBe(true);
    const wrong = await run('file_upload', { target: await ref(/button "Send"/), paths: ['cv.txt'] });
    expect(wrong.text).toContain('opens no file dialog');
    await page.locator('[name=file]').evaluate(input => {
      (input as HTMLInputElement).value = '';
      (input as HTMLInputElement).disabled = true;
    });
    const disabled = await run('file_upload', { target: await ref(/"File"/), paths: ['cv.txt'] });
    expect(disabled.text).toContain('it is disabled');
    expect(await page.locator('[name=file]').inputValue()).toBe('');
  });
});
