// The vendor's toolsets. Their members are our tools with other inputs.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  BetaAbstractBrowserToolset20260801,
  BetaAbstractComputerToolset20260801,
  type BetaToolsetCallContext,
  ToolError,
} from '@anthropic-ai/sdk/helpers/beta/toolsets';
import { BetaNodeFilePolicy } from '@anthropic-ai/sdk/helpers/beta/toolsets/node';
import { z } from 'zod';
import { DriverError } from '../../browser/actions/act';
import { TOOLS } from '../model/calls';
import type { Driver } from '../tools/driver';
import { checkedInput, lookTool, type Prepared, type Tool } from '../tools/tool';

/** Whether each member is on. `file_upload` has the absolute folders that files may come from. */
export type Members = Record<string, boolean | readonly string[]>;

export const foldersOf = ({ file_upload }: Members) => (Array.isArray(file_upload) ? file_upload : []);

const inTab = z.object({ tab_id: z.string().nullish() });

/** The SDK's policy, extended to find files by names relative to the user's folders. */
class UploadPolicy extends BetaNodeFilePolicy {
  override resolveUploadPaths(...[ctx, paths]: Parameters<BetaNodeFilePolicy['resolveUploadPaths']>) {
    const placesOf = (path: string) => this.uploadRoots.map(root => resolve(root, path));
    return super.resolveUploadPaths(
      ctx,
      paths.map(path => placesOf(path).find(place => existsSync(place)) ?? path),
    );
  }
}

export class BrowserToolset extends BetaAbstractBrowserToolset20260801 {
  constructor(
    readonly driver: Driver,
    members: Members = {},
  ) {
    const configs = Object.entries(members).map(([name, given]) => [name, { enabled: given !== false }]);
    super({
      configs: Object.fromEntries(configs),
      browserState: () => driver.tabs.state(),
      // The user has consented by turning these members on.
      confirm: () => true,
      filePolicy: new UploadPolicy({ uploadRoots: foldersOf(members) }),
    });
  }

  prepared(name: string, given: unknown): Prepared {
    const tool = TOOLS[name]!;
    const { tab_id, ...input } = checkedInput(name, inTab.and(tool.input as z.ZodType<object>), given);
    // In calls that change tabs, `tab_id` is the tab to change, not the one to act in.
    const changesTab = name === 'switch_tab' || name === 'close_tab';
    return changesTab
      ? { tool, input: { tab_id }, page: this.driver.session.page }
      : { tool, input, page: this.driver.tabs.get(tab_id) };
  }

  protected override execute(_: BetaToolsetCallContext, name: string, given: object) {
    return executed(this, name, given);
  }
}

const pixel = z
  .tuple([z.number(), z.number()])
  .transform(([x, y]) => ({ type: 'coordinate' as const, x, y }));
const onScreen = z.looseObject({ coordinate: pixel.nullish(), start_coordinate: pixel.nullish() });

const cursorPosition = lookTool('cursor_position', 'ask where the pointer is', (page, driver) =>
  driver.pointer(page),
) as Tool;

/** Treats the active tab's viewport as the screen. For comparisons with the browser toolset. */
export class ComputerToolset extends BetaAbstractComputerToolset20260801 {
  constructor(readonly driver: Driver) {
    // The SDK asks before each key press, since its screen may be a whole desktop. Here it is a test's tab.
    super({ confirm: () => true });
  }

  /** A call without a point acts at the pointer. The text of a click names the modifier keys. */
  async prepared(name: string, given: unknown): Promise<Prepared> {
    const { page } = this.driver.session;
    const tool = TOOLS[name] ?? cursorPosition;
    const { coordinate, start_coordinate: from, ...rest } = checkedInput(name, onScreen, given);
    const target = coordinate ?? (await this.driver.pointer(page));
    const input = { ...rest, target, from, modifiers: rest.text };
    return { tool, input: checkedInput(name, tool.input, input), page };
  }

  protected override execute(_: BetaToolsetCallContext, name: string, given: object) {
    return executed(this, name, given);
  }
}

/** Turns DriverErrors into the SDK's ToolError, whose message the model sees unchanged. */
async function executed(toolset: BrowserToolset | ComputerToolset, name: string, given: object) {
  try {
    return (await toolset.driver.run(await toolset.prepared(name, given))) as never;
  } catch (error) {
    throw error instanceof DriverError ? new ToolError(error.message) : error;
  }
}
