// Recordings of what a test did on a page, and pages that tell what was done there.
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import type { Action } from '../../src/data/record';
import type { Recording } from '../../src/data/recording';
import { madeRecording } from './records';

/** For the head of a page: `note` keeps a text in its log, and shows the log as its title. */
export const LOG = `<script>window.log = []; window.note = text => { log.push(text); document.title = log.join(' ') }</script>`;
export const logOf = (page: Page) => page.evaluate('log') as Promise<string[]>;

/** A recording of the actions, each of which must be known. Those that failed are left out. */
export function recordingOf(actions: readonly Action[]): Recording {
  const done = actions.filter(({ error }) => error === undefined);
  const unknown = done.filter(({ recorded }) => recorded === undefined);
  expect(unknown.map(({ title }) => title)).toEqual([]);
  const turns = done.flatMap(({ title, recorded }) =>
    recorded?.length ? [{ title, actions: [{ title, recorded }] }] : [],
  );
  return { ...madeRecording([]), specHash: 'then', turns };
}
