// Erasing an account: the password that the call may carry, and the ownership of shared workspaces.
import { describe, expect, it } from "vitest";
import { mailsTo } from "../support/mails.ts";
import { asMember, getUserId, join } from "../support/members.ts";
import { type Account, call, signUp } from "../support/world.ts";

interface WorkspaceBody {
  id: string;
  role: string;
  ownership_offered: boolean;
}
const erase = ({ session }: Account, body?: object) =>
  call("DELETE", "/v1/auth/me", { token: session, ...(body === undefined ? {} : { body }) });
const takeOwnership = ({ session }: Account, { workspace }: Account) =>
  call<WorkspaceBody>("POST", `/v1/workspaces/${workspace}/ownership`, { token: session });
const readWorkspace = async ({ session }: Account, { workspace }: Account) => {
  const me = await call<{ workspaces: WorkspaceBody[] }>("GET", "/v1/auth/me", { token: session });
  return me.body.workspaces.find(({ id }) => id === workspace);
};
const isSignedIn = async ({ session }: Account) =>
  (await call("GET", "/v1/auth/me", { token: session })).status === 200;

describe("erasing an account with its password", () => {
  it("a wrong password erases nothing", async () => {
    const account = await signUp();
    expect(await erase(account, { password: "another horse battery" })).toMatchObject({
      status: 422,
      body: { error: "current_password_wrong", field: "/password" },
    });
    expect(await isSignedIn(account)).toBe(true);
    expect((await call("GET", "/v1/workspace", { token: account.key })).status).toBe(200);
    expect((await erase(account, { password: account.password })).status).toBe(204);
    expect(await isSignedIn(account)).toBe(false);
  });

  it("guesses of the password are limited as at sign-in", async () => {
    const account = await signUp();
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries++) statuses.push((await erase(account, { password: "guess" })).status);
    expect(statuses).toContain(429);
    expect(await isSignedIn(account)).toBe(true);
  });

  it("an account is erased without a password in the body, as the specification says", async () => {
    expect((await erase(await signUp())).status).toBe(204);
    expect((await erase(await signUp(), {})).status).toBe(204);
  });
});

describe("a shared workspace whose last owner erases their account", () => {
  it("a workspace belongs at once to the heir that its last owner names", async () => {
    const [owner, viewer, publisher] = [await signUp(), await signUp(), await signUp()];
    await join(owner, publisher, "publisher");
    const heir = await join(owner, viewer, "viewer");
    expect((await erase(owner, { password: owner.password, heirs: { [owner.workspace]: heir } })).status).toBe(204);
    expect(await readWorkspace(viewer, owner)).toMatchObject({ role: "owner", ownership_offered: false });
    expect(await readWorkspace(publisher, owner)).toMatchObject({ role: "publisher", ownership_offered: false });
    expect((await mailsTo(viewer.email, 3)).map(({ subject }) => subject)).toContain("You now own a Crier workspace");
  });

  it("a workspace without a named heir has no owner until the first member accepts, who becomes its only owner", async () => {
    const [owner, viewer, author] = [await signUp(), await signUp(), await signUp()];
    await join(owner, viewer, "viewer");
    await join(owner, author, "author");
    expect((await erase(owner)).status).toBe(204);
    expect(await readWorkspace(viewer, owner)).toMatchObject({ role: "viewer", ownership_offered: true });
    expect(await readWorkspace(author, owner)).toMatchObject({ role: "author", ownership_offered: true });
    const subject = "Your Crier workspace needs a new owner";
    for (const { email } of [viewer, author]) {
      const offer = (await mailsTo(email, 2)).find((mail) => mail.subject === subject);
      expect(offer?.text).toContain(`/settings/members?workspace=${owner.workspace}`);
      // The owner has viewed the key after signing up.
      expect(offer?.text).toContain("key/rotate");
    }

    const answers = await Promise.all([takeOwnership(viewer, owner), takeOwnership(author, owner)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ error: "already_owned" });
    const [first, second] = answers[0]?.status === 200 ? [viewer, author] : [author, viewer];
    expect(await readWorkspace(first, owner)).toMatchObject({ role: "owner", ownership_offered: false });
    expect((await readWorkspace(second, owner))?.role).not.toBe("owner");
    expect((await takeOwnership(first, owner)).status).toBe(200);
    expect((await call("GET", `/v1/workspaces/${owner.workspace}/key`, { token: first.session })).status).toBe(200);
  });

  it("the last member of a workspace without an owner can only become its owner or erase their account", async () => {
    const [owner, viewer] = [await signUp(), await signUp()];
    const id = await join(owner, viewer, "viewer");
    await erase(owner);
    const leave = await call("DELETE", `/v1/workspaces/${owner.workspace}/members/${id}`, { token: viewer.session });
    expect(leave).toMatchObject({ status: 409, body: { error: "owner_stays" } });
    expect((await erase(viewer)).status).toBe(204);
    expect((await call("GET", "/v1/workspace", { token: owner.key })).status).toBe(401);
  });

  it("a workspace is not offered to its members while it has another owner", async () => {
    const [owner, second, viewer] = [await signUp(), await signUp(), await signUp()];
    await join(owner, second, "owner");
    await join(owner, viewer, "viewer");
    await erase(owner);
    expect(await readWorkspace(viewer, owner)).toMatchObject({ role: "viewer", ownership_offered: false });
    expect(await takeOwnership(viewer, owner)).toMatchObject({ status: 409, body: { error: "already_owned" } });
    expect((await call("GET", "/v1/workspace", asMember(viewer, owner))).body).toMatchObject({
      ownership_offered: false,
    });
    expect((await takeOwnership(await signUp(), owner)).status).toBe(403);
  });
});

describe("a named heir", () => {
  it("a named heir must be another member of a workspace that the account owns, or nothing is erased", async () => {
    const [owner, otherOwner, member] = [await signUp(), await signUp(), await signUp()];
    const memberId = await join(owner, member, "viewer");
    await join(otherOwner, owner, "publisher");
    const [ownId, otherId] = [await getUserId(owner), await getUserId(otherOwner)];
    const wrong: Record<string, string>[] = [
      { [owner.workspace]: ownId },
      { [owner.workspace]: otherId },
      { [owner.workspace]: "usr_x" },
      { [otherOwner.workspace]: otherId },
      { ws_x: memberId },
    ];
    for (const heirs of wrong) {
      const field = `/heirs/${Object.keys(heirs)[0]}`;
      expect(await erase(owner, { heirs })).toMatchObject({ status: 422, body: { error: "invalid_field", field } });
    }
    expect(await erase(owner, { heirs: [] })).toMatchObject({ status: 422, body: { error: "invalid_field" } });
    expect(await erase(owner, { heir: memberId })).toMatchObject({ status: 422, body: { error: "unknown_field" } });
    expect(await readWorkspace(owner, owner)).toMatchObject({ role: "owner" });
    expect(await readWorkspace(member, owner)).toMatchObject({ role: "viewer" });
  });
});
