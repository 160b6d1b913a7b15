import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import {
  type Account,
  call,
  connect,
  finished,
  getPost,
  type PostBody,
  post,
  signUp,
  uploadImage,
} from "../support/world.ts";

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const tables = ["posts", "deliveries", "media_uses", "usage_months", "idempotency_keys", "events"];

/** All rows of all tables that a post could touch, of one workspace. */
async function digest(workspace: string): Promise<string> {
  const found = await testEnv.DB.batch(
    tables.map((name) => testEnv.DB.prepare(`SELECT * FROM ${name} WHERE workspace_id = ?`).bind(workspace)),
  );
  return JSON.stringify(found.map(({ results }) => results));
}

async function refused(account: Account, body: object) {
  const before = await digest(account.workspace);
  const answer = await call<{ error: string; violations?: { code: string; field: string }[] }>("POST", "/v1/posts", {
    token: account.key,
    body,
  });
  expect(await digest(account.workspace)).toBe(before);
  return answer;
}

describe("POST /v1/posts refuses", () => {
  it("every broken rule at once, each with code, field, channel and numbers, and writes nothing", async () => {
    const account = await signUp();
    const bluesky = await connect(account.key, "bluesky");
    const telegram = await connect(account.key, "telegram");
    const answer = await refused(account, {
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

  it("the caption limit once a file is attached, and takes the text at the limit", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const image = await uploadImage(account);
    const body = { channels: [channel.id], media: [image.id], publish_at: tomorrow() };
    expect(await refused(account, { ...body, text: "a".repeat(1_025) })).toMatchObject({
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
  ])("%j with %s", async (body, error, field) => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const answer = await refused(account, { channels: [channel.id], ...body });
    expect(answer).toMatchObject({ status: 422, body: { error, field } });
  });

  it.each(["", "null", "[]", '"x"', "{", "\ufeff{}", '{"text":"\\u0000","channels":[]}'])(
    "the body %j with 422",
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

  it("another content type, and a body over 1 MiB", async () => {
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

  it("another workspace's channel like one that does not exist", async () => {
    const [mine, other] = [await signUp(), await signUp()];
    const channel = await connect(other.key, "telegram");
    const foreign = await refused(mine, { text: "x", channels: [channel.id] });
    const missing = await refused(mine, { text: "x", channels: ["ch_missing"] });
    const neutral = (answer: typeof foreign) =>
      JSON.stringify(answer.body)
        .replaceAll(channel.id, "id")
        .replaceAll("ch_missing", "id")
        .replace(/req_\w+/, "");
    expect(foreign.status).toBe(422);
    expect(neutral(foreign)).toBe(neutral(missing));
  });

  it("a channel without a credential with 409, but takes it on a draft", async () => {
    const account = await signUp();
    const connected = await call<{ id: string; state: string }>("POST", "/v1/channels", {
      token: account.key,
      body: { platform: "telegram", handle: "@later" },
    });
    expect(connected).toMatchObject({ status: 201, body: { connected: false, state: "not_connected" } });
    const body = { text: "x", channels: [connected.body.id] };
    expect(await refused(account, body)).toMatchObject({ status: 409, body: { error: "channel_not_connected" } });
    expect(await call("POST", "/v1/posts", { token: account.key, body: { ...body, draft: true } })).toMatchObject({
      status: 201,
      body: { status: "draft" },
    });
  });
});

describe("a dry run", () => {
  it("writes nothing, and says per channel what would go out", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const before = await digest(account.workspace);
    const answer = await call("POST", "/v1/posts", {
      token: account.key,
      headers: { "idempotency-key": "k" },
      body: {
        text: "héllo 👩‍👩‍👧",
        channels: [channel.id],
        dry_run: true,
        media_preview: [{ kind: "image", bytes: 10 }],
      },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        dry_run: true,
        valid: true,
        status: "scheduled",
        deliveries: [
          {
            channel: channel.id,
            text: "héllo 👩‍👩‍👧",
            text_length: 7,
            text_limit: 300,
            text_unit: "graphemes",
            post_type: "feed",
            media: 1,
          },
        ],
        counts: { posts_used: 0, posts_allowed: null },
      },
    });
    expect(await digest(account.workspace)).toBe(before);
  });

  it("refuses with the very bytes of the real call", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const body = { text: "a".repeat(400), channels: [channel.id] };
    const real = await refused(account, body);
    const dry = await refused(account, { ...body, dry_run: true });
    const neutral = (answer: typeof real) => JSON.stringify(answer.body).replace(/req_\w+/, "");
    expect(dry.status).toBe(real.status);
    expect(neutral(dry)).toBe(neutral(real));
  });
});

describe("an idempotency key", () => {
  it("makes one post of a hundred simultaneous calls", async () => {
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

  it("answers a repeat with the post, whatever the order of its members, and refuses another body", async () => {
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
    const other = await call("POST", "/v1/posts", { token: account.key, headers, body: { ...again, text: "y" } });
    expect(other).toMatchObject({ status: 422, body: { error: "idempotency_key_reused", field: "Idempotency-Key" } });
  });

  it("is spent by a success alone", async () => {
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

  it.each(["", "a b", "k".repeat(256), "schlüssel"])("%j is refused", async (value) => {
    const { key } = await signUp();
    const answer = await call("POST", "/v1/posts", {
      token: key,
      headers: { "idempotency-key": encodeURIComponent(value) === value ? value : value.replace("ü", "\u00fc") },
      body: { text: "x", channels: [] },
    });
    expect(answer).toMatchObject({ status: 422, body: { error: "idempotency_key_invalid" } });
  });
});

describe("the plan", () => {
  it("allows exactly what it allows, also to simultaneous calls", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace).run();
    const body = { text: "x", channels: [channel.id], publish_at: tomorrow() };
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => call("POST", "/v1/posts", { token: account.key, body })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(30);
    const over = answers.find(({ status }) => status !== 201);
    expect(over).toMatchObject({
      status: 402,
      body: { error: "plan_limit", limit: "posts_per_month", plan: "free", used: 30, allowed: 30 },
    });
  });
});

describe("reading posts", () => {
  it("the list is newest first, pages without gaps, leaves drafts in their drawer and filters by status", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const ids: string[] = [];
    for (let i = 0; i < 5; i++)
      ids.unshift((await post(account.key, { text: `${i}`, channels: [channel.id], publish_at: tomorrow() })).id);
    const draft = await post(account.key, { text: "draft", draft: true });
    const list = async (query: string) =>
      (await call<{ posts: PostBody[]; next: string | null }>("GET", `/v1/posts${query}`, { token: account.key })).body;
    const seen: string[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page: { posts: PostBody[]; next: string | null } = await list(
        `?limit=2${next === "" ? "" : `&cursor=${next}`}`,
      );
      seen.push(...page.posts.map(({ id }) => id));
      next = page.next;
    }
    expect(seen).toEqual(ids);
    expect((await list("?status=draft")).posts.map(({ id }) => id)).toEqual([draft.id]);
    expect((await list("?status=scheduled")).posts).toHaveLength(5);
    expect((await list("?status=published")).posts).toEqual([]);
    for (const limit of ["0", "-1", "abc", "1&limit=2"]) expect((await list(`?limit=${limit}`)).posts).toHaveLength(5);
    expect(await call("GET", "/v1/posts?status=nonsense", { token: account.key })).toMatchObject({
      status: 422,
      body: { error: "unknown_status" },
    });
    expect(await call("GET", "/v1/posts?cursor=nonsense", { token: account.key })).toMatchObject({
      status: 422,
      body: { error: "unreadable_cursor" },
    });
  });

  it("another workspace's post is not there, for reading and for cancelling", async () => {
    const [mine, other] = [await signUp(), await signUp()];
    const channel = await connect(other.key, "telegram");
    const { id } = await post(other.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    for (const method of ["GET", "DELETE"])
      expect((await call(method, `/v1/posts/${id}`, { token: mine.key })).status).toBe(404);
    expect((await getPost(other.key, id)).status).toBe("scheduled");
  });

  it("a time without an offset is read on the workspace's clock, and answered both ways", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    await testEnv.DB.prepare("UPDATE workspaces SET timezone = 'Asia/Tokyo' WHERE id = ?")
      .bind(account.workspace)
      .run();
    const day = tomorrow().slice(0, 10);
    const created = await post(account.key, { text: "x", channels: [channel.id], publish_at: `${day}T23:30` });
    expect(created).toMatchObject({
      publish_at: `${day}T14:30:00.000Z`,
      publish_at_local: `${day}T23:30:00+09:00`,
      timezone: "Asia/Tokyo",
    });
  });

  it("a draft is discarded, and its key makes no other post", async () => {
    const account = await signUp();
    const headers = { "idempotency-key": "draft" };
    const { id } = await post(account.key, { text: "x", draft: true }, headers);
    expect((await call("DELETE", `/v1/posts/${id}`, { token: account.key })).status).toBe(204);
    expect((await call("GET", `/v1/posts/${id}`, { token: account.key })).status).toBe(404);
    const again = await call("POST", "/v1/posts", { token: account.key, headers, body: { text: "x", draft: true } });
    expect(again).toMatchObject({ status: 422, body: { error: "idempotency_key_reused" } });
  });

  it("each channel can have its own text and files", async () => {
    const account = await signUp();
    const [a, b] = [await connect(account.key, "telegram"), await connect(account.key, "telegram")];
    const image = await uploadImage(account);
    const { id } = await post(account.key, {
      text: "for all",
      channels: [a.id, b.id],
      overrides: { [b.id]: { text: "for b", media: [image.id], silent: true } },
      metadata: { ticket: "7" },
    });
    const done = await finished(account.key, id);
    expect(done).toMatchObject({ status: "published", metadata: { ticket: "7" } });
  });
});
