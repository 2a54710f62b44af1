// Runs in the page and may use nothing from outside itself: its source is sent there.

import type { TextTools } from './text';

interface Store {
  ids: WeakMap<Element, number>;
  elements: Map<number, WeakRef<Element>>;
  next: number;
  /** Changes of the document so far, seen or not. */
  mutations: number;
}

/** Tells where elements stand: under what, in which layer, form and surroundings. */
export function placeTools({ parentOf, contextText }: TextTools, storeName: string) {
  const holder = globalThis as unknown as Record<symbol, Store | undefined>;
  const symbol = Symbol.for(storeName);
  if (!holder[symbol]) {
    const made: Store = { ids: new WeakMap(), elements: new Map(), next: 1, mutations: 0 };
    const observer = new MutationObserver(records => {
      made.mutations += records.length;
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    holder[symbol] = made;
  }
  const store = holder[symbol];
  const idOf = (el: Element) => {
    const known = store.ids.get(el);
    if (known !== undefined) return known;
    const id = store.next++;
    store.ids.set(el, id);
    store.elements.set(id, new WeakRef(el));
    return id;
  };

  const elementOf = (id: number) => store.elements.get(id)?.deref();

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
  const MIDDLE = [0.5, 0.5] as const;
  const OTHERS = [0.15, 0.5, 0.85].flatMap(x => [0.2, 0.5, 0.8].map(y => [x, y] as const));
  /** What a click at this part of an element would hit in its place. */
  const above = (el: Element, box: DOMRect, [across, down]: readonly [number, number]): Element | null => {
    const [x, y] = [box.x + box.width * across, box.y + box.height * down];
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return null;
    const hit = deepest(x, y);
    if (!hit || includes(el, hit) || includes(hit, el)) return null;
    const labels = el instanceof HTMLInputElement ? [...(el.labels ?? [])] : [];
    return labels.some(label => includes(label, hit)) ? null : hit;
  };
  /** Whether something lies over an element, and where it can be clicked all the same: shares of its size. */
  const coverage = (el: Element): { covered: boolean; spot: readonly [number, number] | null } => {
    const box = el.getClientRects()[0] ?? el.getBoundingClientRect();
    const hit = above(el, box, MIDDLE);
    if (!hit) return { covered: false, spot: null };
    const spot = OTHERS.find(part => above(el, box, part) === null) ?? null;
    if (spot) return { covered: false, spot };
    let root = hit;
    for (let up = parentOf(hit); up && !includes(up, el); up = parentOf(up)) root = up;
    covers.add(root);
    return { covered: true, spot: null };
  };

  const layerCache = new WeakMap<Element, number>();
  const isRaised = (el: Element) => {
    const { position, zIndex } = getComputedStyle(el);
    if (position === 'fixed' || (/^(?:absolute|sticky)$/.test(position) && Number(zIndex) > 0)) return true;
    return el.matches('dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]');
  };
  const layerOf = (el: Element): number => {
    const known = layerCache.get(el);
    if (known !== undefined) return known;
    const parent = parentOf(el);
    const layer = isRaised(el) ? idOf(el) : parent ? layerOf(parent) : 0;
    layerCache.set(el, layer);
    return layer;
  };
  /** The layer that something which covers others makes, seen once all covers are known. */
  const coverOf = (el: Element): number => {
    const over = [...covers].find(root => includes(root, el));
    return over ? idOf(over) : 0;
  };

  const ZONE =
    /^(?:dialog|alertdialog|nav|navigation|header|footer|main|aside|form|table|tr|row|menu|listbox|tablist|search|li|article)$/;
  const zoneOf = (el: Element): string => {
    if (/\b(?:ui-)?dialog\b|\bmodal\b/.test(el.getAttribute('class') ?? '')) return 'dialog';
    const zone = el.getAttribute('role') ?? el.tagName.toLowerCase();
    return ZONE.test(zone) ? zone : '';
  };

  const contexts: string[] = [];
  const contextIndex = new Map<string, number>();
  const indexOf = (text: string): number => {
    const known = contextIndex.get(text);
    if (known !== undefined) return known;
    contextIndex.set(text, contexts.push(text) - 1);
    return contexts.length - 1;
  };
  const around = (el: Element) => {
    const found: number[] = [];
    const zones = new Set<string>();
    let left = 9;
    for (let node = parentOf(el); node; node = parentOf(node)) {
      zones.add(zoneOf(node));
      if (left-- <= 0) continue;
      const text = contextText(node);
      if (text.length >= 700) left = 0;
      if (text !== '' && contexts[found.at(-1) ?? -1] !== text) found.push(indexOf(text));
    }
    zones.delete('');
    return { contexts: found, zones: [...zones] };
  };

  const formOf = (el: Element): number => {
    const form = (el as HTMLInputElement).form ?? el.closest('form, [role=form], [role=search]');
    return form instanceof Element ? idOf(form) : 0;
  };

  return {
    mutations: () => store.mutations,
    idOf,
    elementOf,
    coverage,
    layerOf,
    coverOf,
    around,
    formOf,
    contexts,
  };
}

export type PlaceTools = ReturnType<typeof placeTools>;
