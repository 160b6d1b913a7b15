// Mails about posts and channels: to whom they go, once, and how they are turned off.
import { describe, expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import type { PreflightTask } from "../../../src/domain/job.ts";
import { NOTIFICATION_KINDS } from "../../../src/domain/notification.ts";
import { preflight } from "../../../src/follow-up/preflight.ts";
import { sendNotices } from "../../../src/maintenance/send-notices.ts";
import { sweepDatabase } from "../../../src/maintenance/sweep.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import type { ReceivedMail } from "../../support/mail-server.ts";
import { mailsTo } from "../../support/mails.ts";
import { accept, inviteTo, join } from "../../support/members.ts";
import { fetchCrier } from "../../support/oauth.ts";
import { toolsOf } from "../../support/one-session.ts";
import { type Account, call, connect, fault, finished, post, signUp, unique } from "../../support/world.ts";

const DAY = 86_400_000;
const REFUSED = { ok: false, error_code: 400, description: "Bad Request: message is too long" };

const prove = ({ email }: { email: string }) =>
  testEnv.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE email = ?").bind(email).run();
const owner = async () => {
  const account = await signUp();
  await prove(account);
  return account;
};
const inWorkspace = ({ session, workspace }: Account) => ({ token: session, headers: { "x-workspace": workspace } });
const settings = async (account: Account) => (await call("GET", "/v1/notifications", inWorkspace(account))).body;
const set = (account: Account, body: object) => call("PUT", "/v1/notifications", { ...inWorkspace(account), body });
const ALL = { delivery_failed: true, delivery_at_risk: true, token_expiring: true, approval_requested: true };
const NONE = { delivery_failed: false, delivery_at_risk: false, token_expiring: false, approval_requested: false };

/** A post that every one of these channels' network refuses. */
async function failing(account: Account, text: string, count = 1) {
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
const notices = async (subject: string) =>
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
const everyoneMailed = (subject: string) =>
  eventually(async () => {
    const [notice] = await notices(subject);
    expect(notice).toMatchObject({ next_at: null });
    return notice;
  });
const due = (subject: string) =>
  testEnv.DB.prepare("UPDATE notices SET next_at = 0 WHERE subject = ?").bind(subject).run();
const unsubscribeLink = (mail: ReceivedMail | undefined) =>
  /^<(http:\/\/crier\.test\/unsubscribe\/\S+)>$/.exec(mail?.headers["list-unsubscribe"] ?? "")?.[1] ?? "";
const pathIn = (mail: ReceivedMail | undefined) => new URL(unsubscribeLink(mail)).pathname;

describe("a delivery that failed", () => {
  it("is mailed once for its post, whatever its channels, to an owner who has asked for nothing", async () => {
    const account = await owner();
    const text = `<b>x</b> & ${unique("post")}`;
    const { id, channels } = await failing(account, text, 3);
    await everyoneMailed(id);
    const [mail] = await mailsTo(account.email, 1);
    expect(mail?.subject).toMatch(/^Ada's workspace: a post failed on (\d of its 3 channels|all of its 3 channels)$/);
    expect(mail?.text).toContain(`“${text}”`);
    expect(mail?.html).not.toContain("<b>");
    expect(channels.some(({ handle }) => mail?.text.includes(`${handle} on telegram:`))).toBe(true);
    expect(mail?.text).toContain(id);
    expect(mail?.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
    expect(mail?.text).toContain(unsubscribeLink(mail));
    expect(mail?.headers["message-id"]).toMatch(new RegExp(`^<delivery_failed\\.${id}\\.usr_\\w+@example\\.com>$`));
  });

  it("that fails again after a retry is not mailed again", async () => {
    const account = await owner();
    const { id, channels } = await failing(account, "again");
    await everyoneMailed(id);
    const [channel] = channels;
    await fault({
      platform: "telegram",
      account: channel?.handle,
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

  it("is not mailed to an address that nobody has proven, nor to members who want none", async () => {
    const [unproven, unwilling] = [await signUp(), await owner()];
    await set(unwilling, { ...ALL, delivery_failed: false });
    for (const account of [unproven, unwilling]) {
      const { id } = await failing(account, "quiet");
      expect(await everyoneMailed(id)).toMatchObject({ mailed: "[]" });
      await mailsTo(account.email, 0);
    }
  });

  it("is mailed to other members who have asked for it, and to no others", async () => {
    const account = await owner();
    const [asking, silent] = [await owner(), await owner()];
    for (const member of [asking, silent]) await join(account, member);
    const here = { ...asking, workspace: account.workspace };
    expect(await settings(here)).toEqual(NONE);
    expect((await set(here, { ...NONE, delivery_failed: true })).status).toBe(200);
    const { id } = await failing(account, "for members");
    await everyoneMailed(id);
    await mailsTo(account.email, 1);
    // Beside the invitation.
    await mailsTo(asking.email, 2);
    await mailsTo(silent.email, 1);
  });

  it("whose mail is not taken stays as it is; it is tried again, and nobody gets a second one", async () => {
    const account = await owner();
    const second = await owner();
    await join(account, second);
    await set({ ...second, workspace: account.workspace }, ALL);
    await set(account, NONE);
    await set({ ...second, workspace: account.workspace }, NONE);
    const { id } = await failing(account, "not taken");
    await everyoneMailed(id);
    await set(account, ALL);
    await set({ ...second, workspace: account.workspace }, ALL);
    await due(id);

    const ctx = compose(testEnv, () => {});
    const sent: string[] = [];
    const refuses = new Set([second.email]);
    const mail = {
      async send({ to }: { to: string }) {
        if (refuses.has(to)) throw new Error("450 mailbox busy");
        sent.push(to);
      },
    };
    await expect(sendNotices({ ...ctx, mail }, account.workspace)).rejects.toThrow();
    expect(sent).toEqual([account.email]);
    expect(await notices(id)).toMatchObject([{ next_at: expect.any(Number) }]);
    refuses.clear();
    await due(id);
    await Promise.all([1, 2, 3].map(() => sendNotices({ ...ctx, mail }, account.workspace)));
    expect(sent).toEqual([account.email, second.email]);
    expect(await notices(id)).toMatchObject([{ next_at: null }]);
    const { body } = await call("GET", `/v1/posts/${id}`, { token: account.key });
    expect(body).toMatchObject({ status: "failed", deliveries: [{ status: "failed", attempts: 1 }] });
  });

  it("is found by the sweep when nobody was woken for it, mailed within a day, and forgotten after thirty", async () => {
    const account = await owner();
    await set(account, NONE);
    const { id } = await failing(account, "lost");
    await everyoneMailed(id);
    await set(account, ALL);
    await due(id);
    const ctx = compose(testEnv, () => {});
    await sweepDatabase(ctx, openDatabase(testEnv.DB), {});
    await mailsTo(account.email, 1);
    await everyoneMailed(id);

    const { id: late } = await failing(account, "late");
    await everyoneMailed(late);
    await mailsTo(account.email, 2);
    const age = (days: number) =>
      testEnv.DB.prepare("UPDATE notices SET told = '[]', next_at = 0, created_at = created_at - ? WHERE subject = ?")
        .bind(days * DAY, late)
        .run();
    await age(1);
    await sendNotices(ctx, account.workspace);
    expect(await notices(late)).toMatchObject([{ next_at: null }]);
    await mailsTo(account.email, 2);
    await age(29.1);
    await sweepDatabase({ ...ctx, mail: null }, openDatabase(testEnv.DB), {});
    expect(await notices(late)).toEqual([]);
  });

  it("that was retried with success before its mail is not mailed", async () => {
    const account = await owner();
    await set(account, NONE);
    const { id, channels } = await failing(account, "mended");
    await everyoneMailed(id);
    const path = `/v1/posts/${id}/deliveries/${channels[0]?.id}/retry`;
    expect((await call("POST", path, { token: account.key, body: {} })).status).toBe(200);
    expect((await finished(account.key, id)).status).toBe("published");
    await set(account, ALL);
    await due(id);
    await sendNotices(
      compose(testEnv, () => {}),
      account.workspace,
    );
    expect(await notices(id)).toMatchObject([{ next_at: null, mailed: "[]" }]);
    await mailsTo(account.email, 0);
  });
});

describe("other news", () => {
  it("a scheduled post that would fail is mailed once, for both checks ahead, to members who have asked for it", async () => {
    const account = await owner();
    await set(account, { ...NONE, delivery_at_risk: true });
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
      await preflight(toolsOf(ctx, db), { workspaceId: account.workspace, lane: 0 }, task);
      await sweepDatabase(ctx, db, {});
      await everyoneMailed(id);
    }
    const [mail] = await mailsTo(account.email, 1);
    expect(mail?.subject).toBe("Ada's workspace: a scheduled post would fail on its channel");
    expect(mail?.text).toContain("Connect the channel again");
    expect(mail?.text).toContain(`${publish_at.slice(0, 16).replace("T", " ")} (UTC)`);
  });

  it("a channel whose access ends is mailed a week and a day ahead", async () => {
    const account = await owner();
    const handle = `@${unique("acct")}`;
    const ends = new Date(Date.now() + 6.5 * DAY).toISOString();
    const body = {
      platform: "telegram",
      handle,
      credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: handle },
      token_expires_at: ends,
    };
    const channel = await call<{ id: string }>("POST", "/v1/channels", { token: account.key, body });
    expect(channel.status).toBe(201);
    const ctx = compose(testEnv, () => {});
    for (const count of [1, 2]) {
      await testEnv.DB.prepare("UPDATE channels SET warn_at = 1 WHERE id = ?").bind(channel.body.id).run();
      await sweepDatabase(ctx, openDatabase(testEnv.DB), {});
      const mails = await mailsTo(account.email, count);
      expect(mails.at(-1)).toMatchObject({
        subject: `Ada's workspace: connect ${handle} on telegram again`,
        text: expect.stringContaining(ends.slice(0, 16).replace("T", " ")),
      });
    }
  });
});

describe("settings", () => {
  it("are each member's own, in each workspace; an owner begins with failures and ends of access", async () => {
    const account = await signUp();
    expect(await settings(account)).toEqual({ ...NONE, delivery_failed: true, token_expiring: true });
    expect(await set(account, ALL)).toMatchObject({ status: 200, body: ALL });
    expect(await settings(account)).toEqual(ALL);
    const other = await call<{ id: string }>("POST", "/v1/workspaces", {
      token: account.session,
      body: { name: "Another" },
    });
    expect(await settings({ ...account, workspace: other.body.id })).toMatchObject({ delivery_at_risk: false });
  });

  it.each([
    [{ ...ALL, delivery_failed: "yes" }, "invalid_field", "/delivery_failed"],
    [{ delivery_failed: true }, "missing_field", "/delivery_at_risk"],
    [{ ...ALL, everything: true }, "unknown_field", "/everything"],
  ])("%j is refused, and changes nothing", async (body, error, field) => {
    const account = await signUp();
    const before = await settings(account);
    expect(await set(account, body)).toMatchObject({ status: 422, body: { error, field } });
    expect(await settings(account)).toEqual(before);
  });

  it("belong to a person: a key has none, and the workspace must be named", async () => {
    const [account, stranger] = [await signUp(), await signUp()];
    expect(await call("GET", "/v1/notifications", { token: account.key })).toMatchObject({
      status: 403,
      body: { error: "key_not_allowed" },
    });
    expect(await call("GET", "/v1/notifications", { token: account.session })).toMatchObject({
      status: 422,
      body: { error: "workspace_required" },
    });
    expect(
      await call("GET", "/v1/notifications", inWorkspace({ ...stranger, workspace: account.workspace })),
    ).toMatchObject({ status: 403, body: { error: "not_a_member" } });
  });

  it("end with the membership", async () => {
    const [account, member] = [await owner(), await owner()];
    const id = await join(account, member);
    const here = { ...member, workspace: account.workspace };
    await set(here, ALL);
    await call("DELETE", `/v1/workspaces/${account.workspace}/members/${id}`, { token: account.session });
    const { id: again } = await inviteTo(account, member.email);
    await accept(member, again);
    expect(await settings(here)).toEqual(NONE);
  });
});

describe("the unsubscribe address of a mail", () => {
  const mailed = async () => {
    const account = await owner();
    await set(account, ALL);
    const { id } = await failing(account, "unsubscribe");
    await everyoneMailed(id);
    return { account, path: pathIn((await mailsTo(account.email, 1))[0]) };
  };
  const fetchPage = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const body = method === "POST" ? "List-Unsubscribe=One-Click" : undefined;
    const answer = await fetchCrier(path, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: answer.status, text: await answer.text() };
  };

  it("shows a page, and one POST from anywhere turns that kind off, for that person, in that workspace", async () => {
    const { account, path } = await mailed();
    const page = await fetchPage("GET", path);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("failed deliveries") });
    expect(page.text).toContain("Ada&#39;s workspace");
    expect(await settings(account)).toEqual(ALL);
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: "https://mail.example" };
    for (let i = 0; i < 2; i++) {
      expect(await fetchPage("POST", path, headers)).toMatchObject({ status: 200 });
      expect(await settings(account)).toEqual({ ...ALL, delivery_failed: false });
    }
    const { id } = await failing(account, "after");
    expect(await everyoneMailed(id)).toMatchObject({ mailed: "[]" });
    await mailsTo(account.email, 1);
  });

  it("turns off what was on by itself", async () => {
    const account = await owner();
    const { id } = await failing(account, "by itself");
    await everyoneMailed(id);
    const path = pathIn((await mailsTo(account.email, 1))[0]);
    await fetchPage("POST", path);
    expect(await settings(account)).toEqual({ ...NONE, token_expiring: true });
  });

  it("that is changed anywhere, or of something else that we sealed, does nothing", async () => {
    const { account, path } = await mailed();
    const [, , token = ""] = path.split("/");
    const changed = [...token].map((one, i) => token.slice(0, i) + (one === "A" ? "B" : "A") + token.slice(i + 1));
    const { seal } = compose(testEnv, () => {});
    const device = await seal?.seal("usr_x ws_x delivery_failed", { purpose: "device", workspace: "", row: "" });
    for (const other of [...changed.filter((_, i) => i % 17 === 0), `${token}x`, "x", "v1.test.x.x", device ?? ""]) {
      if (other === token) continue;
      for (const method of ["GET", "POST"]) {
        const answer = await fetchPage(method, `/unsubscribe/${other}`);
        expect(answer.status, other).toBe(410);
      }
    }
    expect(await settings(account)).toEqual(ALL);
  });

  it("of somebody who has left, or of a workspace that is gone, is no error and tells nothing", async () => {
    const { account, path } = await mailed();
    expect((await call("DELETE", "/v1/auth/me", { token: account.session })).status).toBe(204);
    for (const method of ["GET", "POST"]) expect((await fetchPage(method, path)).status).toBe(200);
  });
});

it("every kind that can be set can be read back", async () => {
  const account = await signUp();
  expect(Object.keys(await settings(account)).sort()).toEqual([...NOTIFICATION_KINDS].sort());
});
