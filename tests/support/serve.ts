// A server on a free port of 127.0.0.1.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function serve(answer: RequestListener) {
  // Node closes connections that are idle for 5 s, also at the moment when a slow trial's next request arrives.
  const server = createServer({ keepAliveTimeout: 0 }, answer);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, port, server, close };
}

/** Below the ports that systems give to sockets by themselves: another test could be given such a one before the site listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const listens = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false)).listen(port, () => resolve(true));
    });
    await new Promise(resolve => server.close(resolve));
    if (listens) return port;
  }
}
