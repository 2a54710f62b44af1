// A proxy that refuses all requests, and notes them.
import { serve } from './serve';

/** Notes all requests that would leave this machine. Close it when the test ends. */
export async function startProxy() {
  const asked: string[] = [];
  const { url, server, close } = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  return { url, asked, close };
}
