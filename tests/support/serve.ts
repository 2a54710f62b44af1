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
