// The number of round trips of a call to the database, which a caller notices if the two are far apart.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../../src/domain/roles.ts";
import { app } from "../../../src/http/app.ts";
import { countedDatabase } from "../../support/counted-db.ts";
import { tomorrow } from "../../support/dates.ts";
import { testEnv } from "../../support/env.ts";
import { makeKey } from "../../support/keys.ts";
import { type Account, type ChannelBody, connect, type PostBody, signUp, uploadImage } from "../../support/world.ts";

let account: Account;
let namedKey: string;
let channels: ChannelBody[];

const credentials = {
  key: (): Record<string, string> => ({ authorization: `Bearer ${account.key}` }),
  "named key": (): Record<string, string> => ({ authorization: `Bearer ${namedKey}` }),
  session: (): Record<string, string> => ({
    authorization: `Bearer ${account.session}`,
    "x-workspace": account.workspace,
  }),
};
type CredentialKind = keyof typeof credentials;

/** Makes a call, and counts its round trips to the database, including those that the caller does not wait for. */
async function callCounted<Body>(
  credential: CredentialKind,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) {
  const { db, use } = countedDatabase(testEnv.DB);
  const request = new Request(`http://crier.test${path}`, {
    method,
    headers: { "content-type": "application/json", ...credentials[credential](), ...headers },
    body: body && JSON.stringify(body),
  });
  const execution = createExecutionContext();
  const response = await app.fetch(request, { ...testEnv, DB: db }, execution);
  const answer: Body = JSON.parse((await response.text()) || "null");
  await waitOnExecutionContext(execution);
  return { status: response.status, headers: response.headers, body: answer, roundTrips: use.roundTrips };
}

const buildPost = (fields: object = {}) => ({
  text: "x",
  channels: channels.map(({ id }) => id),
  publish_at: tomorrow(),
  ...fields,
});

beforeAll(async () => {
  account = await signUp();
  channels = [await connect(account.key, "telegram"), await connect(account.key, "bluesky")];
  namedKey = (await makeKey(account, { scopes: SCOPES, channels: channels.map(({ id }) => id) })).key;
  // The first use of a key in an hour is recorded, so it happens before the measurements.
  await callCounted("key", "GET", "/v1/usage");
  await callCounted("named key", "GET", "/v1/usage");
});

describe.each(["key", "named key", "session"] as const)("with a %s", (credential) => {
  it("a post is created in two round trips, in four with a file that has not been inspected, and read in one", async () => {
    const plain = await callCounted(credential, "POST", "/v1/posts", buildPost());
    expect(plain.status).toBe(201);
    expect(plain.roundTrips).toBeLessThanOrEqual(2);
    const image = await uploadImage(account);
    const created = await callCounted<PostBody>(credential, "POST", "/v1/posts", buildPost({ media: [image.id] }));
    expect(created.status).toBe(201);
    // The bucket may be slow, so the rights of the caller and of the uploader are checked again after it has answered.
    expect(created.roundTrips).toBeLessThanOrEqual(4);
    const got = await callCounted<PostBody>(credential, "GET", `/v1/posts/${created.body.id}`);
    expect(got).toMatchObject({ status: 200, body: { ...created.body, warnings: [] } });
    expect(got.roundTrips).toBeLessThanOrEqual(1);
    const media = await callCounted<{ width: number }>(credential, "GET", `/v1/media/${image.id}`);
    expect(media.body.width).toBe(64);
  });

  it("a dry run takes one round trip, and so does a post that breaks a rule", async () => {
    const dry = await callCounted(credential, "POST", "/v1/posts", buildPost({ dry_run: true }));
    expect(dry).toMatchObject({ status: 200, body: { valid: true } });
    expect(dry.roundTrips).toBeLessThanOrEqual(1);
    const refused = await callCounted(credential, "POST", "/v1/posts", buildPost({ text: "x".repeat(5_000) }));
    expect(refused).toMatchObject({ status: 422, body: { error: "text_too_long" } });
    expect(refused.roundTrips).toBeLessThanOrEqual(1);
  });

  it("a replay takes two round trips", async () => {
    const post = buildPost();
    const key = { "idempotency-key": `replay-${credential.replace(" ", "-")}` };
    const created = await callCounted<PostBody>(credential, "POST", "/v1/posts", post, key);
    const replayed = await callCounted<PostBody>(credential, "POST", "/v1/posts", post, key);
    expect(replayed).toMatchObject({ status: 200, body: { id: created.body.id } });
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
    expect(replayed.roundTrips).toBeLessThanOrEqual(2);
  });

  it("an edit and a cancellation take two round trips each, and a page of posts and the usage of the plan take one each", async () => {
    const { body } = await callCounted<PostBody>(credential, "POST", "/v1/posts", buildPost());
    const edited = await callCounted(credential, "PATCH", `/v1/posts/${body.id}`, { text: "y" });
    expect(edited).toMatchObject({ status: 200, body: { text: "y" } });
    expect(edited.roundTrips).toBeLessThanOrEqual(2);
    const cancelled = await callCounted(credential, "DELETE", `/v1/posts/${body.id}`);
    expect(cancelled).toMatchObject({ status: 200, body: { status: "cancelled" } });
    expect(cancelled.roundTrips).toBeLessThanOrEqual(2);
    for (const path of ["/v1/posts", "/v1/usage"]) {
      const listed = await callCounted(credential, "GET", path);
      expect(listed.status).toBe(200);
      expect(listed.roundTrips).toBeLessThanOrEqual(1);
    }
  });
});
