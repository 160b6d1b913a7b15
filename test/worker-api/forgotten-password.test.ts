// A forgotten password: its mail, its link, and what a new password ends.
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { join } from "../support/members.ts";
import { expectNothingLeft, prepareAccount } from "../support/unproven-account.ts";
import { call, connect, signUp } from "../support/world.ts";

let addresses = 0;
/** Makes an address that no other test uses, from the blocks for documentation. */
const _makeAddress = () => `203.0.113.${++addresses}`;
const _fromAddress = (ip: string) => ({ "cf-connecting-ip": ip });

describe("a forgotten password", () => {
  it("a forgotten password is answered alike for each address, and mailed only to known ones", async () => {
    const { email } = await signUp();
    const knownAnswer = await call("POST", "/v1/auth/forgot", { body: { email: email.toUpperCase() } });
    const unknownAnswer = await call("POST", "/v1/auth/forgot", { body: { email: `x${email}` } });
    expect([knownAnswer, unknownAnswer].map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 202, body: { ok: true } },
      { status: 202, body: { ok: true } },
    ]);
    const [mail] = await mailsTo(email, 1);
    expect(mail).toMatchObject({ from: "crier@example.com", to: [email], subject: "Set a new password for Crier" });
    expect(mail?.text).toContain("http://crier.test/auth/reset?token=");
    expect(mail?.html).toContain(`href="http://crier.test/auth/reset?token=${tokenIn(mail)}"`);
    await mailsTo(`x${email}`, 0);
  });

  it("a reset link sets a new password once, ends all sessions and signs in", async () => {
    const { email, password, session } = await signUp();
    await call("POST", "/v1/auth/forgot", { body: { email } });
    const token = tokenIn((await mailsTo(email, 1))[0]);
    const useLink = (password: string) =>
      call<{ token: string }>("POST", "/v1/auth/reset", { body: { token, password } });
    expect(await useLink("short")).toMatchObject({ status: 422, body: { error: "password_too_short" } });
    const answers = await Promise.all([
      useLink("a new password"),
      useLink("another password"),
      useLink("a third password"),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    const accepted = answers.find(({ status }) => status === 200);
    expect(answers.find(({ status }) => status === 422)?.body).toMatchObject({
      error: "reset_link_invalid",
      field: "/token",
    });
    expect((await call("GET", "/v1/auth/me", { token: session })).status).toBe(401);
    expect((await call("GET", "/v1/auth/me", { token: accepted?.body.token ?? null })).body).toMatchObject({
      user: { email_verified: true },
    });
    expect((await call("POST", "/v1/auth/login", { body: { email, password } })).status).toBe(401);
  });

  it("a reset of an account with an unverified address empties it, and earlier credentials give no access", async () => {
    const prepared = await prepareAccount();
    const { email } = prepared.attacker;
    await call("POST", "/v1/auth/forgot", { body: { email } });
    const [mail] = await mailsTo(email, 1);
    for (const text of [mail?.text, mail?.html]) expect(text).toContain("empties the account");
    const body = { token: tokenIn(mail), password: "a new password" };
    const answer = await call<{ token: string }>("POST", "/v1/auth/reset", { body });
    expect(answer.status).toBe(200);
    await expectNothingLeft(prepared, answer.body.token);
    expect((await mailsTo(email, 2))[1]).toMatchObject({ subject: "Your Crier account is now yours alone" });
  });

  it("a reset of an account with an unverified address cancels the rest of a post that is being published", async () => {
    const maker = await signUp();
    const { email, key, workspace } = maker;
    const channels = [await connect(key, "bluesky"), await connect(key, "telegram")];
    const created = await call<{ id: string }>("POST", "/v1/posts", {
      token: key,
      body: { text: "planted", channels: channels.map(({ id }) => id), publish_at: tomorrow() },
    });
    // The first channel waits for its second try.
    await testEnv.DB.prepare(
      "UPDATE deliveries SET state = 'retry_wait', started_at = 1, version = 2, fencing_token = 1 WHERE post_id = ? AND channel_id = ?",
    )
      .bind(created.body.id, channels[0]?.id ?? "")
      .run();
    await call("POST", "/v1/auth/forgot", { body: { email } });
    const token = tokenIn((await mailsTo(email, 1))[0]);
    const reset = await call<{ token: string }>("POST", "/v1/auth/reset", {
      body: { token, password: "a new password" },
    });
    const mine = { token: reset.body.token, headers: { "x-workspace": workspace } };
    expect((await call("GET", `/v1/posts/${created.body.id}`, mine)).body).toMatchObject({
      status: "cancelled",
      deliveries: [{ status: "cancelled" }, { status: "cancelled" }],
    });
    expect(await brokenInvariants(workspace)).toEqual([]);
  });

  it("a reset of an account with an unverified address leaves a workspace to its other owner unchanged", async () => {
    const [maker, partner] = [await signUp(), await signUp()];
    const channel = await connect(maker.key, "bluesky");
    await join(maker, partner, "owner");
    await call("POST", "/v1/auth/forgot", { body: { email: maker.email } });
    const token = tokenIn((await mailsTo(maker.email, 1))[0]);
    const answer = await call<{ workspaces: object[] }>("POST", "/v1/auth/reset", {
      body: { token, password: "a new password" },
    });
    expect(answer).toMatchObject({ status: 200, body: { workspaces: [] } });
    const theirs = { token: partner.session, headers: { "x-workspace": maker.workspace } };
    expect((await call("GET", "/v1/channels", theirs)).body).toMatchObject({
      channels: [{ id: channel.id, connected: true }],
    });
    expect((await call("GET", "/v1/workspace", theirs)).body).toMatchObject({ role: "owner" });
    expect((await call("GET", "/v1/channels", { token: maker.key })).status).toBe(200);
  });

  it("a reset of an account with a verified address keeps all its data", async () => {
    const { email, key, workspace } = await signUp();
    const channel = await connect(key, "bluesky");
    await testEnv.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE email = ?").bind(email).run();
    await call("POST", "/v1/auth/forgot", { body: { email } });
    const [mail] = await mailsTo(email, 1);
    expect(mail?.text).not.toContain("empties the account");
    const body = { token: tokenIn(mail), password: "a new password" };
    expect((await call("POST", "/v1/auth/reset", { body })).status).toBe(200);
    expect((await call("GET", "/v1/channels", { token: key })).body).toMatchObject({ channels: [{ id: channel.id }] });
    expect((await call("GET", "/v1/workspace", { token: key })).body).toMatchObject({ id: workspace });
    await mailsTo(email, 1);
  });

  it("a reset link that is an hour old or was replaced is refused", async () => {
    const { email } = await signUp();
    await call("POST", "/v1/auth/forgot", { body: { email } });
    const first = tokenIn((await mailsTo(email, 1))[0]);
    await call("POST", "/v1/auth/forgot", { body: { email } });
    const second = tokenIn((await mailsTo(email, 2))[1]);
    const useLink = (token: string) => call("POST", "/v1/auth/reset", { body: { token, password: "a new password" } });
    expect((await useLink(first)).status).toBe(422);
    await testEnv.DB.prepare(
      "UPDATE reset_links SET expires_at = expires_at - 3600001 WHERE user_id = (SELECT id FROM users WHERE email = ?)",
    )
      .bind(email)
      .run();
    expect(await useLink(second)).toMatchObject({ status: 422, body: { error: "reset_link_invalid" } });
    expect((await useLink(`${second} `)).status).toBe(422);
  });
});
