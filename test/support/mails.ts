// Reads the mails that the worker has sent to an address.
import { expect } from "vitest";
import { testEnv } from "./env.ts";
import { eventually } from "./eventually.ts";
import type { ReceivedMail } from "./mail-server.ts";

const PROOF = "Confirm your email address for Crier";

/** Waits for `count` mails to `email`. Mails that ask to prove the address do not count, because each sign-up sends one. */
export const mailsTo = (email: string, count: number) => exactly(count, () => received(email, isNoProof));

/** Waits for `count` mails that ask to prove the address. */
export const proofsTo = (email: string, count: number) => exactly(count, () => received(email, isProof));

/** Returns the latest of these mails. The queue may have delivered its message more than once. */
export async function lastProofTo(email: string): Promise<ReceivedMail> {
  return eventually(async () => (await received(email, isProof)).at(-1) ?? expect.fail(`no mail to ${email} yet`));
}

const isProof = ({ subject }: ReceivedMail) => subject === PROOF;
const isNoProof = (mail: ReceivedMail) => !isProof(mail);

/** Waits until there are at least `count` mails, and fails if there are more. */
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

/** Returns the token of the link in a mail. */
export const tokenIn = (mail: ReceivedMail | undefined) => /token=([\w-]{43})/.exec(mail?.text ?? "")?.[1] ?? "";
