// The page that an invitation's mailed link opens, as browsers of several people walk it.
import { describe, expect, it } from "vitest";
import { invitationToken, inviteTo } from "../support/members.ts";
import { open, send } from "../support/oauth.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";

const address = () => `${unique("invited")}@example.com`;
const inside = (of: Account, { workspace }: Account) =>
  call("GET", "/v1/channels", { token: of.session, headers: { "x-workspace": workspace } });

describe("the page of the mailed link", () => {
  const linkTo = async (role: "author" | "owner" = "author") => {
    const [owner, email] = [await signUp(), address()];
    await call("PATCH", `/v1/workspaces/${owner.workspace}`, {
      token: owner.session,
      body: { name: "<b>Engines" },
    });
    await inviteTo(owner, email, role);
    return { owner, email, path: `/invitation?token=${await invitationToken(email)}` };
  };
  const sessionIn = (answer: Response) => /session=(sess_[\w-]{43})/.exec(answer.headers.get("set-cookie") ?? "")?.[1];
  const consentIn = (page: string) => /name="consent" value="(\w{64})"/.exec(page)?.[1] ?? "";

  it("shows the details of the invitation as plain text, is never cached, and does not leak its address", async () => {
    const { owner, email, path } = await linkTo();
    const answer = await open(path, null);
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(page).toContain("&lt;b&gt;Engines");
    expect(page).toContain(`${owner.email} (address not verified)`);
    for (const shown of [email, "author"]) expect(page).toContain(shown);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  it("lets a person without an account sign up for that address before it asks them", async () => {
    const { owner, path } = await linkTo();
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
    expect((await inside(guest, owner)).status).toBe(403);
    const asked = await (await open(path, session)).text();
    const answer = await send(path, session, { step: "accept", consent: consentIn(asked) });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("You have joined the workspace <strong>&lt;b&gt;Engines</strong> as author");
    expect((await inside(guest, owner)).status).toBe(200);
    expect((await open(path, session)).status).toBe(410);
  });

  it("lets a person with an account sign in and shows errors", async () => {
    const [owner, guest] = [await signUp(), await signUp()];
    await inviteTo(owner, guest.email);
    const path = `/invitation?token=${await invitationToken(guest.email)}`;
    const wrong = await send(path, null, { step: "sign-in", email: guest.email, password: "wrong" });
    expect([wrong.status, (await wrong.text()).includes("The email or the password is wrong.")]).toEqual([401, true]);
    const taken = await send(path, null, { step: "sign-up", password: "correct horse battery" });
    expect([taken.status, (await taken.text()).includes("An account with this email address already exists.")]).toEqual(
      [422, true],
    );
    const right = await send(path, null, { step: "sign-in", email: guest.email, password: guest.password });
    const session = sessionIn(right) ?? "";
    const consent = consentIn(await (await open(path, session)).text());
    expect((await send(path, session, { step: "decline", consent })).status).toBe(200);
    expect((await inside(guest, owner)).status).toBe(403);
    expect((await open(path, session)).status).toBe(410);
  });

  it("does not ask a user who is signed in with another address", async () => {
    const { owner, path } = await linkTo("owner");
    const other = await signUp();
    const page = await (await open(path, other.session)).text();
    expect(page).toContain("was sent to a different email address");
    expect(page).not.toContain('value="accept"');
    const answer = await send(path, other.session, { step: "accept", consent: consentIn(page) });
    expect([answer.status, (await inside(other, owner)).status]).toEqual([422, 403]);
    expect((await send(path, other.session, { step: "switch", consent: consentIn(page) })).status).toBe(303);
    expect((await call("GET", "/v1/auth/me", { token: other.session })).status).toBe(401);
  });

  it("rejects an answer from another site or from another session's page", async () => {
    const [owner, guest] = [await signUp(), await signUp()];
    await inviteTo(owner, guest.email);
    const path = `/invitation?token=${await invitationToken(guest.email)}`;
    const consent = consentIn(await (await open(path, guest.session)).text());
    const fields = { step: "accept", consent };
    expect((await send(path, guest.session, fields, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await send(path, guest.session, { ...fields, consent: "0".repeat(64) })).status).toBe(403);
    expect((await open(`${path}x`, guest.session)).status).toBe(410);
    expect((await inside(guest, owner)).status).toBe(403);
    expect((await send(path, guest.session, fields)).status).toBe(200);
  });
});
