// Mails about posts and channels: how they are turned off.
import { describe, expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { NOTIFICATION_KINDS } from "../../../src/domain/notification.ts";
import { testEnv } from "../../support/env.ts";
import type { ReceivedMail } from "../../support/mail-server.ts";
import { mailsTo } from "../../support/mails.ts";
import { accept, inviteTo, join } from "../../support/members.ts";
import { fetchCrier } from "../../support/oauth.ts";
import { call, signUp } from "../../support/world.ts";
import { ALL, everyoneMailed, failing, inWorkspace, NONE, owner, set, settings, unsubscribeLink } from "./mailed.ts";

const pathIn = (mail: ReceivedMail | undefined) => new URL(unsubscribeLink(mail)).pathname;

describe("settings", () => {
  it("are each member's own, in each workspace; an owner begins with failures and ends of access", async () => {
    const account = await signUp();
    expect(await settings(account)).toEqual({
      ...NONE,
      delivery_failed: true,
      token_expiring: true,
      version_ending: true,
    });
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
    expect(await settings(account)).toEqual({ ...NONE, token_expiring: true, version_ending: true });
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
