// The mails that the worker has sent to an address.
import { expect } from "vitest";
import { testEnv } from "./env.ts";
import { eventually } from "./eventually.ts";
import type { ReceivedMail } from "./mail-server.ts";

/** Resolves when so many mails to `email` are there. */
export async function mailsTo(email: string, count: number): Promise<ReceivedMail[]> {
  return eventually(async () => {
    const { mails } = await (await fetch(`${testEnv.MAILS}?to=${encodeURIComponent(email)}`)).json<{
      mails: ReceivedMail[];
    }>();
    expect(mails).toHaveLength(count);
    return mails;
  });
}

/** The token of the link in a mail. */
export const tokenIn = (mail: ReceivedMail | undefined) => /token=([\w-]{43})/.exec(mail?.text ?? "")?.[1] ?? "";
