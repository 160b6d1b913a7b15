// The mails that the worker has sent to an address.
import { expect } from "vitest";
import { testEnv } from "./env.ts";
import { eventually } from "./eventually.ts";
import type { ReceivedMail } from "./mail-server.ts";

const PROOF = "Confirm your address for Crier";

/** Resolves when so many mails to `email` are there, beside those that ask to prove the address: signing up sends one. */
export const mailsTo = (email: string, count: number) => received(email, count, ({ subject }) => subject !== PROOF);

/** The mails that ask to prove the address. */
export const proofsTo = (email: string, count: number) => received(email, count, ({ subject }) => subject === PROOF);

async function received(
  email: string,
  count: number,
  counts: (mail: ReceivedMail) => boolean,
): Promise<ReceivedMail[]> {
  return eventually(async () => {
    const { mails } = await (await fetch(`${testEnv.MAILS}?to=${encodeURIComponent(email)}`)).json<{
      mails: ReceivedMail[];
    }>();
    const counted = mails.filter(counts);
    expect(counted).toHaveLength(count);
    return counted;
  });
}

/** The token of the link in a mail. */
export const tokenIn = (mail: ReceivedMail | undefined) => /token=([\w-]{43})/.exec(mail?.text ?? "")?.[1] ?? "";
