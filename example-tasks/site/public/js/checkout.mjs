import { byId, sendAsJson } from './api.mjs';

sendAsJson(byId('checkout', HTMLFormElement), 'POST', '/api/orders', body => location.assign(body.location));
