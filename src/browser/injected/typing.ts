// Puts a text into a field without the keyboard, whose keys go to whatever has the focus: for secrets.
import { hit, valueOfText } from './elements';

/** Types of inputs that take no keys of a text. */
const PICKED = /^(?:date|time|datetime-local|month|week|range|color)$/;

/** `isKept` is true if that can't be told. `asKeys`: with events of a key before and after it. */
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
    // The command has no such event of its own.
    field.dispatchEvent(new InputEvent('beforeinput', { ...told, inputType: 'insertText', data: text }));
  // Old, but in all browsers, and the events of an input are those of a user's.
  if (isTaken && !document.execCommand('insertText', false, text)) setValue(field, text);
  if (asKeys) send('keyup', code);
  const value = valueOfText(field);
  return { isKept: value === null || value === text, hasFocus: hit(null) === field };
}

/** Of a date and the like. Not by its own property, which libraries replace. */
function setValue(field: HTMLElement, text: string): void {
  if (!(field instanceof HTMLInputElement) || !PICKED.test(field.type)) return;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field, text);
  for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
}
