// How often a call asks the database: the waiting that a caller notices when the two are far apart.
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
let named: string;
let channels: ChannelBody[];

const credentials = {
  key: (): Record<string, string> => ({ authorization: `Bearer ${account.key}` }),
  "named key": (): Record<string, string> => ({ authorization: `Bearer ${named}` }),
  session: (): Record<string, string> => ({
    authorization: `Bearer ${account.session}`,
    "x-workspace": account.workspace,
  }),
};
type By = keyof typeof credentials;

/** One call, and how many round trips to the database it made, with those that nobody waits for. */
async function roundTrips<Body>(
  by: By,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) {
  const { db, use } = countedDatabase(testEnv.DB);
  const request = new Request(`http://crier.test${path}`, {
    method,
    headers: { "content-type": "application/json", ...credentials[by](), ...headers },
    body: body && JSON.stringify(body),
  });
  const execution = createExecutionContext();
  const response = await app.fetch(request, { ...testEnv, DB: db }, execution);
  const answer: Body = JSON.parse((await response.text()) || "null");
  await waitOnExecutionContext(execution);
  return { status: response.status, headers: response.headers, body: answer, roundTrips: use.roundTrips };
}

const aPost = (more: object = {}) => ({
  text: "x",
  channels: channels.map(({ id }) => id),
  publish_at: tomorrow(),
  ...more,
});

beforeAll(async () => {
  account = await signUp();
  channels = [await connect(account.key, "telegram"), await connect(account.key, "bluesky")];
  named = (await makeKey(account, { scopes: SCOPES, channels: channels.map(({ id }) => id) })).key;
  // The first use of a key in an hour is noted.
  await roundTrips("key", "GET", "/v1/usage");
  await roundTrips("named key", "GET", "/v1/usage");
});

describe.each(["key", "named key", "session"] as const)("with a %s", (by) => {
  it("a post is created in two, in four with a file that has not been inspected, and read in one", async () => {
    const plain = await roundTrips(by, "POST", "/v1/posts", aPost());
    expect(plain.status).toBe(201);
    expect(plain.roundTrips).toBeLessThanOrEqual(2);
    const image = await uploadImage(account);
    const created = await roundTrips<PostBody>(by, "POST", "/v1/posts", aPost({ media: [image.id] }));
    expect(created.status).toBe(201);
    // The bucket may take its time: the rights of the caller and of the uploader are checked again after it.
    expect(created.roundTrips).toBeLessThanOrEqual(4);
    const got = await roundTrips<PostBody>(by, "GET", `/v1/posts/${created.body.id}`);
    expect(got).toMatchObject({ status: 200, body: { ...created.body, warnings: [] } });
    expect(got.roundTrips).toBeLessThanOrEqual(1);
    const looked = await roundTrips<{ width: number }>(by, "GET", `/v1/media/${image.id}`);
    expect(looked.body.width).toBe(64);
  });

  it("a dry run takes one, and so does a post that breaks a rule", async () => {
    const dry = await roundTrips(by, "POST", "/v1/posts", aPost({ dry_run: true }));
    expect(dry).toMatchObject({ status: 200, body: { valid: true } });
    expect(dry.roundTrips).toBeLessThanOrEqual(1);
    const refused = await roundTrips(by, "POST", "/v1/posts", aPost({ text: "x".repeat(5_000) }));
    expect(refused).toMatchObject({ status: 422, body: { error: "text_too_long" } });
    expect(refused.roundTrips).toBeLessThanOrEqual(1);
  });

  it("a replay takes two", async () => {
    const post = aPost();
    const key = { "idempotency-key": `replay-${by.replace(" ", "-")}` };
    const created = await roundTrips<PostBody>(by, "POST", "/v1/posts", post, key);
    const replayed = await roundTrips<PostBody>(by, "POST", "/v1/posts", post, key);
    expect(replayed).toMatchObject({ status: 200, body: { id: created.body.id } });
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
    expect(replayed.roundTrips).toBeLessThanOrEqual(2);
  });

  it("an edit and a cancellation take two, a page of posts and the use of the plan one", async () => {
    const { body } = await roundTrips<PostBody>(by, "POST", "/v1/posts", aPost());
    const edited = await roundTrips(by, "PATCH", `/v1/posts/${body.id}`, { text: "y" });
    expect(edited).toMatchObject({ status: 200, body: { text: "y" } });
    expect(edited.roundTrips).toBeLessThanOrEqual(2);
    const cancelled = await roundTrips(by, "DELETE", `/v1/posts/${body.id}`);
    expect(cancelled).toMatchObject({ status: 200, body: { status: "cancelled" } });
    expect(cancelled.roundTrips).toBeLessThanOrEqual(2);
    for (const path of ["/v1/posts", "/v1/usage"]) {
      const listed = await roundTrips(by, "GET", path);
      expect(listed.status).toBe(200);
      expect(listed.roundTrips).toBeLessThanOrEqual(1);
    }
  });
});
