// The pages of the bench: a login form, a shop of 60 cards, a table of 500 rows, 3,000 links. When a page is left, it
// reports to the server what was done to it, so that an action without effect is noticed.
import { createServer } from 'node:http';

const STYLE = `body{font:16px/1.4 sans-serif;margin:0}header,main{padding:12px 24px}nav a{margin-right:12px}
.cards{display:grid;grid-template-columns:repeat(4,1fr);gap:16px}.card{border:1px solid #ccc;padding:12px}
.card img{width:100%;height:90px}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:4px 8px}
form label{display:block;margin:12px 0}.links a{display:inline-block;width:180px}`;

const SCRIPT = `window.done={clicks:0,scrolled:0,typed:''};
addEventListener('click',event=>{if(event.target.closest('button')){done.clicks++;event.preventDefault();
const status=document.getElementById('status');if(status)status.textContent='Clicked '+done.clicks+' times'}});
addEventListener('scroll',()=>{done.scrolled++});
addEventListener('input',event=>{done.typed=event.target.value});
addEventListener('pagehide',()=>navigator.sendBeacon('/left'+location.search,JSON.stringify(done)));`;

const HEADER = `<header><nav aria-label="Shop"><a href="/home">Home</a><a href="/plants">Plants</a><a href="/pots">Pots</a>
<a href="/help">Help</a><a href="/basket">Basket</a></nav><label>Search <input type="search" name="q"></label>
<button>Find</button> <label>Sort <select name="sort"><option>Newest</option><option>Price</option></select></label>
<p id="status" role="status">Nothing yet</p></header>`;

/** @param {number} count @param {(index: number) => string} make */
const times = (count, make) => Array.from({ length: count }, (_, index) => make(index + 1)).join('\n');

const login = `<main><h1>Sign in</h1><form><label>Email <input type="email" name="email" autocomplete="username"></label>
<label>Password <input type="password" name="password"></label><label><input type="checkbox" name="stay"> Stay signed in</label>
<button>Sign in</button> <a href="/forgot">Forgot your password?</a></form><p id="status" role="status">Nothing yet</p>
<p>New here? <a href="/register">Create an account</a></p></main>`;

const shop = `${HEADER}<main><h1>Plants</h1><div class="cards">${times(
  60,
  i => `<article class="card"><img src="/pixel.svg" alt=""><h2><a href="/plants/${i}">Plant number ${i}</a></h2>
<p>Likes ${i % 2 ? 'shade' : 'sun'} and water every ${(i % 9) + 1} days.</p><p class="price">€ ${i + 4}.50</p>
<button>Add plant ${i} to basket</button></article>`,
)}</div></main>`;

const table = `${HEADER}<main><h1>Orders</h1><table><thead><tr><th>Order</th><th>Customer</th><th>City</th><th>Date</th><th>Total</th><th></th></tr></thead>
<tbody>${times(
  500,
  i => `<tr><td><a href="/orders/${i}">TL-${1000 + i}</a></td><td>Customer ${i}</td><td>City ${i % 40}</td>
<td>2026-0${(i % 9) + 1}-1${i % 9}</td><td>€ ${i * 3}.20</td><td><button>Refund TL-${1000 + i}</button></td></tr>`,
)}</tbody></table></main>`;

const links = `${HEADER}<main class="links"><h1>Index</h1>${times(3_000, i => `<a href="/entry/${i}">Entry number ${i}</a>`)}</main>`;

/** Bodies by path. `/next` is the shop again, as the target of a navigation. */
const PAGES = { '/login': login, '/shop': shop, '/next': shop, '/table': table, '/links': links };

/** @typedef {{ clicks: number, scrolled: number, typed: string }} Done */

/** @returns {Promise<{ url: string, left: Map<string, Done[]>, stop(): void }>} `left`: by `?who=`, what was done to each page. */
export async function startSite() {
  const left = new Map();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    const who = searchParams.get('who') ?? '';
    if (pathname === '/left') {
      let text = '';
      for await (const chunk of request) text += chunk;
      left.set(who, [...(left.get(who) ?? []), JSON.parse(text)]);
      return void response.writeHead(204).end();
    }
    if (pathname === '/pixel.svg' || pathname === '/favicon.ico')
      return void response
        .writeHead(200, { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=3600' })
        .end(
          '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4" fill="#7a5"/></svg>',
        );
    const body = PAGES[pathname];
    response.writeHead(body ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><html lang="en"><title>Bench ${pathname}</title><style>${STYLE}</style><body>${body ?? 'Not found'}<script>${SCRIPT}</script></body></html>`,
    );
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}`,
    left,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
