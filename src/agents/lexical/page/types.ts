// What a survey of a frame brings back.

/** One thing that can be used, or a text that may be. Lengths are CSS pixels in the frame's viewport. */
export interface Item {
  /** The same for an element as long as its document lives. */
  id: number;
  tag: string;
  /** An input's type, else ''. */
  type: string;
  /** ARIA role; `clickable` for what only looks clickable, `icon` and `text` for what may be. */
  role: string;
  name: string;
  placeholder: string;
  title: string;
  /** The text beside, before or above, where that may label it. */
  near: string;
  /** Words from its class, id, name and image. */
  hint: string;
  value: string;
  options: string[];
  checked: boolean | null;
  expanded: boolean | null;
  selected: boolean;
  disabled: boolean;
  readonly: boolean;
  /** The cursor says that it can be clicked. */
  pointer: boolean;
  popup: boolean;
  href: string;
  box: { x: number; y: number; width: number; height: number };
  inView: boolean;
  /** Something else lies over it. */
  covered: boolean;
  /** Where to click, as shares of its width and height, where only its middle is covered. */
  spot: readonly [number, number] | null;
  /** It stands in a dialog, a popup or another layer above the page. 0 where it doesn't. */
  layer: number;
  focused: boolean;
  /** The form that it belongs to; 0 for none. */
  form: number;
  /** Indices into `contexts`: what its ancestors say, the innermost first. */
  contexts: number[];
  /** Kinds of its ancestors: "dialog", "navigation", ... */
  zones: string[];
  /** Equal for things that repeat, such as the links of a list of results. */
  signature: string;
}

export interface FrameSurvey {
  url: string;
  title: string;
  headings: string[];
  items: Item[];
  contexts: string[];
  /** Changes when anything that a person could see does. */
  print: string;
  /** Rises whenever a script changes the document, whether or not that can be seen. */
  mutations: number;
  /** The page says that it is loading. */
  busy: boolean;
  scroll: { y: number; height: number; viewport: number };
}
