// The vendor's browser toolset on the trial's tabs: one method per member, each handed to its family's file.
import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import {
  BetaAbstractBrowserToolset20260801,
  type BetaBrowserMemberResult,
  type BetaBrowserToolsetOptions,
  type BetaToolsetCallContext,
} from '@anthropic-ai/sdk/helpers/beta/toolsets';
import { BetaNodeFilePolicy } from '@anthropic-ai/sdk/helpers/beta/toolsets/node';
import type {
  BetaBrowserMemberInput,
  BetaBrowserMemberName,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { Driver } from '../../browser/driver/driver';
import { DriverError } from '../../browser/driver/errors';
import { findText } from '../../browser/driver/find';
import { setValue, upload } from '../../browser/driver/form';
import { holdKey, key, type, wait } from '../../browser/driver/keyboard';
import { Logs } from '../../browser/driver/logs';
import {
  click,
  drag,
  hover,
  move,
  press,
  regionOf,
  release,
  scroll,
  scrollTo,
} from '../../browser/driver/mouse';
import { navigate } from '../../browser/driver/navigation';
import { pageText, runScript } from '../../browser/driver/page-text';
import { readPage } from '../../browser/driver/page-tree';
import { picture } from '../../browser/driver/screenshot';
import { asDriverErrors, asToolErrors, BROWSER_INPUTS, type BrowserInputs, checked } from './inputs';
import { browserWords } from './words';

type Ctx = BetaToolsetCallContext;
type Input<K extends keyof BrowserInputs> = BrowserInputs[K];

/** Members by name: on or off; `file_upload` with the absolute folders that files may come from. */
export type Members = Partial<Record<Exclude<BetaBrowserMemberName, 'file_upload'>, boolean>> & {
  file_upload?: false | readonly string[];
};

/** After these the page may be at work. The others only look, or have waited themselves. */
const ACTS = new Set<string>([
  ...[
    'navigate',
    'left_click',
    'right_click',
    'middle_click',
    'double_click',
    'triple_click',
    'hover',
    'mouse_move',
  ],
  ...[
    'left_click_drag',
    'left_mouse_down',
    'left_mouse_up',
    'scroll',
    'scroll_to',
    'type',
    'key',
    'hold_key',
  ],
  ...['form_input', 'file_upload', 'javascript_exec', 'close_tab', 'switch_tab'],
]);

function configsOf(members: Members): NonNullable<BetaBrowserToolsetOptions['configs']> {
  return Object.fromEntries(
    Object.entries(members).map(([name, given]) => [name, { enabled: given !== false }]),
  );
}

/** The SDK's policy, with names relative to the folders that the user gave. */
class UploadPolicy extends BetaNodeFilePolicy {
  override async resolveUploadPaths(...[ctx, paths]: Parameters<BetaNodeFilePolicy['resolveUploadPaths']>) {
    const found = await Promise.all(paths.map(path => this.find(path)));
    return super.resolveUploadPaths(ctx, found);
  }

  private async find(path: string): Promise<string> {
    if (isAbsolute(path)) return path;
    for (const root of this.uploadRoots) {
      const candidate = join(root, path);
      if (await stat(candidate).catch(() => undefined)) return candidate;
    }
    return path;
  }
}

function callKey(name: string, input: unknown): string {
  return `${name} ${JSON.stringify(input)}`;
}

export class BrowserToolset extends BetaAbstractBrowserToolset20260801 {
  readonly #driver: Driver;
  readonly #logs: Logs | undefined;
  /** The words of the next call, where they are known already: nothing has happened since. */
  #told: { call: string; words: Promise<string> } | undefined;

  constructor(driver: Driver, members: Members = {}) {
    const roots = members.file_upload || [];
    super({
      configs: configsOf(members),
      browserState: () => driver.tabs.state(),
      // These members are off unless the user turns them on, which is the consent.
      confirm: () => true,
      filePolicy: new UploadPolicy({ uploadRoots: roots }),
    });
    this.#driver = driver;
    if (members.read_console || members.read_network) this.#logs = new Logs(driver.session.context);
  }

  override async close(): Promise<void> {
    this.#logs?.dispose();
    await super.close();
  }

  /** Before a new answer's calls are told: a call that was refused has left its words behind. */
  forgetWords(): void {
    this.#told = undefined;
  }

  /** The call in words; for one that does not fit, its name. */
  async wordsOf(name: string, input: unknown): Promise<string> {
    const schema = BROWSER_INPUTS[name as BetaBrowserMemberName];
    const parsed = schema?.safeParse(input);
    if (!parsed?.success) return name;
    const { tab_id } = parsed.data as { tab_id?: string | null };
    const page = this.#pageFor(name, tab_id) ?? this.#driver.session.page;
    const words = browserWords(this.#driver, page, name as BetaBrowserMemberName, parsed.data as never);
    // Of several calls in one answer, the later ones meet another page than they are told on.
    this.#told ??= { call: callKey(name, parsed.data), words };
    return words;
  }

  protected override execute(ctx: Ctx, name: BetaBrowserMemberName, given: BetaBrowserMemberInput) {
    return asToolErrors(async () => {
      const input = checked(BROWSER_INPUTS[name] as never, name, given) as BetaBrowserMemberInput;
      const page = this.#page((input as { tab_id?: string | null }).tab_id, name);
      const told = this.#told;
      this.#told = undefined;
      const words =
        told?.call === callKey(name, input)
          ? await told.words
          : await browserWords(this.#driver, page, name, input as never);
      return this.#driver.run(page, words, ACTS.has(name), () =>
        asDriverErrors(() => super.execute(ctx, name, input)),
      ) as Promise<BetaBrowserMemberResult>;
    });
  }

  #page(tabId?: string | null, name?: string) {
    // The tab members name a tab that they change, not one that they act in.
    return name === 'switch_tab' || name === 'close_tab'
      ? this.#driver.session.page
      : this.#driver.tabs.get(tabId);
  }

  #pageFor(name: string, tabId?: string | null) {
    try {
      return this.#page(tabId, name);
    } catch {
      return undefined;
    }
  }

  protected override navigate(_: Ctx, { url, tab_id }: Input<'navigate'>) {
    return navigate(this.#driver, this.#page(tab_id), url);
  }
  protected override async list_tabs() {
    return Promise.all(this.#driver.tabs.open().map(page => this.#driver.tabs.entry(page)));
  }
  protected override async new_tab() {
    await this.#driver.perform(this.#driver.session.page, { do: 'new_tab' });
    return this.#driver.tabs.entry(this.#driver.session.page);
  }
  protected override async switch_tab(_: Ctx, { tab_id }: Input<'switch_tab'>) {
    const page = this.#driver.tabs.get(tab_id);
    this.#driver.session.activate(page);
    await this.#driver.perform(page, { do: 'switch_tab' });
    return this.#driver.tabs.entry(page);
  }
  protected override async close_tab(_: Ctx, { tab_id }: Input<'close_tab'>) {
    const page = this.#driver.tabs.get(tab_id);
    if (this.#driver.tabs.open().length === 1)
      throw new DriverError('This is the last open tab, which stays open.');
    await this.#driver.perform(page, { do: 'close_tab' });
  }
  protected override async read_page(_: Ctx, { filter, depth, ref, tab_id }: Input<'read_page'>) {
    const page = this.#page(tab_id);
    // A ref is looked up first: the snapshot that shows it gone would also show what took its place.
    const root = ref ? await this.#driver.refs.locate(page, ref) : undefined;
    const { roots } = await this.#driver.refs.snapshot(page);
    const header = await this.#header(page);
    const part = root && this.#driver.refs.nodeOf(page, root.ref);
    return readPage(header, roots, {
      filter: part && !filter ? 'all' : filter,
      depth,
      ...(part && { root: part }),
    });
  }
  protected override async find(_: Ctx, { query, tab_id }: Input<'find'>) {
    const { roots } = await this.#driver.refs.snapshot(this.#page(tab_id));
    return findText(query, roots);
  }
  protected override get_page_text(_: Ctx, { tab_id }: Input<'get_page_text'>) {
    return pageText(this.#page(tab_id));
  }
  protected override read_console(_: Ctx, { tab_id }: Input<'read_console'>) {
    return this.#logs!.console.take(this.#page(tab_id));
  }
  protected override read_network(_: Ctx, { tab_id }: Input<'read_network'>) {
    return this.#logs!.network.take(this.#page(tab_id));
  }
  protected override javascript_exec(_: Ctx, { text, tab_id }: Input<'javascript_exec'>) {
    return runScript(this.#page(tab_id), text);
  }
  protected override form_input(_: Ctx, { target, value, tab_id }: Input<'form_input'>) {
    return setValue(this.#driver, this.#page(tab_id), target, value);
  }
  protected override file_upload(_: Ctx, { target, paths, tab_id }: Input<'file_upload'>) {
    return upload(this.#driver, this.#page(tab_id), target, paths ?? []);
  }
  protected override screenshot(_: Ctx, { tab_id }: Input<'screenshot'>) {
    return picture(this.#page(tab_id));
  }
  protected override async zoom(_: Ctx, { region, tab_id }: Input<'zoom'>) {
    const page = this.#page(tab_id);
    return picture(page, await regionOf(this.#driver, page, region));
  }
  protected override left_click(_: Ctx, { target, modifiers, tab_id }: Input<'left_click'>) {
    return click(this.#driver, this.#page(tab_id), target, { modifiers });
  }
  protected override right_click(_: Ctx, { target, modifiers, tab_id }: Input<'right_click'>) {
    return click(this.#driver, this.#page(tab_id), target, { modifiers, button: 'right' });
  }
  protected override middle_click(_: Ctx, { target, modifiers, tab_id }: Input<'middle_click'>) {
    return click(this.#driver, this.#page(tab_id), target, { modifiers, button: 'middle' });
  }
  protected override double_click(_: Ctx, { target, modifiers, tab_id }: Input<'double_click'>) {
    return click(this.#driver, this.#page(tab_id), target, { modifiers, count: 2 });
  }
  protected override triple_click(_: Ctx, { target, modifiers, tab_id }: Input<'triple_click'>) {
    return click(this.#driver, this.#page(tab_id), target, { modifiers, count: 3 });
  }
  protected override hover(_: Ctx, { target, tab_id }: Input<'hover'>) {
    return hover(this.#driver, this.#page(tab_id), target);
  }
  protected override left_click_drag(_: Ctx, { from, target, tab_id }: Input<'left_click_drag'>) {
    return drag(this.#driver, this.#page(tab_id), from, target);
  }
  protected override left_mouse_down(_: Ctx, { target, tab_id }: Input<'left_mouse_down'>) {
    return press(this.#driver, this.#page(tab_id), target);
  }
  protected override left_mouse_up(_: Ctx, { target, tab_id }: Input<'left_mouse_up'>) {
    return release(this.#driver, this.#page(tab_id), target);
  }
  protected override mouse_move(_: Ctx, { target, tab_id }: Input<'mouse_move'>) {
    return move(this.#driver, this.#page(tab_id), target);
  }
  protected override scroll(_: Ctx, { target, scroll_direction, scroll_amount, tab_id }: Input<'scroll'>) {
    return scroll(this.#driver, this.#page(tab_id), target, scroll_direction, scroll_amount ?? 3);
  }
  protected override scroll_to(_: Ctx, { target, tab_id }: Input<'scroll_to'>) {
    return scrollTo(this.#driver, this.#page(tab_id), target);
  }
  protected override type_(_: Ctx, { text, tab_id }: Input<'type'>) {
    return type(this.#driver, this.#page(tab_id), text);
  }
  protected override key(_: Ctx, { text, repeat, tab_id }: Input<'key'>) {
    return key(this.#driver, this.#page(tab_id), text, repeat ?? 1);
  }
  protected override hold_key(_: Ctx, { text, duration, tab_id }: Input<'hold_key'>) {
    return holdKey(this.#driver, this.#page(tab_id), text, duration);
  }
  protected override wait(_: Ctx, { duration }: Input<'wait'>) {
    return wait(this.#driver, duration);
  }

  /** Title and address stand in the state of the tabs, which goes with every result. */
  async #header(page: ReturnType<Driver['tabs']['get']>): Promise<string> {
    const { above, below } = await page.evaluate(() => ({
      above: Math.round(window.scrollY),
      below: Math.max(0, Math.round(document.documentElement.scrollHeight - window.scrollY - innerHeight)),
    }));
    return above || below ? `${above} px above and ${below} px below the viewport` : '';
  }
}
