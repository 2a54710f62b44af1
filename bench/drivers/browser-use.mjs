// browser-use for Node: one Agent for each session, with its defaults, on a page that is already open.
import { register } from 'node:module';
import { playSessions } from './client.mjs';

// It draws with a native module that an install without scripts does not build. A prebuilt one with the same interface
// takes its place. It would only be used for GIFs, and for pictures of other sizes than the viewport's.
const canvas = `import { createRequire } from 'node:module';
const { Image, createCanvas, loadImage } = createRequire(${JSON.stringify(import.meta.url)})('@napi-rs/canvas');
export { Image, createCanvas, loadImage };`;
const hook = `export const resolve = (name, context, next) => name === 'canvas'
  ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(canvas)}`)}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { Agent, BrowserProfile, BrowserSession } = await import('browser-use');
const { ChatOpenAI } = await import('browser-use/llm/openai');

const newSession = () =>
  new BrowserSession({
    browser_profile: new BrowserProfile({
      headless: true,
      executable_path: process.env.BENCH_CHROMIUM || null,
      chromium_sandbox: process.getuid?.() !== 0,
      viewport: { width: 1280, height: 720 },
      enable_default_extensions: false,
      keep_alive: true,
    }),
  });

await playSessions(async url => {
  // Its agents close their browser, so each session has a new one.
  const session = newSession();
  await session.start();
  await session.navigate_to(url);
  const agent = new Agent({
    task: 'Do what comes next.',
    llm: new ChatOpenAI({
      model: 'gpt-4o',
      apiKey: 'bench',
      baseURL: `${process.env.BENCH_SERVER}/v1`,
      maxRetries: 0,
    }),
    browser_session: session,
    use_judge: false,
    directly_open_url: false,
    generate_gif: false,
  });
  await agent.run(100).finally(() => session.stop().catch(() => undefined));
});
