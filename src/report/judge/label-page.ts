// What a person sees of a kept trial to label it. Everything in it that pages and agents wrote is escaped; no script but ours runs. What
// the judge said is shown once there is a label.
import { createHash } from 'node:crypto';
import type { Label } from '../../data/labels';
import { answerText, type TurnRecord } from '../../data/record';
import { harmless } from '../../text/line';
import { plural } from '../../text/print';
import type { Candidate, ReadTrial } from './kept';

const SCRIPT = `addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  document.querySelector('[data-key="' + CSS.escape(event.key) + '"]')?.click();
});`;

const STYLE = `body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 0 1rem 4rem; color: #1b1b1b; background: #fff }
header { position: sticky; top: 0; background: #fff; border-bottom: 1px solid #ccc; padding: .6rem 0; z-index: 1 }
header p { margin: .3rem 0 }
form { display: flex; flex-wrap: wrap; gap: .5rem }
button, header a { font: inherit; padding: .25rem .8rem; border: 1px solid #888; border-radius: .3rem; background: #f4f4f4; color: inherit; text-decoration: none }
button.chosen { background: #1b1b1b; color: #fff }
kbd { font: .8em monospace; opacity: .7 }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0 }
h2 { font-size: 1rem; margin: 1.2rem 0 .2rem }
img { max-width: 100%; border: 1px solid #ccc }
.error { color: #a40000 }
section section { border-top: 1px solid #ddd }`;

const hashed = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const POLICY = `default-src 'none'; img-src 'self'; style-src ${hashed(STYLE)}; script-src ${hashed(SCRIPT)}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A foreign text in HTML. */
const html = (text: string) => harmless(text).replace(/[&<>"']/g, found => ENTITIES[found]!);

const page = (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${html(title)}</title><style>${STYLE}</style></head>
<body>${body}<script>${SCRIPT}</script></body></html>`;

const part = (title: string, text: string) =>
  text.trim() ? `<section><h2>${title}</h2><pre>${html(text)}</pre></section>` : '';

/** The place of a trial among all, which of them are labelled, and what it is labelled itself. */
interface Position {
  candidates: readonly Candidate[];
  at: number;
  label: Label | undefined;
}

export function trialPage({ record, rubric = '', goal, pictures }: ReadTrial, position: Position): string {
  const { candidates, at, label } = position;
  const { spec, project, index, run } = candidates[at]!;
  const which = `${spec}${project && ` [${project}]`}, trial ${index + 1} of ${run}`;
  const picture = (name: string | null) =>
    name !== null && pictures.has(name)
      ? `<img alt="${html(name)}" src="${html(candidates[at]!.trial)}/${encodeURIComponent(name)}">`
      : '';
  const turns = record.turns.map(turn => turnPart(turn, picture(turn.screenshot))).join('');
  return page(
    `${at + 1} of ${candidates.length}: ${spec}`,
    `<header><p>${at + 1} of ${candidates.length}: ${html(which)}</p>${part('Rubric', rubric)}${buttons(position)}
${label ? judgeLine(label, record.judge!) : ''}</header><main>${part('Goal', goal)}
<section><h2>At the end</h2><pre>${html(record.finalUrl ?? '')}</pre>${picture('end.jpg')}</section>
${part('Answer', answerText(record.answer ?? ''))}<section>${turns}</section>
<details><summary>Text of the last page</summary><pre>${html(record.finalText ?? '')}</pre></details></main>`,
  );
}

function buttons({ candidates, at, label }: Position): string {
  const button = (value: string, key: string, text: string) =>
    `<button name="label" value="${value}" data-key="${key}"${label?.label === value ? ' class="chosen"' : ''}>${text} <kbd>${key}</kbd></button>`;
  const link = (to: Candidate | undefined, key: string, text: string) =>
    to ? `<a href="${html(to.trial)}" data-key="${key}">${text}</a>` : '';
  const previous = link(candidates[at - 1], 'ArrowLeft', '← previous');
  const next = link(candidates[at + 1], 'ArrowRight', 'next →');
  return `<form method="post">${button('passed', 'p', 'Pass')}${button('failed', 'f', 'Fail')}${button('unclear', 'c', "Can't tell")}${button('undo', 'u', 'Undo')}${previous}${next}</form>`;
}

const judgeLine = ({ label }: Label, judge: { passed: boolean; reason: string }) =>
  `<p>You: ${label}. The judge: ${judge.passed ? 'passed' : 'failed'}, ${html(judge.reason)}</p>`;

function turnPart({ number, title, actions, narration, error, url }: TurnRecord, picture: string): string {
  const done = actions.map(
    each =>
      `<li>${html(each.title)}${each.error ? `: <span class="error">${html(each.error)}</span>` : ''}</li>`,
  );
  return `<section><h2>Turn ${number}: ${html(title)}</h2><pre>${html(narration)}</pre><ul>${done.join('')}</ul>
<pre class="error">${html(error ?? '')}</pre><pre>${html(url)}</pre>${picture}</section>`;
}

export function donePage(candidates: readonly Candidate[], labels: ReadonlyMap<string, Label>): string {
  const first = candidates[0]!.trial;
  const labelled = candidates.filter(({ trial }) => labels.has(trial)).length;
  return page(
    'All labelled',
    `<main><h1>All labelled</h1><p>${plural(labelled, 'trial')} of ${candidates.length} have a label. Press Ctrl-C in the terminal, then run <code>npx taskproof judge check</code>.</p>
<p><a href="${html(first)}" data-key="ArrowLeft">Look at them again</a></p>
<form method="post" action="${html(first)}"><button name="label" value="undo" data-key="u">Undo <kbd>u</kbd></button></form></main>`,
  );
}
