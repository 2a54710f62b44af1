import { byId, sendAsJson } from './api.mjs';

sendAsJson(byId('trial', HTMLFormElement), 'POST', '/api/trials', body => location.assign(body.location));
