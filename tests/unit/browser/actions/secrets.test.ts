import { expect, test } from 'vitest';
import { isPaste } from '../../../../src/browser/actions/secrets';

test.each(
  'ControlOrMeta+v Control+Shift+V Shift+Control+v Control+Control+v Control+KeyV ControlLeft+v Shift+Meta+v Shift+Insert ShiftLeft+Insert Alt+Shift+Insert v+Control'.split(
    ' ',
  ),
)('%s pastes', chord => expect(isPaste(chord)).toBe(true));

test.each(['v', 'Shift+V', 'Alt+v', 'Control+c', 'Insert', 'Control+Insert', '+'])('%s does not', chord =>
  expect(isPaste(chord)).toBe(false),
);
