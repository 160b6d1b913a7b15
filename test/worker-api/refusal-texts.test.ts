// The texts of refusals. They help a person who is new to the API, and are the same in REST, in a dry run and over MCP.
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { type Account, call, connect, signUp } from "../support/world.ts";
import { callTool, connectClient } from "./mcp/clients.ts";

interface Answer extends Record<string, unknown> {
  error: string;
  field?: string;
  message: string;
  hint?: string;
}
let account: Account;
let channel: { id: string; handle: string };
beforeAll(async () => {
  account = await signUp();
  channel = await connect(account.key, "bluesky");
});

const DAYS = { past: "2020-01-01T00:00:00Z", far: "2999-01-01T00:00:00Z" };
const INSTANT = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;

describe.each<[string, (body: object) => Promise<Answer>]>([
  ["REST", async (body) => (await call<Answer>("POST", "/v1/posts", { token: account.key, body })).body],
  [
    "a dry run",
    async (body) =>
      (await call<Answer>("POST", "/v1/posts", { token: account.key, body: { ...body, dry_run: true } })).body,
  ],
  [
    "MCP",
    async (body) => {
      const client = await connectClient(account.key, "2026-07-28");
      const { body: answer } = await callTool(client, "queue_post", { ...body });
      await client.close();
      return { error: "", message: "", ...answer };
    },
  ],
])("in %s", (_name, getRefusal) => {
  it("a field name of another service is answered with our name for it", async () => {
    expect(await getRefusal({ text: "x", channels: [channel.id], scheduled_at: DAYS.far })).toMatchObject({
      error: "unknown_field",
      field: "/scheduled_at",
      hint: "Did you mean `publish_at`?",
    });
  });

  it("a channel that is named by its handle, its first part or its platform is answered with its id", async () => {
    for (const name of [channel.handle, `@${channel.handle}`, channel.handle.split(".")[0] ?? "", "bluesky"]) {
      expect(await getRefusal({ text: "x", channels: [name] })).toMatchObject({
        error: "unknown_channel",
        field: "/channels/0",
        hint: `A channel is identified by its id: \`${name}\` is \`${channel.id}\` on bluesky.`,
      });
    }
    expect((await getRefusal({ text: "x", channels: ["@nobody"] })).hint).toMatch(
      /^`(GET \/v1\/channels|list_channels)` lists them\.$/,
    );
  });

  it("an override under a handle is answered with the channel's id", async () => {
    const overrides = { [channel.handle]: { text: "y" } };
    expect(await getRefusal({ text: "x", channels: [channel.id], overrides })).toMatchObject({
      error: "override_for_unknown_channel",
      hint: expect.stringContaining(`\`${channel.id}\``),
    });
  });

  it("a time that has passed is answered with the current time", async () => {
    const answer = await getRefusal({ text: "x", channels: [channel.id], publish_at: DAYS.past });
    expect(answer.error).toBe("publish_at_in_past");
    expect(answer.message).toMatch(
      new RegExp(`^\`publish_at\` is 2020-01-01T00:00:00\\.000Z, and now it is ${INSTANT}\\.$`),
    );
    const far = await getRefusal({ text: "x", channels: [channel.id], publish_at: DAYS.far });
    expect(far).toMatchObject({
      error: "publish_at_too_far",
      message: "`publish_at` is 2999-01-01T00:00:00.000Z, which is more than 366 days ahead.",
    });
  });
});

it("another workspace's handle is answered without an id", async () => {
  const stranger = await signUp();
  const body = { text: "x", channels: [channel.handle] };
  const answer = await call<Answer>("POST", "/v1/posts", { token: stranger.key, body });
  expect(answer.body.hint).toBe("`GET /v1/channels` lists them.");
});

it("an unknown status is answered with the known ones, in REST and over MCP", async () => {
  const hint = expect.stringMatching(
    /^Allowed values: `draft`, `awaiting_approval`, `scheduled`, .*`failed`, `cancelled`\.$/,
  );
  const restAnswer = await call<Answer>("GET", "/v1/posts?status=pending", { token: account.key });
  expect(restAnswer.body).toMatchObject({ error: "unknown_status", hint });
  const client = await connectClient(account.key, "2026-07-28");
  expect((await callTool(client, "list_posts", { status: "pending" })).body).toMatchObject({ hint });
  await client.close();
});

it("an unknown field of an inner object is answered with a field of that object", async () => {
  const body = { text: "x", channels: [channel.id], dry_run: true, media_preview: [{ kind: "image", size: 5 }] };
  expect((await call<Answer>("POST", "/v1/posts", { token: account.key, body })).body).toMatchObject({
    error: "unknown_field",
    field: "/media_preview/0/size",
    hint: "Did you mean `bytes`?",
  });
});

it.each([
  ["", "The body is empty."],
  ['{"text":"x",}', "a name in double quotes is missing at line 1, column 13"],
  ['{"text":"x"\n "draft":true}', "a comma is missing at line 2, column 2"],
  ['{\n  "text": "x",\n  draft: true\n}', "line 3, column 3"],
  ['{"text":"x"', "a closing brace is missing at line 1, column 12"],
  ['{"text":"a\nb"}', "line 1, column 9"],
  ["{'text':'x'}", "line 1, column 2"],
  ["[".repeat(100_000), "nested deeper than 32 levels"],
])("malformed JSON is answered with the position of the error: %#", async (body, where) => {
  const request = new Request("http://crier.test/v1/posts", {
    method: "POST",
    headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
    body,
  });
  const answer = await (await exports.default.fetch(request)).json<Answer>();
  expect(answer.error).toBe("malformed_json");
  expect(answer.message).toContain(where);
});
