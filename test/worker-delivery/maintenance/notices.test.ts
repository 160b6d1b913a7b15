// Mails about posts and channels: who receives them, and that each is sent once.
import { describe, expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import type { PreflightTask } from "../../../src/domain/job.ts";
import { preflight } from "../../../src/follow-up/preflight.ts";
import { sendNotices } from "../../../src/maintenance/send-notices.ts";
import { sweepDatabase } from "../../../src/maintenance/sweep.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { testEnv } from "../../support/env.ts";
import { mailsTo } from "../../support/mails.ts";
import { join } from "../../support/members.ts";
import { makeFollowUpTools } from "../../support/one-session.ts";
import { call, connect, fault, finished, post, signUp, unique } from "../../support/world.ts";
import {
  ALL,
  createFailedPost,
  getNotices,
  getSettings,
  getUnsubscribeLink,
  NONE,
  REFUSED,
  saveSettings,
  signUpOwner,
  waitForMails,
} from "./mailed.ts";

const DAY = 86_400_000;
const makeDue = (subject: string) =>
  testEnv.DB.prepare("UPDATE notices SET next_at = 0 WHERE subject = ?").bind(subject).run();

describe("mails about a failed delivery", () => {
  it("are sent once per post to an owner with default settings, however many channels failed", async () => {
    const account = await signUpOwner();
    const text = `<b>x</b> & ${unique("post")}`;
    const { id, channels } = await createFailedPost(account, text, 3);
    await waitForMails(id);
    const [mail] = await mailsTo(account.email, 1);
    expect(mail?.subject).toMatch(/^Ada's workspace: a post failed on (\d of its 3 channels|all of its 3 channels)$/);
    expect(mail?.text).toContain(`“${text}”`);
    expect(mail?.html).not.toContain("<b>");
    expect(channels.some(({ handle }) => mail?.text.includes(`${handle} on telegram:`))).toBe(true);
    expect(mail?.text).toContain(`/posts/${id}?workspace=${account.workspace}\n`);
    expect(mail?.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
    expect(mail?.text).toContain(getUnsubscribeLink(mail));
    expect(mail?.headers["message-id"]).toMatch(new RegExp(`^<delivery_failed\\.${id}\\.usr_\\w+@example\\.com>$`));
  });

  it("are not sent again after a retry that fails", async () => {
    const account = await signUpOwner();
    const { id, channels } = await createFailedPost(account, "again");
    await waitForMails(id);
    const [channel] = channels;
    await fault({
      platform: "telegram",
      account: channel?.handle ?? expect.fail("no channel"),
      call: "sendMessage",
      do: "status",
      status: 400,
      body: REFUSED,
    });
    const retried = await call("POST", `/v1/posts/${id}/deliveries/${channel?.id}/retry`, {
      token: account.key,
      body: {},
    });
    expect(retried.status).toBe(200);
    await finished(account.key, id);
    await sendNotices(
      compose(testEnv, () => {}),
      account.workspace,
    );
    await mailsTo(account.email, 1);
  });

  it("are not sent to unverified addresses, or to members who turned them off", async () => {
    const [unproven, unwilling] = [await signUp(), await signUpOwner()];
    await saveSettings(unwilling, { ...ALL, delivery_failed: false });
    for (const account of [unproven, unwilling]) {
      const { id } = await createFailedPost(account, "quiet");
      expect(await waitForMails(id)).toMatchObject({ mailed: "[]" });
      await mailsTo(account.email, 0);
    }
  });

  it("are sent to other members only if they have asked for them", async () => {
    const account = await signUpOwner();
    const [asking, silent] = [await signUpOwner(), await signUpOwner()];
    for (const member of [asking, silent]) await join(account, member);
    const askingMember = { ...asking, workspace: account.workspace };
    expect(await getSettings(askingMember)).toEqual({ ...NONE, mentioned: true });
    expect((await saveSettings(askingMember, { ...NONE, delivery_failed: true })).status).toBe(200);
    const { id } = await createFailedPost(account, "for members");
    await waitForMails(id);
    await mailsTo(account.email, 1);
    // The first mail is the invitation.
    await mailsTo(asking.email, 2);
    await mailsTo(silent.email, 1);
  });

  it("are retried if the mail server rejects one, without a second mail to the other members", async () => {
    const account = await signUpOwner();
    const second = await signUpOwner();
    await join(account, second);
    await saveSettings({ ...second, workspace: account.workspace }, ALL);
    await saveSettings(account, NONE);
    await saveSettings({ ...second, workspace: account.workspace }, NONE);
    const { id } = await createFailedPost(account, "not taken");
    await waitForMails(id);
    await saveSettings(account, ALL);
    await saveSettings({ ...second, workspace: account.workspace }, ALL);
    await makeDue(id);

    const ctx = compose(testEnv, () => {});
    const recipients: string[] = [];
    const refusedAddresses = new Set([second.email]);
    const mail = {
      async send({ to }: { to: string }) {
        if (refusedAddresses.has(to)) throw new Error("450 mailbox busy");
        recipients.push(to);
      },
    };
    await expect(sendNotices({ ...ctx, mail }, account.workspace)).rejects.toThrow();
    expect(recipients).toEqual([account.email]);
    expect(await getNotices(id)).toMatchObject([{ next_at: expect.any(Number) }]);
    refusedAddresses.clear();
    await makeDue(id);
    await Promise.all([1, 2, 3].map(() => sendNotices({ ...ctx, mail }, account.workspace)));
    expect(recipients).toEqual([account.email, second.email]);
    expect(await getNotices(id)).toMatchObject([{ next_at: null }]);
    const { body } = await call("GET", `/v1/posts/${id}`, { token: account.key });
    expect(body).toMatchObject({ status: "failed", deliveries: [{ status: "failed", attempts: 1 }] });
  });

  it("are found by the sweep after a lost wake-up, sent within a day, and forgotten after thirty days", async () => {
    const account = await signUpOwner();
    await saveSettings(account, NONE);
    const { id } = await createFailedPost(account, "lost");
    await waitForMails(id);
    await saveSettings(account, ALL);
    await makeDue(id);
    const ctx = compose(testEnv, () => {});
    await sweepDatabase(ctx, openDatabase(testEnv.DB), {});
    await mailsTo(account.email, 1);
    await waitForMails(id);

    const { id: late } = await createFailedPost(account, "late");
    await waitForMails(late);
    await mailsTo(account.email, 2);
    const age = (days: number) =>
      testEnv.DB.prepare("UPDATE notices SET told = '[]', next_at = 0, created_at = created_at - ? WHERE subject = ?")
        .bind(days * DAY, late)
        .run();
    await age(1);
    await sendNotices(ctx, account.workspace);
    expect(await getNotices(late)).toMatchObject([{ next_at: null }]);
    await mailsTo(account.email, 2);
    await age(29.1);
    await sweepDatabase({ ...ctx, mail: null }, openDatabase(testEnv.DB), {});
    expect(await getNotices(late)).toEqual([]);
  });

  it("are not sent if a retry has succeeded before", async () => {
    const account = await signUpOwner();
    await saveSettings(account, NONE);
    const { id, channels } = await createFailedPost(account, "mended");
    await waitForMails(id);
    const path = `/v1/posts/${id}/deliveries/${channels[0]?.id}/retry`;
    expect((await call("POST", path, { token: account.key, body: {} })).status).toBe(200);
    expect((await finished(account.key, id)).status).toBe("published");
    await saveSettings(account, ALL);
    await makeDue(id);
    await sendNotices(
      compose(testEnv, () => {}),
      account.workspace,
    );
    expect(await getNotices(id)).toMatchObject([{ next_at: null, mailed: "[]" }]);
    await mailsTo(account.email, 0);
  });
});

describe("mails about risks and expiring access", () => {
  it("are sent once for both pre-flight checks of a post that will fail, to members who have asked for them", async () => {
    const account = await signUpOwner();
    await saveSettings(account, { ...NONE, delivery_at_risk: true });
    const channel = await connect(account.key, "telegram");
    const publish_at = new Date(Date.now() + 55 * 60_000).toISOString();
    const { id } = await post(account.key, { text: "later", channels: [channel.id], publish_at });
    await testEnv.DB.prepare("UPDATE channels SET token_expires_at = ? WHERE id = ?")
      .bind(Date.now() + 1_000, channel.id)
      .run();
    const ctx = compose(testEnv, () => {});
    const db = openDatabase(testEnv.DB);
    for (const minutes of [60, 10]) {
      const task = { kind: "preflight" as const, channel: channel.id, posts: [id], minutes } satisfies PreflightTask;
      await preflight(makeFollowUpTools(ctx, db), { workspaceId: account.workspace, lane: 0 }, task);
      await sweepDatabase(ctx, db, {});
      await waitForMails(id);
    }
    const [mail] = await mailsTo(account.email, 1);
    expect(mail?.subject).toBe("Ada's workspace: a scheduled post will fail on its channel");
    expect(mail?.text).toContain("Connect the channel again");
    expect(mail?.text).toContain(`${publish_at.slice(0, 16).replace("T", " ")} (UTC)`);
  });

  it("are sent a week and a day before the access of a channel ends", async () => {
    const account = await signUpOwner();
    const handle = `@${unique("acct")}`;
    const endsAt = new Date(Date.now() + 6.5 * DAY).toISOString();
    const body = {
      platform: "telegram",
      handle,
      credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: handle },
      token_expires_at: endsAt,
    };
    const channel = await call<{ id: string }>("POST", "/v1/channels", { token: account.key, body });
    expect(channel.status).toBe(201);
    const ctx = compose(testEnv, () => {});
    for (const count of [1, 2]) {
      await testEnv.DB.prepare("UPDATE channels SET warn_at = 1 WHERE id = ?").bind(channel.body.id).run();
      await sweepDatabase(ctx, openDatabase(testEnv.DB), {});
      const mails = await mailsTo(account.email, count);
      expect(mails.at(-1)).toMatchObject({
        subject: `Ada's workspace: reconnect ${handle} on telegram`,
        text: expect.stringContaining(endsAt.slice(0, 16).replace("T", " ")),
      });
    }
  });
});
