// Codes of authenticator apps, as secrets.
import type { TOTP } from 'otpauth';
import { OptionsError } from '../../options';
import type { SecretFunction } from '../../text/secrets';

/** A code that is about to expire may be refused when the form is sent. */
const LEAST_LEFT_MS = 3_000;

/**
 * A secret that is the current code of an authenticator app: `secrets: { CODE: totp(process.env.SHOP_TOTP) }`. It is computed when it
 * is typed. If the current code expires within 3 seconds, it waits for the next one.
 *
 * @param uri `otpauth://totp/...`, the text of the QR code for the app
 * @returns undefined without a URI: then the secret has no value
 * @throws OptionsError for another text
 */
export function totp(uri: string | undefined): SecretFunction | undefined {
  // An unset variable in a CI file becomes an empty text.
  if (!uri) return undefined;
  // The URI is a secret itself, so the message does not quote it.
  if (!/^otpauth:\/\/totp\/.*[?&]secret=[a-z2-7]+=*(?:&|$)/i.test(uri))
    throw new OptionsError(
      'totp() takes a URI such as otpauth://totp/Shop:ann?secret=JBSWY3DPEHPK3PXP, the text of the QR code for an authenticator app',
    );
  const generator = async () => (await import('otpauth')).URI.parse(uri) as TOTP;
  const code = async () => {
    const made = await generator();
    const leftMs = made.remaining();
    if (leftMs < LEAST_LEFT_MS) await new Promise(resolve => setTimeout(resolve, leftMs));
    return made.generate();
  };
  const beside = async () => {
    const made = await generator();
    return [-1, 0, 1].map(periods => made.generate({ timestamp: Date.now() + periods * made.period * 1000 }));
  };
  return Object.assign(code, { beside });
}
