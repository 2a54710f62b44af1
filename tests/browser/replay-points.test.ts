// What was clicked at a point is clicked there again, and nothing else that lies there by now.
import { describe, expect, it } from 'vitest';
import { Player } from '../../src/agents/replay/player';
import type { Recording } from '../../src/data/recording';
import { agentTask } from '../support/agent-task';
import { harness, html, type Pages } from '../support/claude-harness';
import { LOG, logOf, recordingOf } from '../support/recordings';

const pages: Pages = { '/': html('') };
const site = harness(pages);

const place = (x: number, y: number, width: number, height: number, more = '') =>
  `style="position:absolute;box-sizing:border-box;left:${x}px;top:${y}px;width:${width}px;height:${height}px;${more}"`;
const BOX = place(100, 100, 200, 40);
const canvas = (style: string, size = 200) =>
  `<canvas width="200" height="200" style="width:${size}px;height:${size}px;${style}" onclick="note(Math.floor(event.offsetX / this.clientWidth * 10) + ',' + Math.floor(event.offsetY / this.clientHeight * 10))"></canvas>`;
const frame = (style: string) =>
  `<iframe src="/inner" width="200" height="200" style="border:0;${style}"></iframe>`;
const seats = (...names: string[]) =>
  names
    .map(
      (name, at) =>
        `<div data-seat="${name}" ${place(100 + at * 60, 100, 50, 50)} onclick="note('${name}')"></div>`,
    )
    .join('');
const icons = (...names: string[]) =>
  names
    .map(
      name =>
        `<button style="width:50px;height:50px" onclick="note('${name}')"><svg class="icon-${name}" width="20" height="20"></svg></button>`,
    )
    .join('');
const blank = (more = '', height = 700) =>
  `<main ${place(0, 0, 1200, height)} onclick="note('closed')"><p>Files of all members of the team that were uploaded</p>${more}</main>`;
const tall = (more?: string) => blank(more, 2_500);
pages['/inner'] = html(
  `${['A', 'B', 'C', 'D'].map(name => `<button style="display:block;width:60px;height:40px" onclick="parent.note('${name}')">${name}</button>`).join('')}`,
);

pages['/letter'] = `<body contenteditable style="margin:0" oninput="parent.note(this.textContent)">`;

interface Case {
  page: string;
  at: [x: number, y: number];
  /** Done besides, after the click. */
  key?: { text: string; repeat?: number };
  type?: string;
  done: string[];
}

const cases: { [name: string]: Case } = {
  'the arrow of a split button': {
    page: `<button ${BOX} onclick="note(event.target.id || 'saved')">Save<span id="menu" ${place(160, 0, 40, 40)}>v</span></button>`,
    at: [280, 120],
    done: ['menu'],
  },
  'the cross of a chip': {
    page: `<button ${BOX} onclick="note(event.target.closest('svg') ? 'removed' : 'edited')">Red <svg width="16" height="16" ${place(170, 10, 16, 16)}><circle cx="8" cy="8" r="8"/></svg></button>`,
    at: [278, 118],
    done: ['removed'],
  },
  'the arrow of a tree item': {
    page: `<ul role="tree"><li role="treeitem" ${BOX}><span ${place(0, 0, 20, 40)} onclick="note('expanded')">+</span><span ${place(20, 0, 180, 40)} onclick="note('opened')">Reports</span></li></ul>`,
    at: [110, 120],
    done: ['expanded'],
  },
  'the end of an item whose middle is off screen': {
    page: `<ul role="tree"><li role="treeitem" ${place(100, 600, 200, 900)} onclick="note(event.target.textContent.slice(0, 4))">Root<ul>${Array.from({ length: 20 }, (_, at) => `<li style="height:40px">item ${at}</li>`).join('')}</ul></li></ul>`,
    at: [110, 608],
    done: ['Root'],
  },
  'the month of a date': {
    page: `<input type="date" aria-label="Day" value="2026-02-01" ${BOX} oninput="note(this.value)">`,
    at: [115, 120],
    key: { text: 'Up' },
    done: ['2026-03-01'],
  },
  'the beginning of a text': {
    page: `<input aria-label="Title" value="World" ${BOX} oninput="note(this.value)">`,
    at: [103, 120],
    type: 'W',
    done: ['WWorld'],
  },
  'the arrow of an empty number': {
    page: `<input type="number" aria-label="Guests" ${BOX} oninput="note(this.value)">`,
    at: [291, 112],
    done: ['1'],
  },
  'an option of a list': {
    page: `<select size="4" aria-label="Country" ${place(100, 100, 200, 90, 'padding:0')} onchange="note(this.value)"><option>France<option>Italy<option>Spain</select>`,
    at: [150, 130],
    done: ['Italy'],
  },
  'a canvas with a border': {
    page: canvas('position:absolute;left:100px;top:100px;border:30px solid navy'),
    at: [200, 220],
    done: ['3,4'],
  },
  'a frame with padding': {
    page: frame('position:absolute;left:100px;top:100px;padding:40px'),
    at: [160, 200],
    done: ['B'],
  },
  'a frame that is scaled': {
    page: frame('position:absolute;left:100px;top:100px;transform:scale(0.5);transform-origin:0 0'),
    at: [110, 130],
    done: ['B'],
  },
  'radio buttons, and arrows from there': {
    page: `<form onchange="note(event.target.value)">${['S', 'M', 'L', 'XL'].map((name, at) => `<label ${place(100, 100 + at * 30, 100, 20)}><input type="radio" name="size" value="${name}" style="margin:0">${name}</label>`).join('')}</form>`,
    at: [106, 110],
    key: { text: 'Down', repeat: 3 },
    done: ['S', 'M', 'L', 'XL'],
  },
  'a word in an editor': {
    page: `<div contenteditable aria-label="Letter" ${place(100, 100, 300, 100, 'font:16px/20px monospace')} oninput="note(this.textContent.slice(0, 6))"><p style="margin:0">First</p><p style="margin:0">Second line</p><p style="margin:0">Third</p></div>`,
    at: [101, 110],
    type: 'x',
    done: ['xFirst'],
  },
  'the beginning of an editor': {
    page: `<div contenteditable aria-label="Note" ${place(100, 100, 300, 40, 'font:16px/40px monospace')} oninput="note(this.textContent)">World of words and more</div>`,
    at: [101, 120],
    type: 'x',
    done: ['xWorld of words and more'],
  },
  'an editor that is the body of a frame': {
    page: '<iframe src="/letter" width="300" height="100" style="position:absolute;left:100px;top:100px"></iframe>',
    at: [200, 150],
    type: 'x',
    done: ['x'],
  },
  'an empty place of the page': {
    page: `<p>Text</p><script>document.documentElement.addEventListener('click', () => note('closed'))</script>`,
    at: [600, 500],
    done: ['closed'],
  },
};

async function record({ page, at: [x, y], key, type }: Case, goal: string) {
  pages['/recorded'] = html(LOG + page);
  const opened = await site.open('/recorded', { goal });
  await opened.act('left_click', { target: { type: 'coordinate', x, y } });
  if (key) await opened.act('key', { ...key });
  if (type) await opened.act('type', { text: type });
  return { recording: recordingOf(opened.actions), log: await logOf(opened.page) };
}

async function replayOn(page: string, recording: Recording, goal: string, timeoutMs = 5_000) {
  pages['/now'] = html(LOG + page);
  const now = await site.openPage('/now');
  await new Player(agentTask(now, { goal }), timeoutMs).play(recording);
  return logOf(now);
}

const GOAL = 'Do it.';

describe('the page as it was', () => {
  it.each(Object.entries(cases))('%s', async (_, each) => {
    const { recording, log } = await record(each, GOAL);
    expect(log).toEqual(each.done);
    expect(await replayOn(each.page, recording, GOAL)).toEqual(each.done);
  });
});

describe('a drag', () => {
  const source = (y: number) => `<div ${place(20, y, 60, 30)} draggable="true">Card</div>`;
  const target = (y: number, scale = 1) =>
    `<div ${place(100, y, 200 * scale, 100 * scale, 'border:30px solid navy')} ondragover="event.preventDefault()" ondrop="note(Math.round(event.offsetX / 10) + ',' + Math.round(event.offsetY / 10))">Done</div>`;

  it.each([
    ['within a border', target(60), '5,2'],
    ['that is off screen by now', target(2_000), '5,2'],
    ['that is twice as large by now', target(60, 2), '10,4'],
  ])('ends at its spot of a target %s', async (_, now, spot) => {
    pages['/recorded'] = html(LOG + source(20) + target(60));
    const opened = await site.open('/recorded', { goal: GOAL });
    const at = (x: number, y: number) => ({ type: 'coordinate', x, y });
    await opened.act('left_click_drag', { from: at(50, 35), target: at(180, 110) });
    expect(await logOf(opened.page)).toEqual(['5,2']);
    expect(await replayOn(LOG + source(20) + now, recordingOf(opened.actions), GOAL)).toEqual([spot]);
  });
});

it('a box without a name is scrolled', async () => {
  const page = `<div ${place(100, 100, 200, 100, 'overflow:auto')} onscroll="if (!log.length) note('scrolled')"><p style="height:900px">Orders of May</p></div>`;
  pages['/recorded'] = html(LOG + page);
  const opened = await site.open('/recorded', { goal: GOAL });
  const target = { type: 'coordinate', x: 200, y: 150 };
  await opened.act('scroll', { target, scroll_direction: 'down', scroll_amount: 5 });
  expect(await replayOn(page, recordingOf(opened.actions), GOAL)).toEqual(['scrolled']);
});

it('a control in the frame of a zoomed box is the one that was hit', async () => {
  // Playwright 1.65 can't click there, so nothing is replayed.
  const page = `<div style="zoom:2">${frame('position:absolute;left:50px;top:50px')}</div>`;
  const { recording, log } = await record({ page, at: [120, 210], done: [] }, GOAL);
  expect(log).toEqual(['B']);
  expect(recording.turns[0]!.actions[0]!.recorded).toMatchObject([{ control: 'button "B"' }]);
});

it.each<[string, string, isInFrame?: boolean]>([
  ['at its end', 'Hello mira hunter2-Zebra-991'],
  ['at its beginning', '991 Zebra-hunter and mira'],
  ['in a frame', 'Hello mira hunter2-Zebra-991', true],
])('a name that Playwright cuts in a secret, %s, stays out of the recording', async (_, name, isInFrame) => {
  const button = `<button ${BOX}>${name}</button>`;
  pages['/recorded'] = html(
    isInFrame ? `<iframe srcdoc='${button}' width="400" height="300" style="border:0"></iframe>` : button,
  );
  const secrets = { PASSWORD: 'hunter2-Zebra-991', PHRASE: '991 Zebra-hunter' };
  const opened = await site.open('/recorded', { goal: GOAL, secrets });
  await opened.act('left_click', { target: { type: 'coordinate', x: 200, y: 120 } });
  // As the record is.
  const actions = JSON.parse(opened.task.mask(JSON.stringify(opened.actions)));
  expect(actions).toMatchObject([{ recorded: [{ do: 'click' }] }]);
  expect(JSON.stringify(actions)).not.toContain('Zebra');
});

it.each<[string, before: string, after: string, at: Case['at'], done: string]>([
  [
    'a seat below a banner',
    seats('12A', '12B', '12C'),
    `<div>Sale!</div>${seats('12A', '12B', '12C')}`,
    [185, 125],
    '12B',
  ],
  ['an icon that stands elsewhere', icons('edit', 'bin'), icons('bin', 'edit'), [25, 25], 'edit'],
  [
    'an icon with a class of another build',
    ...['1a2b3c4', '9z8y7x6'].map(hash => icons('edit', 'bin').replaceAll('icon-', `css-${hash} icon-`)),
    [25, 25],
    'edit',
  ] as never,
  [
    'a test id with other classes',
    ...['free', 'best'].map(
      state =>
        `<div data-testid="12B" class="${state}" ${place(100, 100, 50, 50)} onclick="note('12B')"></div>`,
    ),
    [125, 125],
    '12B',
  ] as never,
  ['a canvas that is drawn larger', canvas(''), canvas('', 400), [70, 90], '3,4'],
])('%s is found by now', async (_, before, after, at, done) => {
  const { recording } = await record({ page: before, at, done: [] }, GOAL);
  expect(await replayOn(after, recording, GOAL)).toEqual([done]);
});

it.each<[string, before: string, after: string, at: Case['at'], RegExp]>([
  [
    'a seat that is gone',
    seats('12A', '12B', '12C'),
    seats('12A', '12C', '12D'),
    [185, 125],
    /div is another one: "12c" instead of "12b"/,
  ],
  [
    'a button where nothing was',
    blank(),
    blank(`<button ${place(640, 280, 120, 40)} onclick="note('deleted')">Delete all</button>`),
    [700, 300],
    /button "Delete all" is where the recording acts on the page/,
  ],
  [
    'a button off screen where nothing was',
    `${tall()}<script>scrollTo(0, 1_200)</script>`,
    tall(`<button ${place(640, 1_480, 120, 40)} onclick="note('deleted')">Delete all</button>`),
    [700, 300],
    /button "Delete all" is where the recording acts on the page/,
  ],
])('%s is refused', async (_, before, after, at, message) => {
  const { recording } = await record({ page: before, at, done: [] }, GOAL);
  // A replay looks for the control until its time is over.
  await expect(replayOn(after, recording, GOAL, 1_000)).rejects.toThrow(message);
});
