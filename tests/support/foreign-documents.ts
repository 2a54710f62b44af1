/** A document that a frame makes without a request. It says EVIL, and may appear in the trial's tab. */
export interface ForeignDocument {
  name: string;
  /** Run by a click in a frame of the other site. */
  script: string;
  /** `data`: the frame has a `data:` URL instead of the other site's. */
  frame?: 'data';
  /** Playwright never reports the tab, so no agent can see it. */
  unseen?: true;
  /** Told otherwise if every request is routed: its tab is blank or of a host, and who made it is guessed. */
  route?: true;
}

const EVIL = '<h1>EVIL</h1>';
const BLOB = `URL.createObjectURL(new Blob(['${EVIL}'], { type: 'text/html' }))`;

/** Runs `script` once the tab `w` shows the site's document, which the frame can't read any more. */
const onceLoaded = (script: string) =>
  `t = setInterval(() => { try { w.document } catch { clearInterval(t); ${script} } }, 20)`;

/** Run by a click in a frame of the other site. */
const SEEN: Record<string, string> = {
  'a blank tab': `open('about:blank').document.body.innerHTML = '${EVIL}'`,
  'a blank tab, written to later': `w = open(''); setTimeout(() => { w.document.body.innerHTML = '${EVIL}' }, 100)`,
  'a blank tab, document.open': `w = open(''); w.document.open(); w.document.write('${EVIL}'); w.document.close()`,
  'a blank tab, pushState': `w = open(''); w.document.open(); w.document.write('${EVIL}'); w.document.close(); w.history.pushState(0, '', '/pushed')`,
  'a blank tab that gives up its opener': `w = open(''); w.document.body.innerHTML = '${EVIL}'; w.opener = null`,
  'a tab of the site, made blank later': `w = open('GOOD/ok'); ${onceLoaded(`w.location = 'about:blank'; setTimeout(() => { w.document.body.innerHTML = '${EVIL}' }, 200)`)}`,
  'a named tab of the site, opened again as a blank one': `w = open('GOOD/ok', 'w'); ${onceLoaded(`w = open('about:blank#x', 'w'); setTimeout(() => { w.document.body.innerHTML = '${EVIL}' }, 200)`)}`,
  'a srcdoc frame in the frame, a blank tab': `f = document.createElement('iframe'); f.srcdoc = 'x'; f.onload = () => { f.contentWindow.open('').document.write('${EVIL}') }; document.body.append(f)`,
  'a blank tab whose opener closes': `w = open('GOOD/framed'); t = setInterval(() => { if (w[0]?.document.body?.firstChild) { clearInterval(t); w[0].open('').document.write('${EVIL}'); w.close() } }, 20)`,
  'a blob: tab': `open(${BLOB})`,
  'a blob: tab without an opener': `open(${BLOB}, '', 'noopener')`,
  'a tab of the site, made a blob: later': `w = open('GOOD/ok'); ${onceLoaded(`w.location = ${BLOB}`)}`,
  'the top page as blob:': `top.location = ${BLOB}`,
  'the top page as blob:, in its place': `top.location.replace(${BLOB})`,
  'the top page made blank': `top.location = 'about:blank'`,
  'the top page made blank, written by the frame of another tab': `w = open('GOOD/framed'); t = setInterval(() => { if (w[0]?.document.body?.firstChild) { clearInterval(t); w[0].eval('(' + other + ')')(top, w); top.location = 'about:blank' } }, 20);
      function other(target, own) { setInterval(() => { try { target.document.body.innerHTML = '${EVIL}'; own.close() } catch {} }, 20) }`,
  'the top page made blank, written by a blank tab': `w = open(''); w.target = top; w.eval("setInterval(() => { try { target.document.body.innerHTML = '${EVIL}' } catch {} }, 1)"); top.location = 'about:blank'`,
};

/** Playwright never reports the tab, so no agent can see it. */
const UNSEEN: Record<string, string> = {
  'a tab of the site that has no answer yet': `w = open('GOOD/never'); w.document.open(); w.document.write('${EVIL}'); w.document.close()`,
  'a tab of the site that has an empty answer': `w = open('GOOD/none'); setTimeout(() => { w.document.body.innerHTML = '${EVIL}' }, 200)`,
  'a tab by a javascript: URL': `open("javascript:'${EVIL}'")`,
};

/** The frame has a `data:` URL instead of the other site's. */
const OF_DATA: Record<string, string> = {
  'a data: frame, a blank tab': `open('').document.body.innerHTML = '${EVIL}'`,
  'a data: frame, a blank tab that gives up its opener': `w = open(''); w.document.body.innerHTML = '${EVIL}'; w.opener = null`,
  'a data: frame, a blob: tab': `open(${BLOB})`,
  'a data: frame, the top page made blank': `w = open(''); w.target = top; w.eval("setInterval(() => { try { target.document.body.innerHTML = '${EVIL}' } catch {} }, 1)"); top.location = 'about:blank'`,
  'a data: frame, the top page made blank by a frame in it': `f = document.createElement('iframe'); document.body.append(f); t = top; top.location = 'about:blank'; setInterval(() => { try { t.document.body.innerHTML = '${EVIL}' } catch {} }, 1)`,
};

/** Each way in which a blank tab, or one of a host, comes to be. */
const ROUTED = new Set([
  'a blank tab',
  'a blank tab, written to later',
  'a blank tab, pushState',
  'a blank tab that gives up its opener',
  'a blank tab whose opener closes',
  'a tab of the site, made blank later',
  'the top page made blank',
  'a tab of the site that has no answer yet',
  'a tab of the site that has an empty answer',
  'a data: frame, a blank tab',
]);

const documents = (scripts: Record<string, string>, more: Partial<ForeignDocument> = {}) =>
  Object.entries(scripts).map(
    ([name, script]): ForeignDocument => ({
      ...{ name, script, ...more },
      ...(ROUTED.has(name) && { route: true }),
    }),
  );

export const FOREIGN_DOCUMENTS = [
  ...documents(SEEN),
  ...documents(UNSEEN, { unseen: true }),
  ...documents(OF_DATA, { frame: 'data' }),
];
