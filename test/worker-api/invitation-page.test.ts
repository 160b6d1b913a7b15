// The page that the mailed link of an invitation opens, as different people see it in their browsers.
import { describe, expect, it } from "vitest";
import { invitationToken, inviteTo } from "../support/members.ts";
import { open, send } from "../support/oauth.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";

const createAddress = () => `${unique("invited")}@example.com`;
const readChannels = (account: Account, { workspace }: Account) =>
  call("GET", "/v1/channels", { token: account.session, headers: { "x-workspace": workspace } });

describe("the page of the mailed link", () => {
  const inviteByMail = async (role: "author" | "owner" = "author") => {
    const [owner, email] = [await signUp(), createAddress()];
    await call("PATCH", `/v1/workspaces/${owner.workspace}`, {
      token: owner.session,
      body: { name: "<b>Engines" },
    });
    await inviteTo(owner, email, role);
    return { owner, email, path: `/invitation?token=${await invitationToken(email)}` };
  };
  const sessionIn = (answer: Response) => /session=(sess_[\w-]{43})/.exec(answer.headers.get("set-cookie") ?? "")?.[1];
  const consentIn = (page: string) => /name="consent" value="(\w{64})"/.exec(page)?.[1] ?? "";

  it("the page shows the details of the invitation as plain text, is never cached, and does not leak its address", async () => {
    const { owner, email, path } = await inviteByMail();
    const answer = await open(path, null);
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(page).toContain("&lt;b&gt;Engines");
    expect(page).toContain(`${owner.email} (address not verified)`);
    for (const text of [email, "author"]) expect(page).toContain(text);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  it("the page lets a person without an account sign up for the invited address before it asks them", async () => {
    const { owner, path } = await inviteByMail();
    const signedUp = await send(path, null, {
      step: "sign-up",
      name: "Charles",
      password: "correct horse battery",
      timezone: "America/New_York",
    });
    expect([signedUp.status, signedUp.headers.get("location")]).toEqual([303, path]);
    const session = sessionIn(signedUp) ?? "";
    const guest = { ...owner, session };
    const me = await call("GET", "/v1/auth/me", { token: session });
    expect(me.body).toMatchObject({ workspaces: [{ timezone: "America/New_York" }] });
    expect((await readChannels(guest, owner)).status).toBe(403);
    const page = await (await open(path, session)).text();
    const answer = await send(path, session, { step: "accept", consent: consentIn(page) });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("You have joined the workspace <strong>&lt;b&gt;Engines</strong> as author");
    expect((await readChannels(guest, owner)).status).toBe(200);
    expect((await open(path, session)).status).toBe(410);
  });

  it("the page lets a person with an account sign in, and shows errors", async () => {
    const [owner, guest] = [await signUp(), await signUp()];
    await inviteTo(owner, guest.email);
    const path = `/invitation?token=${await invitationToken(guest.email)}`;
    const wrong = await send(path, null, { step: "sign-in", email: guest.email, password: "wrong" });
    expect([wrong.status, (await wrong.text()).includes("The email or the password is wrong.")]).toEqual([401, true]);
    const duplicate = await send(path, null, { step: "sign-up", password: "correct horse battery" });
    expect([
      duplicate.status,
      (await duplicate.text()).includes("An account with this email address already exists."),
    ]).toEqual([422, true]);
    const right = await send(path, null, { step: "sign-in", email: guest.email, password: guest.password });
    const session = sessionIn(right) ?? "";
    const consent = consentIn(await (await open(path, session)).text());
    expect((await send(path, session, { step: "decline", consent })).status).toBe(200);
    expect((await readChannels(guest, owner)).status).toBe(403);
    expect((await open(path, session)).status).toBe(410);
  });

  it("the page does not ask a person who is signed in with another address", async () => {
    const { owner, path } = await inviteByMail("owner");
    const otherPerson = await signUp();
    const page = await (await open(path, otherPerson.session)).text();
    expect(page).toContain("was sent to a different email address");
    expect(page).not.toContain('value="accept"');
    const answer = await send(path, otherPerson.session, { step: "accept", consent: consentIn(page) });
    expect([answer.status, (await readChannels(otherPerson, owner)).status]).toEqual([422, 403]);
    expect((await send(path, otherPerson.session, { step: "switch", consent: consentIn(page) })).status).toBe(303);
    expect((await call("GET", "/v1/auth/me", { token: otherPerson.session })).status).toBe(401);
  });

  it("the page rejects an answer from another site or from another session's page", async () => {
    const [owner, guest] = [await signUp(), await signUp()];
    await inviteTo(owner, guest.email);
    const path = `/invitation?token=${await invitationToken(guest.email)}`;
    const consent = consentIn(await (await open(path, guest.session)).text());
    const fields = { step: "accept", consent };
    expect((await send(path, guest.session, fields, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await send(path, guest.session, { ...fields, consent: "0".repeat(64) })).status).toBe(403);
    expect((await open(`${path}x`, guest.session)).status).toBe(410);
    expect((await readChannels(guest, owner)).status).toBe(403);
    expect((await send(path, guest.session, fields)).status).toBe(200);
  });
});
