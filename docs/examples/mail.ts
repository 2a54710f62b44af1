// agents/mail.ts
import { text } from 'node:stream/consumers';
import { test as base, expect } from '@taskproof/playwright';
import { SMTPServer } from 'smtp-server';

export const test = base.extend<object, { mailCode: () => Promise<string> }>({
  mailCode: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for the braces
    async ({}, use) => {
      const codes: string[] = [];
      const server = new SMTPServer({
        authOptional: true,
        async onData(mail, _, done) {
          codes.push(/code is (\w+)/.exec(await text(mail))?.[1] ?? '');
          done();
        },
      });
      await new Promise<void>(resolve =>
        server.listen(Number(process.env.SMTP_PORT ?? 2525), '127.0.0.1', resolve),
      );
      await use(async () => {
        await expect.poll(() => codes.length, { timeout: 20_000 }).toBeGreaterThan(0);
        return codes.shift()!;
      });
      server.close();
    },
    { scope: 'worker' },
  ],
  taskproof: async ({ mailCode }, use) => use({ secrets: { MAIL_CODE: mailCode } }),
});
