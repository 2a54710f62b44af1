import { expect, test } from 'vitest';
import { hintFor } from '../../../src/trial/open';

test.each([
  ['net::ERR_CONNECTION_REFUSED', 'Is the site running'],
  ['Timeout 30000ms exceeded', 'Is the site running'],
  ['net::ERR_PROXY_CONNECTION_FAILED', '`proxy`'],
  ['net::ERR_TUNNEL_CONNECTION_FAILED', '`proxy`'],
  ['NS_ERROR_PROXY_CONNECTION_REFUSED', '`proxy`'],
  ['NS_ERROR_UNKNOWN_PROXY_HOST', '`proxy`'],
  ['Could not resolve proxy', '`proxy`'],
  ['The Internet connection appears to be offline.', '`offline`'],
  ['net::ERR_INTERNET_DISCONNECTED', '`offline`'],
  ['NS_ERROR_OFFLINE', '`offline`'],
  ['net::ERR_CERT_AUTHORITY_INVALID', '`ignoreHTTPSErrors: true`'],
  ['SSL_ERROR_UNKNOWN', '`ignoreHTTPSErrors: true`'],
  ['SEC_ERROR_UNKNOWN_ISSUER', '`ignoreHTTPSErrors: true`'],
  ['Download is starting', 'Is it a page?'],
  ['net::ERR_ABORTED', 'Is it a page?'],
  ['The certificate for this server is invalid.', '`ignoreHTTPSErrors: true`'],
])('%s: %s', (said, hint) => expect(hintFor(said)).toContain(hint));
