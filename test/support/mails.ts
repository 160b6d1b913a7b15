// The mails that the worker has sent to an address.
import { expect } from "vitest";
import { testEnv } from "./env.ts";
import { eventually } from "./eventually.ts";
import type { ReceivedMail } from "./mail-server.ts";

const PROOF = "Confirm your email address for Crier";

/** Resolves when so many mails to `email` are there, beside those that ask to prove the address: signing up sends one. */
export const mailsTo = (email: string, count: number) => exactly(count, () => received(email, isNoProof));

/** The mails that ask to prove the address. */
export const proofsTo = (email: string, count: number) => exactly(count, () => received(email, isProof));

/** The last of them, however often the queue has delivered its message. */
export async function lastProofTo(email: string): Promise<ReceivedMail> {
  return eventually(async () => (await received(email, isProof)).at(-1) ?? expect.fail(`no mail to ${email} yet`));
}

const isProof = ({ subject }: ReceivedMail) => subject === PROOF;
const isNoProof = (mail: ReceivedMail) => !isProof(mail);

/** Waits for more, but not for fewer: a mail that has come stays. */
async function exactly(count: number, received: () => Promise<ReceivedMail[]>): Promise<ReceivedMail[]> {
  const mails = await eventually(async () => {
    const mails = await received();
    expect(mails.length).toBeGreaterThanOrEqual(count);
    return mails;
  });
  expect(mails).toHaveLength(count);
  return mails;
}

async function received(email: string, counts: (mail: ReceivedMail) => boolean): Promise<ReceivedMail[]> {
  const answer = await fetch(`${testEnv.MAILS}?to=${encodeURIComponent(email)}`);
  const { mails } = await answer.json<{ mails: ReceivedMail[] }>();
  return mails.filter(counts);
}

/** The token of the link in a mail. */
export const tokenIn = (mail: ReceivedMail | undefined) => /token=([\w-]{43})/.exec(mail?.text ?? "")?.[1] ?? "";
