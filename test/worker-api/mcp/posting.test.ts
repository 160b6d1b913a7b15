// An agent publishes exactly the content that was checked, and only once.
import { afterEach, describe, expect, it, vi } from "vitest";
import { CHECK_LIFE_MS } from "../../../src/mcp/check-token.ts";
import { testEnv } from "../../support/env.ts";
import { call, connect, finished, ledger, unique, uploadImage } from "../../support/world.ts";
import { callTool, ERAS } from "./clients.ts";
import { openWorld, TOOLS } from "./world.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("a check and its post", () => {
  it("an agent publishes exactly the checked content, once, however often it calls", async () => {
    const { account, client, handle, channel } = await openWorld();
    const args = { channels: [channel], text: "Exactly\tthis 🙂", metadata: { campaign: "winter" } };
    const checked = await callTool(client, "check_post", args);
    expect(checked.body).toMatchObject({ dry_run: true, valid: true, deliveries: [{ channel, text: args.text }] });
    expect((await callTool(client, "list_posts")).body).toMatchObject({ posts: [] });

    const token = { ...args, check_token: checked.body.check_token };
    const queued = await callTool(client, "queue_post", token);
    const again = await callTool(client, "queue_post", token);
    expect(queued.refused).toBe(false);
    expect(again.body.id).toBe(queued.body.id);
    const post = await finished(account.key, String(queued.body.id));
    expect(post).toMatchObject({ status: "published", text: args.text, metadata: args.metadata });
    expect((await ledger(handle)).map(({ text }) => text)).toEqual([args.text]);
    expect((await callTool(client, "get_post", { id: post.id })).body).toEqual({
      ...post,
      deliveries: expect.anything(),
    });
  });

  it("an agent cannot publish a file that was changed after the check", async () => {
    const { account, client, channel } = await openWorld();
    const file = await uploadImage(account);
    const args = { channels: [channel], text: "What the person saw", media: [file.id] };
    const { check_token } = (await callTool(client, "check_post", args)).body;
    const key = `m/${account.workspace}/${file.id}`;
    const stored = new Uint8Array((await (await testEnv.MEDIA?.get(key))?.arrayBuffer()) ?? expect.fail());
    const putFile = (bytes: Uint8Array) =>
      testEnv.MEDIA?.put(key, bytes, { httpMetadata: { contentType: "image/png" } });
    await putFile(stored.slice().fill(7, stored.length - 20));
    expect(await callTool(client, "queue_post", { ...args, check_token })).toMatchObject({
      refused: true,
      body: { error: "unknown_media", message: "A stored file was changed after it was checked." },
    });
    await putFile(stored);
    expect((await callTool(client, "queue_post", { ...args, check_token })).refused).toBe(false);
  });

  it("a check gives no token for a file that has not been uploaded yet", async () => {
    const { client, channel } = await openWorld();
    const upload = { content_type: "image/png", bytes: 1_000 };
    const { media } = (await callTool(client, "create_upload", upload)).body;
    const args = { channels: [channel], text: "x", media: [Object(media).id] };
    const checked = await callTool(client, "check_post", args);
    expect(checked.body).toMatchObject({ valid: true, check_token: null, check_token_expires_at: null });
  });

  it("an agent cannot publish content that differs from the checked content", async () => {
    const { account, client, channel } = await openWorld();
    const otherChannel = await connect(account.key, "bluesky");
    const args = { channels: [channel], text: "What the person saw" };
    const { check_token } = (await callTool(client, "check_post", args)).body;
    const changes: Record<string, unknown>[] = [
      { text: "Something else" },
      { channels: [channel, otherChannel.id] },
      { publish_at: new Date(Date.now() + 3_600_000).toISOString() },
      { metadata: {} },
      { check_token: `${check_token}x` },
      { check_token: String(check_token).replace(/^\d/, "9") },
      { check_token: 7 },
    ];
    expect(
      (await callTool(client, "queue_post", { ...args, check_token, idempotency_key: "mine" })).body,
    ).toMatchObject({
      error: "invalid_field",
      field: "/idempotency_key",
    });
    for (const change of changes) {
      const { refused, body } = await callTool(client, "queue_post", { ...args, check_token, ...change });
      expect({ refused, error: body.error, field: body.field }, JSON.stringify(change)).toEqual({
        refused: true,
        error: "invalid_field",
        field: "/check_token",
      });
    }
    expect((await callTool(client, "list_posts")).body).toMatchObject({ posts: [] });
  });

  it("a token is accepted for an hour and only from the same connection", async () => {
    const { client, channel } = await openWorld();
    const stranger = await openWorld();
    const args = { channels: [channel], text: "Later" };
    const { check_token, check_token_expires_at } = (await callTool(client, "check_post", args)).body;
    expect((await callTool(stranger.client, "queue_post", { ...args, check_token })).body).toMatchObject({
      field: "/check_token",
    });
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + CHECK_LIFE_MS + 1_000);
    expect(Date.parse(String(check_token_expires_at))).toBeLessThan(Date.now());
    expect((await callTool(client, "queue_post", { ...args, check_token })).body).toMatchObject({
      error: "invalid_field",
      field: "/check_token",
      message: "This check is older than 60 minutes.",
    });
  });

  it("a check gives no token for files that have not been inspected", async () => {
    const { client, channel } = await openWorld();
    const args = { channels: [channel], text: "With a picture", media_preview: [{ kind: "image", bytes: 1_000 }] };
    expect((await callTool(client, "check_post", args)).body).toMatchObject({ valid: true, check_token: null });
  });

  it("a post without a token is checked too, and is created once under the agent's own key", async () => {
    const { client, channel } = await openWorld();
    const args = { channels: [channel], text: "Once", idempotency_key: "agent-1" };
    const [first, second] = [await callTool(client, "queue_post", args), await callTool(client, "queue_post", args)];
    expect(second.body.id).toBe(first.body.id);
    expect((await callTool(client, "queue_post", { ...args, text: "Twice" })).body.error).toBe(
      "idempotency_key_reused",
    );
    expect((await callTool(client, "queue_post", { ...args, idempotency_key: "ü" })).body.error).toBe(
      "idempotency_key_invalid",
    );
    expect((await callTool(client, "queue_post", { ...args, idempotency_key: 5 })).body.error).toBe(
      "idempotency_key_invalid",
    );
  });
});

describe("an agent at work", () => {
  it.each(ERAS)("an agent drafts, edits, releases, cancels and discards posts (%s)", async (era) => {
    const { client, channel } = await openWorld(era);
    const draft = await callTool(client, "draft_post", { text: "An idea", idempotency_key: "idea" });
    expect(draft.body).toMatchObject({ status: "draft", channels: [] });
    const id = draft.body.id;
    expect((await callTool(client, "list_posts", { status: "draft", limit: 5 })).body).toMatchObject({
      posts: [{ id }],
    });
    const publish_at = new Date(Date.now() + 3_600_000).toISOString();
    const released = await callTool(client, "update_post", { id, channels: [channel], publish_at, draft: false });
    expect(released.body).toMatchObject({ id, status: "scheduled", publish_at });
    expect((await callTool(client, "cancel_post", { id })).body).toMatchObject({
      id,
      status: "cancelled",
      discarded: false,
    });
    const secondDraft = await callTool(client, "draft_post", { text: "Another" });
    expect((await callTool(client, "cancel_post", { id: secondDraft.body.id })).body).toEqual({
      id: secondDraft.body.id,
      discarded: true,
    });
  });

  it("an agent stops the series of a post without cancelling the post", async () => {
    const { client, channel } = await openWorld("2026-07-28");
    const publish_at = new Date(Date.now() + 3_600_000).toISOString();
    const repeat = { every: "week" };
    const queued = await callTool(client, "queue_post", {
      text: "Weekly",
      channels: [channel],
      publish_at,
      repeat,
      idempotency_key: "w",
    });
    const { id } = queued.body;
    expect((await callTool(client, "cancel_post", { id, repeat_only: "yes" })).body.error).toBe("invalid_field");
    expect((await callTool(client, "cancel_post", { id, repeat_only: true })).body).toMatchObject({
      id,
      status: "scheduled",
    });
    expect((await callTool(client, "get_post", { id })).body).toMatchObject({
      status: "scheduled",
      repeat_status: { state: "stopped", next_at: null },
    });
    expect((await callTool(client, "cancel_post", { id, repeat_only: true })).body.error).toBe("repeat_stopped");
    expect((await callTool(client, "cancel_post", { id, repeat_only: false })).body).toMatchObject({
      status: "cancelled",
    });
  });

  it.each(ERAS)(
    "an agent finds a waiting post, declines it, requests approval again and approves its revision (%s)",
    async (era) => {
      const { account, client, channel } = await openWorld(era);
      const path = `/v1/workspaces/${account.workspace}`;
      await call("PATCH", path, { token: account.session, body: { approval: "all" } });
      const publish_at = new Date(Date.now() + 3_600_000).toISOString();
      const text = "Ask about this";
      const queued = await callTool(client, "queue_post", {
        text,
        channels: [channel],
        publish_at,
        idempotency_key: "ask",
      });
      expect(queued.body).toMatchObject({ status: "awaiting_approval", rev: 1 });
      const { id } = queued.body;
      const matches = await callTool(client, "list_posts", { status: "awaiting_approval", q: "about", channel });
      expect(matches.body).toMatchObject({ posts: [{ id }] });
      const review = (args: Record<string, unknown>) => callTool(client, "review_post", { id, ...args });
      for (const [args, refusal] of [
        [{ rev: 1 }, { error: "missing_field", field: "/decision" }],
        [
          { rev: 1, decision: "yes" },
          { error: "invalid_field", field: "/decision" },
        ],
        [{ decision: "approve" }, { error: "missing_field", field: "/rev" }],
        [
          { decision: "decline", reason: "No." },
          { error: "missing_field", field: "/rev" },
        ],
        [
          { rev: 1, decision: "approve", reason: "Fine." },
          { error: "unknown_field", field: "/reason" },
        ],
        [
          { rev: 1, decision: "decline" },
          { error: "missing_field", field: "/reason" },
        ],
        [{ rev: 2, decision: "approve" }, { error: "post_changed" }],
      ] as const) {
        expect(await review(args)).toMatchObject({ refused: true, body: refusal });
      }
      const declined = await review({ rev: 1, decision: "decline", reason: "Not\u202e before\nMonday." });
      expect(declined.body).toMatchObject({
        status: "draft",
        approval: { state: "declined", reason: "Not before Monday." },
      });
      expect(declined.result._meta).toMatchObject({
        "crier/untrusted": expect.arrayContaining(["approval/by", "approval/reason"]),
      });
      expect((await callTool(client, "update_post", { id, draft: false })).body).toMatchObject({ rev: 2 });
      expect((await review({ rev: 2, decision: "approve" })).body).toMatchObject({
        status: "scheduled",
        publish_at,
        approval: { state: "approved", rev: 2 },
      });
    },
  );

  it("an agent lists posts in short rows, with the fields that it asks for, in at most 25 KB and without losing one", async () => {
    const { client } = await openWorld();
    const ids: unknown[] = [];
    for (let i = 0; i < 12; i++) {
      const { body } = await callTool(client, "draft_post", { text: `${i} ${"word ".repeat(800)}`, labels: ["long"] });
      ids.unshift(body.id);
    }
    const short = await callTool(client, "list_posts", { status: "draft" });
    expect(short.body).toEqual({
      posts: ids.map((id, i) => ({
        ...{ id, rev: 1, status: "draft", due_at: null, labels: ["long"], deliveries: [] },
        excerpt: `${`${11 - i} ${"word ".repeat(800)}`.slice(0, 120)}…`,
      })),
      next: null,
      looked_through: null,
    });
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const page: Record<string, unknown> = {
        status: "draft",
        fields: ["text"],
        ...(cursor === undefined ? {} : { cursor }),
      };
      const { body, result } = await callTool(client, "list_posts", page);
      expect(JSON.stringify(result.structuredContent).length).toBeLessThanOrEqual(25_000);
      const posts = body.posts as { id: string; text: string }[];
      for (const { id, text } of posts) {
        expect(text.length).toBeGreaterThan(4_000);
        seen.push(id);
      }
      cursor = body.next ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(ids);
  });

  it("an agent waits for the end of a post, retries a delivery and takes it down", async () => {
    const { account, client, channel } = await openWorld();
    const queued = await callTool(client, "queue_post", { channels: [channel], text: "Wait for me" });
    const { id } = queued.body;
    const waiting = callTool(client, "get_post", { id, wait_seconds: 30 });
    await finished(account.key, String(id));
    expect((await waiting).body).toMatchObject({ status: "published" });
    const publish_at = new Date(Date.now() + 3_600_000).toISOString();
    const later = await callTool(client, "queue_post", { channels: [channel], text: "Later", publish_at });
    const stillWaiting = await callTool(client, "get_post", { id: later.body.id, wait_seconds: 1 });
    expect(stillWaiting.body).toMatchObject({ status: "scheduled" });
    expect((await callTool(client, "change_delivery", { id, channel, do: "retry" })).body).toMatchObject({
      error: "delivery_not_retryable",
    });
    const takenDown = await callTool(client, "change_delivery", { id, channel, do: "take_down" });
    expect(takenDown.body).toMatchObject({ channel, status: "removed" });
  });

  it("an agent reads the workspace's clock, looks a network's values up, and asks for a channel", async () => {
    const { account, client } = await openWorld();
    const { workspace } = (await callTool(client, "list_channels")).body;
    expect(workspace).toMatchObject({ timezone: "UTC", now: expect.any(String), now_local: expect.any(String) });
    const board = await connect(account.key, "pinterest", unique("acct"));
    const values = await callTool(client, "list_platform_rules", { channel: board.id, option: "board", q: "101" });
    expect(values.body).toMatchObject({ options: [{ value: "101" }] });
    expect(values.result._meta).toMatchObject({
      "crier/untrusted": expect.arrayContaining(["options/*/label", "options/*/description"]),
    });
    const { platforms } = (await callTool(client, "list_platform_rules")).body;
    expect(JSON.stringify(platforms).length).toBeLessThan(8_000);
    const link = await callTool(client, "connect_channel", { platform: "x" });
    expect(link.body).toMatchObject({ url: expect.stringContaining("/connect/") });
  });

  it("an agent uploads a file by its curl command, describes it and lists it", async () => {
    const { account, client } = await openWorld();
    const upload = await callTool(client, "create_upload", { content_type: "image/png", bytes: 5, alt: "it's" });
    const { curl, upload_url, headers } = upload.body;
    expect(curl).toBe(`curl --fail-with-body --upload-file FILE --header 'Content-Type: image/png' '${upload_url}'`);
    expect(headers).toEqual({ "Content-Type": "image/png", "Content-Length": "5" });
    const image = await uploadImage(account);
    expect((await callTool(client, "set_alt_text", { id: image.id, alt: "A square" })).body).toMatchObject({
      alt: "A square",
    });
    expect((await callTool(client, "list_media", { ids: image.id })).body).toMatchObject({
      media: [{ id: image.id, alt: "A square" }],
    });
    const { url } = (await callTool(client, "register_media", { url: "https://example.com/a.png", kind: "image" }))
      .body;
    expect(url).toBe("https://example.com/a.png");
  });

  it.each(ERAS)("an agent gets answers from each reading tool that match the tool's schema (%s)", async (era) => {
    const { account, client, channel } = await openWorld(era);
    const queued = await callTool(client, "queue_post", { channels: [channel], text: "Something to read about" });
    await finished(account.key, String(queued.body.id));
    // The client checks each answer against the tool's own schema.
    for (const name of TOOLS.filter((tool) => /^(list|get)_/.test(tool) && tool !== "get_post")) {
      const { refused, body, result } = await callTool(client, name);
      expect({ name, refused }).toEqual({ name, refused: false });
      expect(result.structuredContent).toEqual(body);
    }
    const [rule] = (await callTool(client, "list_platform_rules", { platform: "bluesky" })).body.platforms as object[];
    expect(rule).toMatchObject({ platform: "bluesky" });
    expect((await callTool(client, "list_events", { order: "oldest" })).body).toMatchObject({
      events: [{ event: "delivery.succeeded", post: queued.body.id }],
    });
  });
});
