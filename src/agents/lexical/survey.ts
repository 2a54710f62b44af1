// What is on a page: one pass through the DOM of a frame, open shadow roots included. It runs in the page,
// so it may use nothing from outside itself. Playwright's aria snapshot is not enough here: real pages have
// clickable things without a role and fields without a label, and those are told by what stands around them.

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
  /** Something else lies over its middle. */
  covered: boolean;
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
  /** The page says that it is loading. */
  busy: boolean;
  scroll: { y: number; height: number; viewport: number };
}

/** Where the page keeps ids: elements stay findable between surveys, and nothing of the page's own is touched. */
export const STORE = 'taskproof.lexical';

/** Runs in the page. `limit` is how many items it returns at most. */
export function surveyFrame({ store: storeName, limit }: { store: string; limit: number }): FrameSurvey {
  interface Store {
    ids: WeakMap<Element, number>;
    elements: Map<number, WeakRef<Element>>;
    next: number;
  }
  const holder = globalThis as unknown as Record<symbol, Store | undefined>;
  const symbol = Symbol.for(storeName);
  holder[symbol] ??= { ids: new WeakMap(), elements: new Map(), next: 1 };
  const store = holder[symbol];
  const idOf = (el: Element) => {
    const known = store.ids.get(el);
    if (known !== undefined) return known;
    const id = store.next++;
    store.ids.set(el, id);
    store.elements.set(id, new WeakRef(el));
    return id;
  };

  const squeeze = (text: string, max = 160) => text.replace(/\s+/g, ' ').trim().slice(0, max);
  const INLINE = new Set('A ABBR B CODE EM FONT I LABEL MARK SMALL SPAN STRONG SUB SUP U BDI'.split(' '));
  const SKIP = new Set('SCRIPT STYLE NOSCRIPT TEMPLATE HEAD'.split(' '));
  const parentOf = (node: Node): Element | null =>
    node.parentElement ??
    (node.getRootNode() instanceof ShadowRoot ? (node.getRootNode() as ShadowRoot).host : null);
  const shown = (el: Element) => el.checkVisibility({ visibilityProperty: true });

  /** The visible text of an element without the lists and menus that unfold from it. */
  const textOf = (el: Node, skipNested: boolean, max = 200): string => {
    let out = '';
    const visit = (node: Node) => {
      if (out.length > max) return;
      if (node.nodeType === Node.TEXT_NODE) out += node.textContent;
      if (!(node instanceof Element) || SKIP.has(node.tagName) || !node.checkVisibility()) return;
      if (
        skipNested &&
        node !== el &&
        node.matches('ul, ol, [role=menu], [role=group], [role=listbox], select, textarea')
      )
        return;
      if (node.matches('img, svg, [role=img]'))
        out += ` ${node.getAttribute('alt') ?? node.getAttribute('aria-label') ?? ''} `;
      const inline = INLINE.has(node.tagName);
      if (!inline) out += ' ';
      for (const child of [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes]) visit(child);
      if (!inline) out += ' ';
    };
    visit(el);
    return squeeze(out, max);
  };

  const contextCache = new WeakMap<Element, string>();
  const contextText = (el: Element): string => {
    const known = contextCache.get(el);
    if (known !== undefined) return known;
    let out = '';
    for (const node of [...(el.shadowRoot?.childNodes ?? []), ...el.childNodes]) {
      if (out.length > 700) break;
      if (node.nodeType === Node.TEXT_NODE) out += ` ${node.textContent}`;
      else if (node instanceof HTMLInputElement) out += ` ${node.type === 'password' ? '' : node.value}`;
      else if (node instanceof Element && !SKIP.has(node.tagName)) out += ` ${contextText(node)}`;
    }
    const text = squeeze(`${el.getAttribute('aria-label') ?? ''} ${out}`, 700);
    contextCache.set(el, text);
    return text;
  };

  const byIds = (el: Element, attribute: string) =>
    (el.getAttribute(attribute) ?? '')
      .split(/\s+/)
      .filter(Boolean)
      .map(id => (el.getRootNode() as Document | ShadowRoot).getElementById?.(id)?.textContent ?? '')
      .join(' ');

  const INPUT_ROLES: Record<string, string> = {
    button: 'button',
    submit: 'button',
    reset: 'button',
    image: 'button',
    checkbox: 'checkbox',
    radio: 'radio',
    range: 'slider',
    number: 'spinbutton',
    search: 'searchbox',
    file: 'file',
    color: 'color',
  };
  const roleOf = (el: Element): string => {
    const explicit = el.getAttribute('role')?.trim().split(/\s+/)[0];
    if (explicit && !/^(?:presentation|none|generic)$/.test(explicit)) return explicit;
    if (el instanceof HTMLInputElement) return INPUT_ROLES[el.type] ?? (el.list ? 'combobox' : 'textbox');
    if (el instanceof HTMLSelectElement) return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
    if (el instanceof HTMLTextAreaElement) return 'textbox';
    if (el instanceof HTMLElement && el.isContentEditable && !el.parentElement?.isContentEditable)
      return 'textbox';
    if (el.tagName === 'A' && (el.hasAttribute('href') || el.hasAttribute('onclick'))) return 'link';
    if (el.tagName === 'BUTTON') return 'button';
    if (el.tagName === 'SUMMARY') return 'button';
    if (/^H[1-6]$/.test(el.tagName)) return 'heading';
    return '';
  };
  const CONTROL =
    /^(?:button|link|textbox|searchbox|combobox|listbox|spinbutton|slider|checkbox|radio|switch|tab|menuitem|menuitemcheckbox|menuitemradio|option|treeitem|file|color|gridcell)$/;
  const FIELD = /^(?:textbox|searchbox|combobox|listbox|spinbutton|slider|checkbox|radio|switch|file|color)$/;

  const nameOf = (el: Element, role: string): string => {
    const labelled = byIds(el, 'aria-labelledby') || el.getAttribute('aria-label') || '';
    if (labelled.trim()) return squeeze(labelled);
    if (el instanceof HTMLInputElement && /^(?:button|submit|reset|image)$/.test(el.type))
      return squeeze(
        el.value ||
          el.alt ||
          el.title ||
          (el.type === 'submit' ? 'Submit' : el.type === 'reset' ? 'Reset' : ''),
      );
    if ('labels' in el && FIELD.test(role)) {
      const labels = [...((el as HTMLInputElement).labels ?? [])].map(label => textOf(label, true)).join(' ');
      if (labels.trim()) return squeeze(labels);
    }
    if (FIELD.test(role) && !/^(?:checkbox|radio|switch)$/.test(role)) return '';
    return textOf(el, true) || squeeze(el.querySelector('title')?.textContent ?? '');
  };

  const hasControl = (node: Element) =>
    node.matches('input, select, textarea, button') ||
    node.querySelector('input, select, textarea, button') !== null;
  const siblingText = (from: Node, step: 'previousSibling' | 'nextSibling'): string => {
    for (let node = from[step], steps = 0; node && steps < 4; node = node[step], steps++) {
      if (node instanceof Element && (hasControl(node) || SKIP.has(node.tagName))) {
        if (node.tagName === 'BR' || SKIP.has(node.tagName)) continue;
        return '';
      }
      const text =
        node.nodeType === Node.TEXT_NODE
          ? squeeze(node.textContent ?? '')
          : node instanceof Element
            ? textOf(node, false, 80)
            : '';
      if (text) return squeeze(text, 80);
    }
    return '';
  };
  const columnHeader = (el: Element): string => {
    const cell = el.closest('td');
    const head = cell?.closest('table')?.querySelector('tr');
    return cell && head && !head.contains(cell)
      ? squeeze(head.children[cell.cellIndex]?.textContent ?? '', 60)
      : '';
  };
  /** Text that seems to label an element that has no label of its own. */
  const nearOf = (el: Element, role: string): string => {
    const after = /^(?:checkbox|radio|switch)$/.test(role);
    let node: Element | null = el;
    for (let level = 0; node && level < 3; level++) {
      const text =
        (after && siblingText(node, 'nextSibling')) ||
        siblingText(node, 'previousSibling') ||
        (FIELD.test(role) && siblingText(node, 'nextSibling'));
      if (text) return text;
      node = parentOf(node);
      if (
        node &&
        [...node.querySelectorAll('input, select, textarea')].filter(other => shown(other)).length > 1
      )
        break;
    }
    return columnHeader(el);
  };

  const hintOf = (el: Element): string => {
    const image =
      el.querySelector('use')?.getAttribute('href') ?? el.getAttribute('src')?.split(/[/.]/).at(-2) ?? '';
    const child =
      el.childElementCount === 1 && !el.textContent?.trim()
        ? (el.firstElementChild?.getAttribute('class') ?? '')
        : '';
    const raw = [
      el.id,
      el.getAttribute('class'),
      el.getAttribute('name'),
      el.getAttribute('data-testid'),
      el.getAttribute('data-icon'),
      el.getAttribute('data-action'),
      image,
      child,
    ];
    return squeeze(
      raw
        .filter(Boolean)
        .join(' ')
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .replace(/[^\p{L}\p{N}]+/gu, ' '),
      120,
    );
  };

  const checkedOf = (el: Element): boolean | null => {
    if (el instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(el.type)) return el.checked;
    const state = el.getAttribute('aria-checked') ?? el.getAttribute('aria-pressed');
    return state === null ? null : state === 'true';
  };
  const expandedOf = (el: Element): boolean | null => {
    if (el.tagName === 'SUMMARY') return (el.parentElement as HTMLDetailsElement | null)?.open ?? null;
    const state = el.getAttribute('aria-expanded');
    return state === null ? null : state === 'true';
  };

  const deepest = (x: number, y: number): Element | null => {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const includes = (outer: Element, inner: Element) => {
    for (let node: Element | null = inner; node; node = parentOf(node)) if (node === outer) return true;
    return false;
  };
  /** What lies over others counts as a layer, styled as one or not. */
  const covers = new Set<Element>();
  const isCovered = (el: Element, box: DOMRect): boolean => {
    const rect = el.getClientRects()[0] ?? box;
    const [x, y] = [rect.x + rect.width / 2, rect.y + rect.height / 2];
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return false;
    const hit = deepest(x, y);
    if (!hit || includes(el, hit) || includes(hit, el)) return false;
    if (el instanceof HTMLInputElement && [...(el.labels ?? [])].some(label => includes(label, hit)))
      return false;
    let root = hit;
    for (let up = parentOf(hit); up && !includes(up, el); up = parentOf(up)) root = up;
    covers.add(root);
    return true;
  };

  const layerCache = new WeakMap<Element, number>();
  const layerOf = (el: Element): number => {
    const known = layerCache.get(el);
    if (known !== undefined) return known;
    const parent = parentOf(el);
    const style = getComputedStyle(el);
    const raised = /^(?:fixed|absolute|sticky)$/.test(style.position) && Number(style.zIndex) > 0;
    const dialog = el.matches('dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]');
    const layer = dialog || raised || style.position === 'fixed' ? idOf(el) : parent ? layerOf(parent) : 0;
    layerCache.set(el, layer);
    return layer;
  };

  const contexts: string[] = [];
  const contextIndex = new Map<string, number>();
  const around = (el: Element) => {
    const found: number[] = [];
    const zones = new Set<string>();
    let open = true;
    for (let node: Element | null = parentOf(el), level = 0; node; node = parentOf(node), level++) {
      const zone = node.getAttribute('role') ?? node.tagName.toLowerCase();
      if (
        /^(?:dialog|alertdialog|nav|navigation|header|footer|main|aside|form|table|tr|row|menu|listbox|tablist|search|li|article)$/.test(
          zone,
        )
      )
        zones.add(zone);
      if (/\b(?:ui-)?dialog\b|\bmodal\b/.test(node.className?.toString?.() ?? '')) zones.add('dialog');
      if (!open || level > 8) continue;
      const text = contextText(node);
      if (text.length >= 700) open = false;
      if (text === '' || contexts[found.at(-1) ?? -1] === text) continue;
      let index = contextIndex.get(text);
      if (index === undefined) {
        index = contexts.push(text) - 1;
        contextIndex.set(text, index);
      }
      found.push(index);
    }
    return { contexts: found, zones: [...zones] };
  };

  const formOf = (el: Element): number => {
    const form = (el as HTMLInputElement).form ?? el.closest('form, [role=form], [role=search]');
    return form instanceof Element ? idOf(form) : 0;
  };

  const items: Item[] = [];
  const describe = (el: Element, role: string, stand: Element = el) => {
    if (items.length >= limit) return;
    const box = stand.getBoundingClientRect();
    const field = el as HTMLInputElement;
    const isField = FIELD.test(role);
    const name = nameOf(el, role);
    const parent = parentOf(el);
    items.push({
      id: idOf(stand),
      tag: el.tagName.toLowerCase(),
      type: el instanceof HTMLInputElement ? el.type : '',
      role,
      name: name || (stand === el ? '' : textOf(stand, true)),
      placeholder: squeeze(el.getAttribute('placeholder') ?? el.getAttribute('aria-placeholder') ?? ''),
      title: squeeze(`${el.getAttribute('title') ?? ''} ${el.getAttribute('alt') ?? ''}`),
      near: isField || (role !== 'text' && role !== 'heading') ? nearOf(el, role) : '',
      hint: hintOf(el),
      value: isField ? (field.value ?? (el.textContent?.trim() || '')) : '',
      options:
        el instanceof HTMLSelectElement
          ? [...el.options].slice(0, 400).map(option => squeeze(option.label || option.text))
          : [],
      checked: checkedOf(el),
      expanded: expandedOf(el),
      selected: el.getAttribute('aria-selected') === 'true' || el.hasAttribute('aria-current'),
      disabled:
        field.disabled === true ||
        el.getAttribute('aria-disabled') === 'true' ||
        el.closest('fieldset:disabled') !== null,
      readonly: field.readOnly === true || el.getAttribute('aria-readonly') === 'true',
      pointer: getComputedStyle(stand).cursor === 'pointer',
      popup: el.hasAttribute('aria-haspopup') && el.getAttribute('aria-haspopup') !== 'false',
      href: el instanceof HTMLAnchorElement ? el.href : '',
      box: { x: box.x, y: box.y, width: box.width, height: box.height },
      inView: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
      covered: isCovered(stand, box),
      layer: layerOf(stand),
      focused: document.activeElement === el,
      form: formOf(el),
      ...around(stand),
      signature: `${el.tagName}.${el.getAttribute('class') ?? ''}<${parent?.tagName}.${parent?.getAttribute('class') ?? ''}`,
    });
  };

  const hasSize = (el: Element) => {
    const box = el.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };
  const ownText = (el: Element) =>
    [...el.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
  const looksClickable = (el: Element) =>
    el.tagName === 'A' ||
    el.hasAttribute('onclick') ||
    el.hasAttribute('aria-haspopup') ||
    el.hasAttribute('aria-expanded') ||
    (el.hasAttribute('tabindex') && el.getAttribute('tabindex') !== '-1');
  const isIcon = (el: Element) => {
    const box = el.getBoundingClientRect();
    const drawn =
      el.matches('img, svg, i, canvas') ||
      (el.childElementCount === 0 &&
        !el.textContent?.trim() &&
        el.hasAttribute('class') &&
        !/^(?:TD|TH|LI)$/.test(el.tagName));
    return drawn && box.width >= 5 && box.height >= 5 && box.width <= 80 && box.height <= 80;
  };
  /** What an element is to us, '' for nothing. */
  const classify = (el: Element, inControl: boolean): string => {
    const role = roleOf(el);
    if (CONTROL.test(role)) return role;
    if (inControl) return '';
    if (looksClickable(el)) return 'clickable';
    const parent = parentOf(el);
    const style = getComputedStyle(el);
    const startsPointer =
      style.cursor === 'pointer' && parent !== null && getComputedStyle(parent).cursor !== 'pointer';
    if (isIcon(el)) return 'icon';
    if (startsPointer && el !== document.body) return role === 'heading' ? 'clickable' : 'clickable';
    if (role === 'heading') return role;
    return ownText(el) && (el.textContent?.length ?? 0) <= 200 ? 'text' : '';
  };
  const walk = (el: Element, inControl: boolean) => {
    if (SKIP.has(el.tagName)) return;
    const visible = shown(el);
    if (!visible && !el.checkVisibility()) return;
    let inside = inControl;
    const isLabel = el instanceof HTMLLabelElement && el.control !== null;
    if (isLabel && !(shown(el.control) && hasSize(el.control))) describe(el.control, roleOf(el.control), el);
    else if (visible && hasSize(el) && !(isLabel && !ownText(el))) {
      const role = isLabel ? '' : classify(el, inControl);
      if (role) describe(el, role);
      inside ||= /^(?:button|link|option|tab|combobox|listbox)$/.test(role) && !el.querySelector('ul, ol');
    }
    if (el.tagName === 'SELECT') return;
    for (const child of el.shadowRoot?.children ?? []) walk(child, inside);
    for (const child of el.children) walk(child, inside);
  };
  if (document.body) walk(document.body, false);
  for (const item of items.filter(({ layer }) => layer === 0)) {
    const el = store.elements.get(item.id)?.deref();
    const over = el && [...covers].find(root => includes(root, el));
    if (over) item.layer = idOf(over);
  }

  let hash = 0;
  const mix = (text: string) => {
    for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  };
  for (const item of items)
    mix(
      `${item.id}${item.name}${item.value}${item.checked}${item.expanded}${item.selected}${item.disabled}${item.focused}${item.hint}`,
    );
  mix(document.body?.innerText.slice(0, 20_000) ?? '');
  mix(`${Math.round(scrollY / 50)}`);

  const busy = document.querySelector('[aria-busy=true], [role=progressbar]');
  const loadingText = items.some(item =>
    /^(?:loading|please wait|searching|working)\b.{0,20}$/i.test(item.name),
  );
  return {
    url: location.href,
    title: document.title,
    headings: [...document.querySelectorAll('h1, h2')]
      .slice(0, 20)
      .map(heading => squeeze(heading.textContent ?? '')),
    items,
    contexts,
    print: `${location.href} ${hash}`,
    busy: document.readyState === 'loading' || (busy?.checkVisibility() ?? false) || loadingText,
    scroll: { y: scrollY, height: document.documentElement.scrollHeight, viewport: innerHeight },
  };
}
