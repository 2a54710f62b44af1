// Enters a secret into a field without the keyboard: keys would go to whatever has the focus.
import { hit, valueOfText } from './elements';

/** Types of inputs into which no text can be typed. */
const PICKED = /^(?:date|time|datetime-local|month|week|range|color)$/;

/** @param given `asKeys`: fires the events of a key, too. @returns `isKept`: whether the field has the text, or can't tell */
export function putText(element: Element, { text, asKeys }: { text: string; asKeys: boolean }) {
  const field = ((element as HTMLLabelElement).control ?? element) as HTMLElement;
  if (hit(null) !== field) field.focus();
  const told = { bubbles: true, cancelable: true, composed: true };
  const code = text.toUpperCase().charCodeAt(0);
  const send = (type: string, keyCode: number) =>
    field.dispatchEvent(
      new KeyboardEvent(type, { ...told, key: text, keyCode, which: keyCode } as KeyboardEventInit),
    );
  const isTaken =
    (!asKeys || (send('keydown', code) && send('keypress', text.charCodeAt(0)))) &&
    // `execCommand` does not fire this event itself.
    field.dispatchEvent(new InputEvent('beforeinput', { ...told, inputType: 'insertText', data: text }));
  // Deprecated, but all browsers have it, and it fires the same events as a user's input.
  if (isTaken && !document.execCommand('insertText', false, text)) setValue(field, text);
  if (asKeys) send('keyup', code);
  const value = valueOfText(field);
  return { isKept: value === null || value === text, hasFocus: hit(null) === field };
}

/** Sets a date and the like. Not by the field's own property, which libraries replace. */
function setValue(field: HTMLElement, text: string): void {
  if (!(field instanceof HTMLInputElement) || !PICKED.test(field.type)) return;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field, text);
  for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
}
