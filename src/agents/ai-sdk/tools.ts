// The tools for any model: a part of ours, with flat inputs that all models can fill in.
import { finish, giveUp, nextDialog, PAGE_TOOLS } from '../tools/task';
import type { Tool } from '../tools/tool';
import { isLooking, TOOLS, toolsByName } from '../tools/tools';

/** In the order in which models see them. */
const NAMES =
  'navigate read_page find get_page_text left_click hover form_input type key scroll scroll_to switch_tab close_tab wait screenshot'.split(
    ' ',
  );

interface Given {
  /** Whether the model sees pictures. */
  pictures: boolean;
  hasPageTools?: boolean;
  /** Whether it may act only through the tools of pages. */
  isOnly?: boolean;
}

export function toolsFor({ pictures, hasPageTools = false, isOnly = false }: Given): Record<string, Tool> {
  const names = NAMES.filter(name => pictures || name !== 'screenshot');
  const ours = [...names.map(name => TOOLS[name]!), ...([nextDialog, giveUp, finish] as Tool[])]
    .filter(({ name }) => !isOnly || isLooking(name))
    .map(tool => ({ ...tool, input: tool.flat?.(pictures) ?? tool.input }));
  return toolsByName([...ours, ...(hasPageTools ? (PAGE_TOOLS as Tool[]) : [])]);
}
