// A page with cached images and fetches, served from a separate thread, as a site has a separate machine.
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>';
const images = Array.from({ length: workerData.images }, (_, i) => `<img src="/image${i}">`).join('');
const fetches = `Promise.all(Array.from({ length: ${workerData.fetches} }, (_, i) => fetch('/data' + i).then(a => a.json())))`;

const server = createServer((request, response) => {
  const path = request.url ?? '/';
  if (path.startsWith('/image'))
    response.writeHead(200, { 'cache-control': 'max-age=3600', 'content-type': 'image/svg+xml' }).end(PIXEL);
  else if (path.startsWith('/data'))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  else
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>Heavy</title>${images}<script>window.fetched = ${fetches}</script>`);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  parentPort?.postMessage(`http://127.0.0.1:${port}/`);
});
