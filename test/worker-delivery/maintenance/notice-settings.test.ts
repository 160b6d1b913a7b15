// How members turn off mails about posts and channels.
import { describe, expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { NOTIFICATION_KINDS } from "../../../src/domain/notification.ts";
import { testEnv } from "../../support/env.ts";
import type { ReceivedMail } from "../../support/mail-server.ts";
import { mailsTo } from "../../support/mails.ts";
import { accept, inviteTo, join } from "../../support/members.ts";
import { fetchCrier } from "../../support/oauth.ts";
import { call, signUp } from "../../support/world.ts";
import {
  ALL,
  createFailedPost,
  getSettings,
  getUnsubscribeLink,
  inWorkspace,
  NONE,
  saveSettings,
  signUpOwner,
  waitForMails,
} from "./mailed.ts";

const getUnsubscribePath = (mail: ReceivedMail | undefined) => new URL(getUnsubscribeLink(mail)).pathname;

describe("notification settings", () => {
  it("belong to each member in each workspace, and start with failures, expiring access and ending versions for an owner", async () => {
    const account = await signUp();
    expect(await getSettings(account)).toEqual({
      ...NONE,
      delivery_failed: true,
      token_expiring: true,
      version_ending: true,
      mentioned: true,
      queue_low: true,
    });
    expect(await saveSettings(account, ALL)).toMatchObject({ status: 200, body: ALL });
    expect(await getSettings(account)).toEqual(ALL);
    const secondWorkspace = await call<{ id: string }>("POST", "/v1/workspaces", {
      token: account.session,
      body: { name: "Another" },
    });
    expect(await getSettings({ ...account, workspace: secondWorkspace.body.id })).toMatchObject({
      delivery_at_risk: false,
    });
  });

  it.each([
    [{ ...ALL, delivery_failed: "yes" }, "invalid_field", "/delivery_failed"],
    [{ delivery_failed: true }, "missing_field", "/delivery_at_risk"],
    [{ ...ALL, everything: true }, "unknown_field", "/everything"],
  ])("rejects %j and changes nothing", async (body, error, field) => {
    const account = await signUp();
    const before = await getSettings(account);
    expect(await saveSettings(account, body)).toMatchObject({ status: 422, body: { error, field } });
    expect(await getSettings(account)).toEqual(before);
  });

  it("belong to a person, so a key has none and the workspace must be named", async () => {
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
    const [account, member] = [await signUpOwner(), await signUpOwner()];
    const id = await join(account, member);
    const membership = { ...member, workspace: account.workspace };
    await saveSettings(membership, ALL);
    await call("DELETE", `/v1/workspaces/${account.workspace}/members/${id}`, { token: account.session });
    const { id: again } = await inviteTo(account, member.email);
    await accept(member, again);
    expect(await getSettings(membership)).toEqual({ ...NONE, mentioned: true });
  });
});

describe("the unsubscribe URL of a mail", () => {
  const sendMail = async () => {
    const account = await signUpOwner();
    await saveSettings(account, ALL);
    const { id } = await createFailedPost(account, "unsubscribe");
    await waitForMails(id);
    return { account, path: getUnsubscribePath((await mailsTo(account.email, 1))[0]) };
  };
  const fetchPage = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const body = method === "POST" ? "List-Unsubscribe=One-Click" : undefined;
    const answer = await fetchCrier(path, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: answer.status, text: await answer.text() };
  };

  it("shows a page, and one POST from any origin turns off that kind for that person in that workspace", async () => {
    const { account, path } = await sendMail();
    const page = await fetchPage("GET", path);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("failed deliveries") });
    expect(page.text).toContain("Ada&#39;s workspace");
    expect(await getSettings(account)).toEqual(ALL);
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: "https://mail.example" };
    for (let i = 0; i < 2; i++) {
      expect(await fetchPage("POST", path, headers)).toMatchObject({ status: 200 });
      expect(await getSettings(account)).toEqual({ ...ALL, delivery_failed: false });
    }
    const { id } = await createFailedPost(account, "after");
    expect(await waitForMails(id)).toMatchObject({ mailed: "[]" });
    await mailsTo(account.email, 1);
  });

  it("turns off a kind that was on by default", async () => {
    const account = await signUpOwner();
    const { id } = await createFailedPost(account, "by itself");
    await waitForMails(id);
    const path = getUnsubscribePath((await mailsTo(account.email, 1))[0]);
    await fetchPage("POST", path);
    expect(await getSettings(account)).toEqual({
      ...NONE,
      token_expiring: true,
      version_ending: true,
      mentioned: true,
      queue_low: true,
    });
  });

  it("does nothing if it was changed, or if its token was sealed for another purpose", async () => {
    const { account, path } = await sendMail();
    const [, , token = ""] = path.split("/");
    const changed = [...token].map(
      (character, i) => token.slice(0, i) + (character === "A" ? "B" : "A") + token.slice(i + 1),
    );
    const { seal } = compose(testEnv, () => {});
    const device = await seal?.seal("usr_x ws_x delivery_failed", { purpose: "device", workspace: "", row: "" });
    for (const wrongToken of [
      ...changed.filter((_, i) => i % 17 === 0),
      `${token}x`,
      "x",
      "v1.test.x.x",
      device ?? "",
    ]) {
      if (wrongToken === token) continue;
      for (const method of ["GET", "POST"]) {
        const answer = await fetchPage(method, `/unsubscribe/${wrongToken}`);
        expect(answer.status, wrongToken).toBe(410);
      }
    }
    expect(await getSettings(account)).toEqual(ALL);
  });

  it("succeeds and reveals nothing after the person or the workspace was deleted", async () => {
    const { account, path } = await sendMail();
    expect((await call("DELETE", "/v1/auth/me", { token: account.session })).status).toBe(204);
    for (const method of ["GET", "POST"]) expect((await fetchPage(method, path)).status).toBe(200);
  });
});

it("reads back every kind that can be saved", async () => {
  const account = await signUp();
  expect(Object.keys(await getSettings(account)).sort()).toEqual([...NOTIFICATION_KINDS].sort());
});
