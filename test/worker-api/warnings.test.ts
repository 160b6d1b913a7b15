// Warnings about a post that is accepted nevertheless, and the details of each channel in a dry run.
import { describe, expect, it } from "vitest";
import { tomorrowNoon } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { type Account, call, connect, type PostBody, post, signUp, unique, upload } from "../support/world.ts";

interface DryRun {
  deliveries: Record<string, unknown>[];
  warnings: { code: string; channel?: string; message: string }[];
}
const dryRun = async ({ key }: Account, body: object): Promise<DryRun> => {
  const answer = await call<DryRun>("POST", "/v1/posts", { token: key, body: { ...body, dry_run: true } });
  expect(answer.status).toBe(200);
  return answer.body;
};
const createUnconnectedChannel = async ({ key }: Account, platform: string): Promise<string> => {
  const answer = await call<{ id: string }>("POST", "/v1/channels", {
    token: key,
    body: { platform, handle: unique("h") },
  });
  expect(answer.status).toBe(201);
  return answer.body.id;
};
const listCodes = ({ warnings }: Pick<DryRun | PostBody, "warnings">) => warnings.map(({ code }) => code);

describe("warnings", () => {
  it("a text that is nearly too long has a warning, for its channel", async () => {
    const account = await signUp();
    const bluesky = await connect(account.key, "bluesky");
    const telegram = await connect(account.key, "telegram");
    const result = await dryRun(account, { text: "a".repeat(290), channels: [bluesky.id, telegram.id] });
    expect(result.warnings).toEqual([
      {
        code: "near_text_limit",
        channel: bluesky.id,
        limit: 300,
        actual: 290,
        unit: "graphemes",
        message: "The text uses 290 of 300 graphemes on bluesky.",
      },
    ]);
  });

  it("an alt text that the network drops has a warning", async () => {
    const account = await signUp();
    const gif = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (c) =>
      c.charCodeAt(0),
    );
    const { id } = await upload(account, gif, "image/gif", "one pixel");
    const bluesky = await connect(account.key, "bluesky");
    const telegram = await connect(account.key, "telegram");
    const result = await dryRun(account, { media: [id], channels: [bluesky.id, telegram.id] });
    expect(result.warnings).toMatchObject([{ code: "alt_text_dropped", channel: telegram.id }]);
  });

  it("a post that is due while its network asks for a wait has a warning", async () => {
    const account = await signUp();
    const { id } = await connect(account.key, "x");
    const until = Date.now() + 3_600_000;
    await testEnv.DB.prepare("UPDATE channels SET not_before = ? WHERE id = ?").bind(until, id).run();
    const result = await dryRun(account, { text: "now", channels: [id] });
    expect(result.warnings).toMatchObject([{ code: "network_waits", channel: id }]);
    expect(result.warnings[0]?.message).toContain(new Date(until).toISOString());
    const listed = await call<{ channels: { waits_until: string }[] }>("GET", "/v1/channels", { token: account.key });
    expect(listed.body.channels).toMatchObject([{ waits_until: new Date(until).toISOString() }]);
    const later = new Date(until + 60_000).toISOString();
    expect((await dryRun(account, { text: "later", channels: [id], publish_at: later })).warnings).toEqual([]);
  });

  it("a link with or without a scheme has a warning about its price, and the price is shown", async () => {
    const account = await signUp();
    const x = await createUnconnectedChannel(account, "x");
    // At noon, so that the three rechecks are on three days.
    const draft = { draft: true, channels: [x], publish_at: tomorrowNoon() };
    const linked = await dryRun(account, { ...draft, text: "see example.com" });
    expect(linked.deliveries).toMatchObject([
      { text_length: 27, text_unit: "weighted", estimated_cost_usd: 0.215, cost: { publish: 0.2 } },
    ]);
    expect(linked.warnings).toMatchObject([{ code: "link_price", channel: x }]);
    const plain = await dryRun(account, { ...draft, text: "no link. here" });
    expect(plain).toMatchObject({ deliveries: [{ estimated_cost_usd: 0.03 }], warnings: [] });
  });

  it("a post that looks like a recent one has a warning, and no other post has", async () => {
    const account = await signUp();
    const firstChannel = await connect(account.key, "bluesky");
    const secondChannel = await connect(account.key, "bluesky");
    const body = {
      text: "twice",
      channels: [firstChannel.id],
      publish_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const first = await post(account.key, body);
    expect(first.warnings).toEqual([]);
    const second = await post(account.key, body);
    expect(second.warnings).toMatchObject([{ code: "possible_duplicate" }]);
    expect(second.warnings[0]?.message).toContain(first.id);
    expect(listCodes(await dryRun(account, { ...body, text: "other" }))).toEqual([]);
    expect(listCodes(await dryRun(account, { ...body, channels: [secondChannel.id] }))).toEqual([]);
    for (const { id } of [first, second]) await call("DELETE", `/v1/posts/${id}`, { token: account.key });
    expect(listCodes(await dryRun(account, body))).toEqual([]);
  });

  it("a duplicate is found among all posts of a day, and not among earlier ones", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const body = {
      text: "once a day",
      channels: [channel.id],
      publish_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const first = await post(account.key, body);
    for (let i = 0; i < 12; i++) await post(account.key, { ...body, text: `another ${i}` });
    expect((await dryRun(account, body)).warnings).toMatchObject([{ code: "possible_duplicate" }]);
    await testEnv.DB.prepare("UPDATE posts SET created_at = created_at - 86400000 WHERE id = ?").bind(first.id).run();
    expect(listCodes(await dryRun(account, body))).toEqual([]);
  });

  it("an edit without a change has no warning about a duplicate", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const { id } = await post(account.key, {
      text: "only one",
      channels: [channel.id],
      publish_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const edited = await call<PostBody>("PATCH", `/v1/posts/${id}`, { token: account.key, body: { metadata: {} } });
    expect(edited).toMatchObject({ status: 200, body: { warnings: [] } });
  });
});

describe("a channel whose override leaves nothing to publish", () => {
  it("a channel whose override leaves nothing to publish is refused with a pointer to it", async () => {
    const account = await signUp();
    const bluesky = await connect(account.key, "bluesky");
    const telegram = await connect(account.key, "telegram");
    const answer = await call<{ violations: object[] }>("POST", "/v1/posts", {
      token: account.key,
      body: {
        text: "for the others",
        channels: [bluesky.id, telegram.id],
        overrides: { [telegram.id]: { text: " " } },
      },
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { error: "text_required", field: `/overrides/${telegram.id}/text`, violations: [{ channel: telegram.id }] },
    });
    expect(answer.body.violations).toHaveLength(1);
  });
});
