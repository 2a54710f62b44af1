// Whether a diagnosis names the true cause on real applications that no rule was made for. Rules were tuned on those of `known`,
// and never on those of `fresh`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TASKS } from './diagnosis/app-tasks.mjs';
import * as known from './diagnosis/app-variants.mjs';
import { installApps, startApps } from './diagnosis/apps.mjs';
import * as fresh from './diagnosis/fresh-variants.mjs';
import { chosen, measure } from './diagnosis.mjs';
import { BENCH } from './lib/packages.mjs';

/** Each can run alone: `npm run bench -- --only diagnosis-apps --part fresh`. */
const PARTS = { known, fresh };

export async function diagnosisApps({ quick, part }) {
  if (part && !(part in PARTS)) throw new Error(`Parts of diagnosis-apps: ${Object.keys(PARTS).join(', ')}`);
  const missing = installApps();
  if (missing) throw new Error(`the applications can't be installed: ${missing}`);
  const parts = part ? [PARTS[part]] : Object.values(PARTS);
  const all = parts.flatMap(({ BROKEN, AT_FAULT }) => [...BROKEN, ...AT_FAULT]);
  const variants = chosen(all, quick);
  const { urls, stop } = await startApps();
  const sites = Object.entries(urls).flatMap(([id, url]) => {
    const tasks = TASKS.filter(({ app }) => app === id).map(({ id }) => id);
    const own = variants.filter(({ task }) => tasks.includes(task));
    return own.length ? [{ id, url, tasks, variants: own }] : [];
  });
  const specs = TASKS.map(({ app, path, ...spec }) => {
    const whole = { specVersion: '0.1', ...spec, entryUrl: `${urls[app]}${path}`, maxSteps: 12 };
    return [`tasks/${spec.id}.yaml`, JSON.stringify(whole)];
  });
  try {
    return await measure({
      sites,
      heldOut: fresh.BROKEN,
      atFault: [...known.AT_FAULT, ...fresh.AT_FAULT],
      files: {
        ...Object.fromEntries(specs),
        'ways.mjs': readFileSync(join(BENCH, 'diagnosis/app-tasks.mjs'), 'utf8'),
      },
      atLeast: 85,
    });
  } finally {
    await stop();
  }
}
