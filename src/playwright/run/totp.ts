// Codes of authenticator apps, as secrets.
import type { TOTP } from 'otpauth';
import { OptionsError } from '../../options';
import type { SecretFunction } from '../../text/secrets';

/** A code that is about to end could be refused by the time that the form is sent. */
const LEAST_LEFT_MS = 3_000;

/**
 * A secret that is the current code of an authenticator app: `secrets: { CODE: totp(process.env.SHOP_TOTP) }`. It is computed when it
 * is typed, and waits for the next code if the current one ends within 3 seconds.
 *
 * @param uri `otpauth://totp/...`, which the QR code for the app holds
 * @returns undefined without a URI: then the secret has no value
 * @throws OptionsError if it is another text
 */
export function totp(uri: string | undefined): SecretFunction | undefined {
  // An unset CI variable is an empty text.
  if (!uri) return undefined;
  // The URI is a secret itself, so the message does not quote it.
  if (!/^otpauth:\/\/totp\/.*[?&]secret=[a-z2-7]+=*(?:&|$)/i.test(uri))
    throw new OptionsError(
      'totp() takes a URI such as otpauth://totp/Shop:ann?secret=JBSWY3DPEHPK3PXP, the text of the QR code for an authenticator app',
    );
  let made: TOTP | undefined;
  const generator = async () => {
    const { URI } = await import('otpauth');
    made ??= URI.parse(uri) as TOTP;
    return made;
  };
  const code = async () => {
    const generated = await generator();
    const leftMs = generated.remaining();
    if (leftMs < LEAST_LEFT_MS) await new Promise(resolve => setTimeout(resolve, leftMs));
    return generated.generate();
  };
  const beside = async () => {
    const { period } = await generator();
    return [-1, 0, 1].map(windows => made!.generate({ timestamp: Date.now() + windows * period * 1000 }));
  };
  return Object.assign(code, { beside });
}
