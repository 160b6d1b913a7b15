// Invitations whose link the owner sends, also where this deployment cannot send mail.
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/adapters/digest.ts";
import { compose } from "../../src/compose.ts";
import { handlers } from "../../src/operations/index.ts";
import { testEnv } from "../support/env.ts";
import { accept, getUserId, type InvitationBody } from "../support/members.ts";
import { open } from "../support/oauth.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";

const inviteByLink = ({ session, workspace }: Account, email: string) =>
  call<{ invitation: InvitationBody; url: string }>("POST", `/v1/workspaces/${workspace}/members`, {
    token: session,
    body: { email, role: "author", link: true },
  });
const isVerified = async ({ session }: Account) =>
  (await call<{ user: { email_verified: boolean } }>("GET", "/v1/auth/me", { token: session })).body.user
    .email_verified;

describe("an invitation by link", () => {
  it("returns the link once, mails nothing, and makes a member without verifying the address", async () => {
    const [owner, member] = [await signUp(), await signUp()];
    const { status, body } = await inviteByLink(owner, member.email);
    expect(status).toBe(202);
    const url = new URL(body.url);
    expect(url.pathname).toBe("/invitation");
    expect((await open(`${url.pathname}${url.search}`, null)).status).toBe(200);
    const token = url.searchParams.get("token") ?? "";
    expect(await accept(member, body.invitation.id, token)).toMatchObject({ status: 200, body: { role: "author" } });
    expect(await isVerified(member)).toBe(false);
    const mails = await fetch(`${testEnv.MAILS}?to=${encodeURIComponent(member.email)}`);
    expect(JSON.stringify(await mails.json())).not.toContain("/invitation");
  });

  it("is for its address only", async () => {
    const [owner, stranger] = [await signUp(), await signUp()];
    const { body } = await inviteByLink(owner, `${unique("invited")}@example.com`);
    const token = new URL(body.url).searchParams.get("token") ?? "";
    expect((await accept(stranger, body.invitation.id, token)).status).toBeGreaterThanOrEqual(400);
  });

  it("ends the link of an earlier invitation to the same address", async () => {
    const owner = await signUp();
    const email = `${unique("invited")}@example.com`;
    const first = new URL((await inviteByLink(owner, email)).body.url);
    await inviteByLink(owner, email);
    expect((await open(`${first.pathname}${first.search}`, null)).status).toBe(410);
  });

  it("works where mail is not set up, which the health check says", async () => {
    const owner = await signUp();
    const ctx = { ...compose(testEnv, () => {}), mail: null };
    const caller = {
      kind: "session",
      userId: await getUserId(owner),
      name: "Ada",
      tokenHash: await sha256Hex(owner.session),
      workspaceId: owner.workspace,
      role: "owner",
    } as const;
    const body = { email: `${unique("invited")}@example.com`, link: true };
    const raw = { params: { id: owner.workspace }, query: {}, body, idempotencyKey: null };
    expect(await handlers["members.invite"].invoke(ctx, caller, raw)).toMatchObject({
      status: 202,
      body: { url: expect.stringMatching(/\/invitation\?token=[\w-]{43}$/) },
    });
    expect((await call("GET", "/healthz")).body).toMatchObject({ mail: true });
  });
});
