// The vendor's browser toolset on top of our table of tools.
import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import {
  BetaAbstractBrowserToolset20260801,
  type BetaBrowserMemberResult,
  type BetaToolsetCallContext,
  ToolError,
} from '@anthropic-ai/sdk/helpers/beta/toolsets';
import { BetaNodeFilePolicy } from '@anthropic-ai/sdk/helpers/beta/toolsets/node';
import type {
  BetaBrowserMemberInput,
  BetaBrowserMemberName,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { Driver } from '../../browser/driver/driver';
import { DriverError } from '../../browser/driver/errors';
import { checkedInput, runTool, TOOLS, type Tool } from '../tools';

/** Members by name: on or off; `file_upload` with the absolute folders that files may come from. */
export type Members = Partial<Record<Exclude<BetaBrowserMemberName, 'file_upload'>, boolean>> & {
  file_upload?: false | readonly string[];
};

const MEMBERS: Record<BetaBrowserMemberName, Tool> = TOOLS;

/** The SDK's policy, which also finds names relative to the user's folders. */
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

export class BrowserToolset extends BetaAbstractBrowserToolset20260801 {
  readonly #driver: Driver;
  /** An answer's first call in words: nothing happens before it, so they stay true. */
  #told: { id: string; words: string } | undefined;

  constructor(driver: Driver, members: Members = {}) {
    const configs = Object.entries(members).map(([name, given]) => [name, { enabled: given !== false }]);
    super({
      configs: Object.fromEntries(configs),
      browserState: () => driver.tabs.state(),
      // The user has consented by turning these members on.
      confirm: () => true,
      filePolicy: new UploadPolicy({ uploadRoots: members.file_upload || [] }),
    });
    this.#driver = driver;
    if (members.read_console || members.read_network) driver.keepLogs();
  }

  /** One of an answer's calls in words. @throws if it can't be run */
  async wordsOf(call: BetaToolUseBlock, index: number): Promise<string> {
    const tool = MEMBERS[call.name as BetaBrowserMemberName];
    const input = tool.input.parse(call.input);
    const words = await tool.words(input, this.#driver, this.#pageOf(call.name, input));
    if (index === 0) this.#told = { id: call.id, words };
    return words;
  }

  protected override execute(
    { toolUse }: BetaToolsetCallContext,
    name: BetaBrowserMemberName,
    given: BetaBrowserMemberInput,
  ) {
    return asToolErrors(async () => {
      const tool = MEMBERS[name];
      const input = checkedInput(name, tool.input, given);
      const page = this.#pageOf(name, input);
      const told = this.#told?.id === toolUse?.id ? this.#told?.words : undefined;
      return runTool(tool, input, this.#driver, page, told) as Promise<BetaBrowserMemberResult>;
    });
  }

  /** In calls that change tabs, `tab_id` is the tab to change, not the one to act in. */
  #pageOf(name: string, input: unknown) {
    const changesTab = name === 'switch_tab' || name === 'close_tab';
    return this.#driver.tabs.get(changesTab ? undefined : (input as { tab_id?: string | null }).tab_id);
  }
}

/** Turns DriverErrors into the SDK's ToolError, whose message the model sees unchanged. */
export async function asToolErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof DriverError ? new ToolError(error.message) : error;
  }
}
