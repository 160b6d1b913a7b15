// Owners, and the mails that they receive.
import { expect } from "vitest";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import type { ReceivedMail } from "../../support/mail-server.ts";
import { type Account, call, connect, fault, finished, post, signUp } from "../../support/world.ts";

export const REFUSED = { ok: false, error_code: 400, description: "Bad Request: message is too long" };

const markVerified = ({ email }: { email: string }) =>
  testEnv.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE email = ?").bind(email).run();
export const signUpOwner = async () => {
  const account = await signUp();
  await markVerified(account);
  return account;
};
export const inWorkspace = ({ session, workspace }: Account) => ({
  token: session,
  headers: { "x-workspace": workspace },
});
export const getSettings = async (account: Account) =>
  (await call("GET", "/v1/notifications", inWorkspace(account))).body;
export const saveSettings = (account: Account, body: object) =>
  call("PUT", "/v1/notifications", { ...inWorkspace(account), body });
export const ALL = {
  delivery_failed: true,
  delivery_at_risk: true,
  token_expiring: true,
  approval_requested: true,
  version_ending: true,
  mentioned: true,
  queue_low: true,
};
export const NONE = {
  delivery_failed: false,
  delivery_at_risk: false,
  token_expiring: false,
  approval_requested: false,
  version_ending: false,
  mentioned: false,
  queue_low: false,
};

/** Creates a post that the network rejects on each of `count` new channels. */
export async function createFailedPost(account: Account, text: string, count = 1) {
  const channels = await Promise.all(Array.from({ length: count }, () => connect(account.key, "telegram")));
  await fault(
    ...channels.map(({ handle }) => ({
      platform: "telegram",
      account: handle,
      call: "sendMessage",
      do: "status",
      status: 400,
      body: REFUSED,
    })),
  );
  const { id } = await post(account.key, { text, channels: channels.map(({ id }) => id) });
  expect((await finished(account.key, id)).status).toBe("failed");
  return { id, channels };
}
export const getNotices = async (subject: string) =>
  (
    await testEnv.DB.prepare("SELECT kind, next_at, told AS mailed, attempts FROM notices WHERE subject = ?")
      .bind(subject)
      .all<{
        kind: string;
        next_at: number | null;
        mailed: string;
        attempts: number;
      }>()
  ).results;
export const waitForMails = (subject: string) =>
  eventually(async () => {
    const [notice] = await getNotices(subject);
    expect(notice).toMatchObject({ next_at: null });
    return notice;
  });
export const getUnsubscribeLink = (mail: ReceivedMail | undefined) =>
  /^<(http:\/\/crier\.test\/unsubscribe\/\S+)>$/.exec(mail?.headers["list-unsubscribe"] ?? "")?.[1] ?? "";
