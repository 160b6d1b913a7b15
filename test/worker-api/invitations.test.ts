// Invitations to a workspace: their emails and limits, and that a person becomes a member only by accepting.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { sweep } from "../../src/maintenance/sweep.ts";
import { handlers } from "../../src/operations/index.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo } from "../support/mails.ts";
import { accept, getUserId, type InvitationBody, invitationToken, inviteTo, join } from "../support/members.ts";
import { fetchCrier, open } from "../support/oauth.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";

const createAddress = () => `${unique("invited")}@example.com`;
const verifyAddress = ({ email }: Account) =>
  testEnv.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE email = ?").bind(email).run();
const readChannels = (account: Account, { workspace }: Account) =>
  call("GET", "/v1/channels", { token: account.session, headers: { "x-workspace": workspace } });
const listInvitations = ({ session }: Account) =>
  call<{ invitations: Record<string, unknown>[]; next: string | null }>("GET", "/v1/invitations", { token: session });
const listMembers = async ({ session, workspace }: Account) =>
  (
    await call<{ members: { id: string; role: string }[]; invitations: InvitationBody[] }>(
      "GET",
      `/v1/workspaces/${workspace}/members`,
      { token: session },
    )
  ).body;
const invite = ({ session, workspace }: Account, body: object) =>
  call<Record<string, unknown>>("POST", `/v1/workspaces/${workspace}/members`, { token: session, body });

describe("an invitation", () => {
  it("an invitation gets the same answer and the same email with and without an existing account", async () => {
    const [owner, existing] = [await signUp(), await signUp()];
    const unknown = createAddress();
    const answers = [
      await invite(owner, { email: ` ${existing.email.toUpperCase()}`, role: "author" }),
      await invite(owner, { email: unknown, role: "author" }),
    ];
    for (const [i, email] of [existing.email, unknown].entries()) {
      expect(answers[i]).toMatchObject({ status: 202 });
      expect(answers[i]?.body).toEqual({
        invitation: {
          id: expect.stringMatching(/^inv_\w{26}$/),
          email,
          role: "author",
          expires_at: expect.stringMatching(/^\d{4}-/),
        },
      });
      const [mail] = await mailsTo(email, 1);
      expect(mail?.text).toContain(
        `${owner.email} (address not verified) has invited you to the workspace "Ada's workspace" on Crier as author.`,
      );
      expect(mail?.html).toContain('<a href="http://crier.test/invitation?token=');
    }
    expect((await readChannels(existing, owner)).status).toBe(403);
    expect((await listMembers(owner)).members).toHaveLength(1);
    expect((await listMembers(owner)).invitations.map(({ email }) => email)).toEqual([unknown, existing.email]);
  });

  it("an invitation without a role offers the viewer role", async () => {
    const owner = await signUp();
    expect((await invite(owner, { email: createAddress() })).body).toMatchObject({ invitation: { role: "viewer" } });
  });

  it.each([
    [{ email: "no address" }, "email_invalid", "/email"],
    [{ email: "a@example.com", role: "admin" }, "invalid_field", "/role"],
    [{ role: "viewer" }, "missing_field", "/email"],
    [{ email: "a@example.com", rolle: "viewer" }, "unknown_field", "/rolle"],
  ])("the invitation %j is refused as %s", async (body, error, field) => {
    expect(await invite(await signUp(), body)).toMatchObject({ status: 422, body: { error, field } });
  });

  it("an invitation of a member is refused, because the member's role can be changed instead", async () => {
    const [owner, member] = [await signUp(), await signUp()];
    await join(owner, member);
    for (const { email } of [member, owner]) {
      expect(await invite(owner, { email, role: "owner" })).toMatchObject({
        status: 409,
        body: { error: "already_member", field: "/email" },
      });
    }
  });

  it("an invitation is answered with 503 without a mail configuration, and nothing is stored", async () => {
    const owner = await signUp();
    const userId = await getUserId(owner);
    const ctx = { ...compose(testEnv, () => {}), mail: null };
    const caller = {
      kind: "session",
      userId,
      name: "Ada",
      tokenHash: "",
      workspaceId: owner.workspace,
      role: "owner",
    } as const;
    const raw = { params: { id: owner.workspace }, query: {}, body: { email: createAddress() }, idempotencyKey: null };
    await expect(handlers["members.invite"].invoke(ctx, caller, raw)).rejects.toMatchObject({
      code: "mail_not_configured",
    });
    expect((await listMembers(owner)).invitations).toEqual([]);
  });

  it("invitations are limited by sender and by recipient", async () => {
    const [owner, otherOwner] = [await signUp(), await signUp()];
    const email = createAddress();
    for (let i = 0; i < 20; i++) expect((await invite(i % 2 === 0 ? owner : otherOwner, { email })).status).toBe(202);
    expect(await invite(owner, { email })).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    for (let i = 0; i < 19; i++) expect((await invite(owner, { email: createAddress() })).status).toBe(202);
    const refused = await invite(owner, { email: createAddress() });
    expect(refused).toMatchObject({ status: 429, body: { retry_after: expect.any(Number) } });
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  });

  it("an invitation replaces an earlier one of the same address, whose link stops working", async () => {
    const owner = await signUp();
    const guest = await signUp();
    await inviteTo(owner, guest.email, "viewer");
    const first = await invitationToken(guest.email);
    const second = await inviteTo(owner, guest.email, "publisher");
    await invitationToken(guest.email, 2);
    expect((await listMembers(owner)).invitations).toEqual([second]);
    expect((await fetchCrier(`/invitation?token=${first}`)).status).toBe(410);
  });

  it("the email of an invitation has no text that a mail program turns into a link", async () => {
    const owner = await signUp();
    const workspace = await call<{ id: string }>("POST", "/v1/workspaces", {
      token: owner.session,
      body: { name: "You have won, see evil.example" },
    });
    const email = createAddress();
    await inviteTo({ session: owner.session, workspace: workspace.body.id }, email);
    const [mail] = await mailsTo(email, 1);
    expect(mail?.text).not.toContain("evil");
    expect(mail?.text).toContain("has invited you to a workspace on Crier");
  });

  it("an invitation can be withdrawn by an owner, and ends when its sender is no longer an owner", async () => {
    const [owner, second] = [await signUp(), await signUp()];
    const path = `/v1/workspaces/${owner.workspace}`;
    const { id } = await inviteTo(owner, createAddress());
    const withdraw = (account: Account) => call("DELETE", `${path}/invitations/${id}`, { token: account.session });
    expect((await withdraw(second)).status).toBe(403);
    expect((await withdraw(owner)).status).toBe(204);
    expect(await withdraw(owner)).toMatchObject({ status: 404, body: { error: "not_found" } });

    const secondId = await join(owner, second, "owner");
    const guests = [await signUp(), await signUp()];
    const invitations: InvitationBody[] = [];
    for (const [i, guest] of guests.entries()) {
      await verifyAddress(guest);
      invitations.push(await inviteTo({ ...second, workspace: owner.workspace }, guest.email, "owner"));
      const change = { token: owner.session, ...(i === 0 ? { body: { role: "viewer" } } : {}) };
      const answer = await call(i === 0 ? "PATCH" : "DELETE", `${path}/members/${secondId}`, change);
      expect(answer.status).toBeLessThan(300);
      expect((await listMembers(owner)).invitations).toEqual([]);
      expect((await accept(guest, invitations[i]?.id ?? "")).status).toBe(404);
      if (i === 0)
        await call("PATCH", `${path}/members/${secondId}`, { token: owner.session, body: { role: "owner" } });
    }
  });

  it("an invitation is valid for seven days and deleted afterwards", async () => {
    const [owner, guest] = [await signUp(), await signUp()];
    await verifyAddress(guest);
    const { id } = await inviteTo(owner, guest.email);
    const token = await invitationToken(guest.email);
    await testEnv.DB.prepare("UPDATE invitations SET expires_at = expires_at - 604800000 WHERE id = ?").bind(id).run();
    expect((await listInvitations(guest)).body.invitations).toEqual([]);
    expect((await listMembers(owner)).invitations).toEqual([]);
    expect((await accept(guest, id, token)).status).toBe(404);
    expect((await open(`/invitation?token=${token}`, guest.session)).status).toBe(410);
    await sweep(compose(testEnv, () => {}));
    expect(await testEnv.DB.prepare("SELECT id FROM invitations WHERE id = ?").bind(id).first()).toBeNull();
  });
});

describe("an invited person", () => {
  it("an invited person sees the details of the invitation once their address is verified, and others never see them", async () => {
    const [owner, guest, stranger] = [await signUp(), await signUp(), await signUp()];
    const invitation = await inviteTo(owner, guest.email, "publisher");
    expect((await listInvitations(guest)).body).toEqual({ invitations: [], next: null });
    await verifyAddress(guest);
    await verifyAddress(stranger);
    expect((await listInvitations(guest)).body).toEqual({
      invitations: [
        {
          ...invitation,
          workspace: {
            id: owner.workspace,
            name: "Ada's workspace",
            owners: [{ email: owner.email, email_verified: false }],
          },
          invited_by: { email: owner.email, name: "Ada", email_verified: false },
        },
      ],
      next: null,
    });
    expect((await listInvitations(stranger)).body.invitations).toEqual([]);
    for (const answer of ["accept", "decline"]) {
      expect(
        await call("POST", `/v1/invitations/${invitation.id}/${answer}`, { token: stranger.session }),
      ).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
    expect(await call("GET", "/v1/invitations", { token: owner.key })).toMatchObject({ status: 403 });
  });

  it("an invited person can list their invitations page by page", async () => {
    const guest = await signUp();
    await verifyAddress(guest);
    for (let i = 0; i < 3; i++) await inviteTo(await signUp(), guest.email);
    const ids: unknown[] = [];
    let next: string | null = "";
    while (next !== null) {
      const query: string = next === "" ? "" : `&cursor=${next}`;
      const { body }: Awaited<ReturnType<typeof listInvitations>> = await call(
        "GET",
        `/v1/invitations?limit=2${query}`,
        {
          token: guest.session,
        },
      );
      ids.push(...body.invitations.map(({ id }) => id));
      next = body.next;
    }
    expect(ids).toHaveLength(3);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    expect((await call("GET", "/v1/invitations?cursor=x", { token: guest.session })).status).toBe(422);
  });

  it("an invited person is a member with the offered role as soon as they accept", async () => {
    const [owner, guest] = [await signUp(), await signUp()];
    await verifyAddress(guest);
    const { id } = await inviteTo(owner, guest.email, "author");
    expect((await readChannels(guest, owner)).status).toBe(403);
    const answer = await call("POST", `/v1/invitations/${id}/accept`, { token: guest.session });
    expect(answer).toMatchObject({ status: 200, body: { id: owner.workspace, role: "author" } });
    expect((await readChannels(guest, owner)).status).toBe(200);
    expect((await accept(guest, id)).status).toBe(404);
    expect(await listMembers(owner)).toMatchObject({
      members: [{ email: guest.email, role: "author" }, { role: "owner" }],
      invitations: [],
    });
  });

  it("a person with an unverified address can accept only by the mailed token, which verifies the address", async () => {
    const [owner, guest, thief] = [await signUp(), await signUp(), await signUp()];
    const { id } = await inviteTo(owner, guest.email);
    const token = await invitationToken(guest.email);
    const unproven = { status: 403, body: { error: "email_not_verified" } };
    expect(await accept(guest, id)).toMatchObject(unproven);
    expect(await accept(guest, id, "x".repeat(43))).toMatchObject(unproven);
    expect(await accept(guest, "inv_none", token)).toMatchObject(unproven);
    // A token that was mailed to one address admits no person with another address.
    expect(await accept(thief, id, token)).toMatchObject(unproven);
    await verifyAddress(thief);
    expect((await accept(thief, id, token)).status).toBe(404);
    expect((await readChannels(thief, owner)).status).toBe(403);
    expect((await accept(guest, id, token)).status).toBe(200);
    const me = await call<{ user: object }>("GET", "/v1/auth/me", { token: guest.session });
    expect(me.body.user).toMatchObject({ email_verified: true });
    expect((await call("GET", "/v1/auth/me", { token: thief.session })).status).toBe(200);
  });

  it("a person who declines is not asked again and joins no workspace", async () => {
    const [owner, guest] = [await signUp(), await signUp()];
    await verifyAddress(guest);
    const { id } = await inviteTo(owner, guest.email, "owner");
    expect((await call("POST", `/v1/invitations/${id}/decline`, { token: guest.session })).status).toBe(204);
    expect((await listInvitations(guest)).body.invitations).toEqual([]);
    expect((await accept(guest, id)).status).toBe(404);
    expect((await readChannels(guest, owner)).status).toBe(403);
  });

  it("an invited person becomes a member once, even if they accept several times at once", async () => {
    const [owner, guest] = [await signUp(), await signUp()];
    await verifyAddress(guest);
    const { id } = await inviteTo(owner, guest.email, "author");
    const answers = await Promise.all(Array.from({ length: 8 }, () => accept(guest, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)]);
    expect((await listMembers(owner)).members).toHaveLength(2);
  });

  it("an invited person does not inherit the workspace of an inviter whose account was erased", async () => {
    const [owner, guest] = [await signUp(), await signUp()];
    await verifyAddress(guest);
    const { id } = await inviteTo(owner, guest.email, "owner");
    expect((await call("DELETE", "/v1/auth/me", { token: owner.session })).status).toBe(204);
    expect((await listInvitations(guest)).body.invitations).toEqual([]);
    expect((await accept(guest, id)).status).toBe(404);
    const me = await call<{ workspaces: object[] }>("GET", "/v1/auth/me", { token: guest.session });
    expect(me.body.workspaces).toHaveLength(1);
  });
});
