// Refusals of `POST /v1/posts`, and the effect of an idempotency key.
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, type PostBody, signUp, uploadImage } from "../support/world.ts";
import { sendRefusedPost } from "./refused-post.ts";

describe("an invalid post", () => {
  it("all broken rules of a post are reported at once, each with code, field, channel and numbers, and nothing is written", async () => {
    const account = await signUp();
    const bluesky = await connect(account.key, "bluesky");
    const telegram = await connect(account.key, "telegram");
    const answer = await sendRefusedPost(account, {
      text: "a".repeat(301),
      channels: [bluesky.id, telegram.id, "ch_nobody"],
      overrides: { [telegram.id]: { text: "ok", colour: "red" } },
      post_type: "story",
      publish_at: "2020-01-01T00:00:00Z",
    });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ error: "unknown_channel", field: "/channels/2" });
    expect(answer.body.violations).toMatchObject([
      { code: "unknown_channel", field: "/channels/2" },
      { code: "publish_at_in_past", field: "/publish_at" },
      { code: "post_type_not_offered", field: "/post_type", platform: "bluesky" },
      {
        code: "text_too_long",
        field: "/text",
        channel: bluesky.id,
        platform: "bluesky",
        limit: 300,
        actual: 301,
        unit: "graphemes",
        over_by: 1,
      },
      { code: "post_type_not_offered", platform: "telegram" },
      { code: "invalid_option", field: `/overrides/${telegram.id}/colour`, channel: telegram.id },
    ]);
  });

  it("a caption that exceeds the limit is refused once a file is attached, and a caption at the limit is accepted", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const image = await uploadImage(account);
    const body = { channels: [channel.id], media: [image.id], publish_at: tomorrow() };
    expect(await sendRefusedPost(account, { ...body, text: "a".repeat(1_025) })).toMatchObject({
      status: 422,
      body: { error: "text_too_long" },
    });
    expect(
      await call("POST", "/v1/posts", { token: account.key, body: { ...body, text: "a".repeat(1_024) } }),
    ).toMatchObject({ status: 201 });
  });

  it.each([
    [{ channels: [] }, "channels_required", "/channels"],
    [{ text: "  \n" }, "text_required", "/text"],
    [{ text: "x", media: ["med_nobody"] }, "unknown_media", "/media/0"],
    [{ text: "x", publish_at: "tomorrow" }, "publish_at_invalid", "/publish_at"],
    [{ text: "x", publish_at: "2027-02-30T10:00:00Z" }, "publish_at_invalid", "/publish_at"],
    [{ text: "x", publish_at: "2999-01-01T00:00:00Z" }, "publish_at_too_far", "/publish_at"],
    [{ text: "x", publish_at: 5 }, "publish_at_invalid", "/publish_at"],
    [{ text: "x", draft: "true" }, "draft_not_boolean", "/draft"],
    [{ text: "x", draft: null }, "draft_not_boolean", "/draft"],
    [{ text: "x", post_type: "poem" }, "invalid_field", "/post_type"],
    [{ text: "x", publishAt: null }, "unknown_field", "/publishAt"],
    [{ text: "x", media_preview: [{ kind: "image" }] }, "media_preview_needs_dry_run", "/media_preview"],
    [{ text: "x", overrides: { ch_other: { text: "y" } } }, "override_for_unknown_channel", "/overrides/ch_other"],
    [{ text: "\ud800" }, "invalid_field", "/text"],
    [{ text: "x", metadata: { a: 1 } }, "invalid_field", "/metadata/a"],
  ])("a post with %j is refused with %s", async (body, error, field) => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const answer = await sendRefusedPost(account, { channels: [channel.id], ...body });
    expect(answer).toMatchObject({ status: 422, body: { error, field } });
  });

  it.each(["", "null", "[]", '"x"', "{", "\ufeff{}", '{"text":"\\u0000","channels":[]}'])(
    "the body %j is refused with 422",
    async (body) => {
      const { key } = await signUp();
      const answer = await call("POST", "/v1/posts", {
        token: key,
        body,
        headers: { "content-type": "application/json" },
      });
      expect(answer.status).toBe(422);
    },
  );

  it("another content type and a body of more than 1 MiB are refused", async () => {
    const { key } = await signUp();
    const plain = await call("POST", "/v1/posts", {
      token: key,
      body: "{}",
      headers: { "content-type": "text/plain" },
    });
    expect(plain).toMatchObject({ status: 422, body: { error: "malformed_json" } });
    const large = await call("POST", "/v1/posts", { token: key, body: { text: "a".repeat(1 << 20), channels: [] } });
    expect(large).toMatchObject({ status: 413, body: { error: "body_too_large" } });
  });

  it("another workspace's channel is refused like one that does not exist", async () => {
    const [mine, stranger] = [await signUp(), await signUp()];
    const channel = await connect(stranger.key, "telegram");
    const foreign = await sendRefusedPost(mine, { text: "x", channels: [channel.id] });
    const missing = await sendRefusedPost(mine, { text: "x", channels: ["ch_missing"] });
    const neutral = (answer: typeof foreign) =>
      JSON.stringify(answer.body)
        .replaceAll(channel.id, "id")
        .replaceAll("ch_missing", "id")
        .replace(/req_\w+/, "");
    expect(foreign.status).toBe(422);
    expect(neutral(foreign)).toBe(neutral(missing));
  });

  it("a channel without a credential is refused with 409, but accepted on a draft", async () => {
    const account = await signUp();
    const connected = await call<{ id: string; state: string }>("POST", "/v1/channels", {
      token: account.key,
      body: { platform: "telegram", handle: "@later" },
    });
    expect(connected).toMatchObject({ status: 201, body: { connected: false, state: "not_connected" } });
    const body = { text: "x", channels: [connected.body.id] };
    expect(await sendRefusedPost(account, body)).toMatchObject({
      status: 409,
      body: { error: "channel_not_connected" },
    });
    expect(await call("POST", "/v1/posts", { token: account.key, body: { ...body, draft: true } })).toMatchObject({
      status: 201,
      body: { status: "draft" },
    });
  });
});

describe("an idempotency key", () => {
  it("an idempotency key creates one post from a hundred simultaneous calls", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const body = { text: "once", channels: [channel.id], publish_at: tomorrow() };
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        call<PostBody>("POST", "/v1/posts", { token: account.key, body, headers: { "idempotency-key": "same" } }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(99).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(99);
    const counts = await testEnv.DB.prepare(
      "SELECT (SELECT COUNT(*) FROM posts WHERE workspace_id = ?1) AS posts, (SELECT posts FROM usage_months WHERE workspace_id = ?1) AS used",
    )
      .bind(account.workspace)
      .first();
    expect(counts).toEqual({ posts: 1, used: 1 });
  });

  it("a repeat is answered with the post, whatever the order of its members, and a different body is refused", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const headers = { "idempotency-key": '"quoted"' };
    const first = await call<PostBody>("POST", "/v1/posts", {
      token: account.key,
      headers,
      body: { text: "x", channels: [channel.id], publish_at: `${tomorrow().slice(0, 10)}T23:00:00Z` },
    });
    expect(first.status).toBe(201);
    const again = { channels: [channel.id], publish_at: first.body.publish_at?.replace(".000", ""), text: "x" };
    const repeat = await call<PostBody>("POST", "/v1/posts", {
      token: account.key,
      headers: { "idempotency-key": "quoted" },
      body: again,
    });
    expect(repeat).toMatchObject({ status: 200, body: { id: first.body.id } });
    const changed = await call("POST", "/v1/posts", { token: account.key, headers, body: { ...again, text: "y" } });
    expect(changed).toMatchObject({ status: 422, body: { error: "idempotency_key_reused", field: "Idempotency-Key" } });
  });

  it("an idempotency key is used up only by a success", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const headers = { "idempotency-key": "k2" };
    expect(
      (await call("POST", "/v1/posts", { token: account.key, headers, body: { channels: [channel.id] } })).status,
    ).toBe(422);
    const good = await call("POST", "/v1/posts", {
      token: account.key,
      headers,
      body: { text: "x", channels: [channel.id], publish_at: tomorrow() },
    });
    expect(good.status).toBe(201);
  });

  it.each(["", "a b", "k".repeat(256), "schlüssel"])("the idempotency key %j is refused", async (value) => {
    const { key } = await signUp();
    const answer = await call("POST", "/v1/posts", {
      token: key,
      headers: { "idempotency-key": encodeURIComponent(value) === value ? value : value.replace("ü", "\u00fc") },
      body: { text: "x", channels: [] },
    });
    expect(answer).toMatchObject({ status: 422, body: { error: "idempotency_key_invalid" } });
  });
});
