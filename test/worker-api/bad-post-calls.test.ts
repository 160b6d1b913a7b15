// Invalid input to previews of files, to edits and to lists of posts, field by field.
import { beforeAll, describe, expect, it } from "vitest";
import { inDays } from "../support/dates.ts";
import { type Account, call, connect, type PostBody, post, signUp } from "../support/world.ts";
import { account, channel, dryRun, foreign, image, type RefusalBody, refusal, withAccounts } from "./bad-posts.ts";

withAccounts();

describe("media_preview", () => {
  it.each<[unknown, string, string]>([
    [{}, "invalid_field", "/media_preview"],
    [null, "invalid_field", "/media_preview"],
    [[null], "invalid_field", "/media_preview/0"],
    [[{}], "missing_field", "/media_preview/0/kind"],
    [[{ kind: "audio" }], "invalid_field", "/media_preview/0/kind"],
    [[{ kind: "image", colour: 1 }], "unknown_field", "/media_preview/0/colour"],
    [[{ kind: "image", bytes: -1 }], "invalid_field", "/media_preview/0/bytes"],
    [[{ kind: "image", bytes: 1.5 }], "invalid_field", "/media_preview/0/bytes"],
    [[{ kind: "image", bytes: "10" }], "invalid_field", "/media_preview/0/bytes"],
    [[{ kind: "image", bytes: 2 ** 53 }], "invalid_field", "/media_preview/0/bytes"],
    [[{ kind: "image", width: 0 }], "invalid_field", "/media_preview/0/width"],
    [[{ kind: "video", seconds: -0.1 }], "invalid_field", "/media_preview/0/seconds"],
    [[{ kind: "image", alt: 1 }], "invalid_field", "/media_preview/0/alt"],
    [[{ kind: "image", alt: "a".repeat(2_001) }], "alt_too_long", "/media_preview/0/alt"],
    [Array(51).fill({ kind: "image" }), "invalid_field", "/media_preview"],
  ])("rejects the preview %j with %s", async (preview, error, field) => {
    expect(await dryRun({ media_preview: preview })).toMatchObject(refusal(error, field));
  });

  it.each([
    ["1e400", 422],
    ["-1e400", 422],
    ["-0", 200],
    ["0", 200],
    ["0.1e1", 200],
    ["9007199254740993", 422],
  ])("accepts only whole and finite byte counts in a preview, such as %s", async (bytes, status) => {
    const body = `{"text":"x","channels":["${channel}"],"dry_run":true,"media_preview":[{"kind":"image","bytes":${bytes}}]}`;
    expect((await call("POST", "/v1/posts", { token: account.key, body })).status).toBe(status);
  });

  it("points at the preview that breaks a rule, also if the post has files", async () => {
    const large = { kind: "image", bytes: 100_000_000 };
    expect(await dryRun({ media_preview: [{ kind: "image" }, large] })).toMatchObject(
      refusal("media_too_large", "/media_preview/1"),
    );
    expect(await dryRun({ media: [image], media_preview: [large] })).toMatchObject(
      refusal("media_too_large", "/media_preview/0"),
    );
    expect(await dryRun({ media_preview: Array(11).fill({ kind: "image" }) })).toMatchObject(
      refusal("too_many_images", "/media_preview"),
    );
    const answer = await dryRun({ media: ["med_x"], media_preview: [large] });
    expect(answer.body.violations).toMatchObject([
      { code: "unknown_media", field: "/media/0" },
      { code: "media_too_large", field: "/media_preview/0" },
    ]);
  });

  it("checks a preview with its alt text, like the file itself", async () => {
    const threads = (await connect(account.key, "threads")).id;
    const preview = (alt: string) => ({ channels: [threads], media_preview: [{ kind: "image", alt }] });
    expect(await dryRun(preview("a".repeat(1_001)))).toMatchObject(refusal("alt_too_long", "/media_preview/0"));
    expect(await dryRun(preview("a".repeat(1_000)))).toMatchObject({ status: 200 });
    expect(await dryRun({ media_preview: [{ kind: "image", alt: "A cat" }] })).toMatchObject({
      status: 200,
      body: { warnings: [{ code: "alt_text_dropped" }] },
    });
  });

  it("rejects a preview of an infinite length", async () => {
    const body = `{"text":"x","channels":["${channel}"],"dry_run":true,"media_preview":[{"kind":"video","seconds":1e400}]}`;
    expect(await call("POST", "/v1/posts", { token: account.key, body })).toMatchObject(
      refusal("invalid_field", "/media_preview/0/seconds"),
    );
  });
});

describe("PATCH /v1/posts/:id", () => {
  let id: string;
  beforeAll(async () => {
    id = (await post(account.key, { draft: true, text: "x", channels: [channel], post_type: "feed" })).id;
  });
  const patch = (body: object) => call<RefusalBody>("PATCH", `/v1/posts/${id}`, { token: account.key, body });

  it.each<[object, string, string]>([
    [{ text: null }, "invalid_field", "/text"],
    [{ text: 1 }, "invalid_field", "/text"],
    [{ channels: null }, "invalid_field", "/channels"],
    [{ channels: ["ch_x"] }, "unknown_channel", "/channels/0"],
    [{ media: null }, "invalid_field", "/media"],
    [{ media: ["med_x"] }, "unknown_media", "/media/0"],
    [{ overrides: null }, "invalid_field", "/overrides"],
    [{ overrides: { ch_x: {} } }, "override_for_unknown_channel", "/overrides/ch_x"],
    [{ publish_at: "soon" }, "publish_at_invalid", "/publish_at"],
    [{ publish_at: 0 }, "publish_at_invalid", "/publish_at"],
    [{ draft: null }, "draft_not_boolean", "/draft"],
    [{ draft: "false" }, "draft_not_boolean", "/draft"],
    [{ post_type: "story" }, "post_type_fixed", "/post_type"],
    [{ post_type: null }, "post_type_fixed", "/post_type"],
    [{ post_type: "poem" }, "invalid_field", "/post_type"],
    [{ metadata: null }, "invalid_field", "/metadata"],
    [{ dry_run: true }, "unknown_field", "/dry_run"],
    [{ id: "post_x" }, "unknown_field", "/id"],
    [{ status: "published" }, "unknown_field", "/status"],
    [{ Text: "x" }, "unknown_field", "/Text"],
  ])("rejects the edit %j with %s", async (body, error, field) => {
    expect(await patch(body)).toMatchObject(refusal(error, field));
  });

  it("an empty edit changes nothing", async () => {
    const before = await call<PostBody>("GET", `/v1/posts/${id}`, { token: account.key });
    expect(await patch({})).toMatchObject({ status: 200, body: { text: "x", post_type: "feed", status: "draft" } });
    const after = await call<PostBody>("GET", `/v1/posts/${id}`, { token: account.key });
    expect({ ...after.body, updated_at: null }).toEqual({ ...before.body, updated_at: null });
  });

  it("an edit of another workspace's post is answered with 404", async () => {
    const answer = await call("PATCH", `/v1/posts/${foreign.post}`, { token: account.key, body: { text: "mine" } });
    expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
  });
});

describe("GET /v1/posts", () => {
  let owner: Account;
  let ids: string[];
  beforeAll(async () => {
    owner = await signUp();
    const body = { text: "x", channels: [(await connect(owner.key, "telegram")).id], publish_at: inDays(1) };
    ids = [];
    for (let i = 0; i < 3; i++) ids.unshift((await post(owner.key, body)).id);
  });
  const list = (query: string) => call<RefusalBody>("GET", `/v1/posts?${query}`, { token: owner.key });

  it.each([
    "limit=0",
    "limit=-1",
    "limit=1.5",
    "limit=1e9",
    "limit=NaN",
    "limit=",
    "limit=%20",
    "limit=%00",
    "limit=99999999999999999999",
    "limit=1&limit=2",
    "limit[]=1",
    "limit=201",
  ])("%s falls back to the default or the maximum and is never an error", async (query) => {
    const answer = await list(query);
    expect(answer.status).toBe(200);
    expect(answer.body.posts).toHaveLength(3);
  });

  it.each([
    "status=done",
    "status=",
    "status=DRAFT",
    "status=draft&status=failed",
    "status=draft,failed",
    "status=constructor",
    "status=%00",
    "status=pending",
  ])("rejects %s with unknown_status", async (query) => {
    expect(await list(query)).toMatchObject(refusal("unknown_status", "/status"));
  });

  it("rejects a cursor that it has not issued, instead of showing the first page", async () => {
    const { body } = await list("limit=1");
    const next = body.next ?? "";
    expect(next).not.toBe("");
    const bad = [
      "",
      "x",
      "%20",
      "%00",
      ids[0] ?? "",
      next.slice(0, -2),
      `${next}A`,
      encodeURIComponent(`${next}\u0001`),
      btoa("post_"),
      btoa(`med_${"0".repeat(26)}`),
      btoa("post_' OR 1=1 --000000000000000"),
      encodeURIComponent("é".repeat(10)),
      "A".repeat(600),
    ];
    for (const cursor of bad) {
      expect(await list(`cursor=${cursor}`), cursor).toMatchObject(refusal("unreadable_cursor", "/cursor"));
    }
    expect(await list(`cursor=${next}&cursor=${next}`)).toMatchObject(refusal("unreadable_cursor", "/cursor"));
    expect(await list(`cursor=${next}`)).toMatchObject({ status: 200, body: { posts: [{ id: ids[1] }, {}] } });
  });

  it("shows nothing of another workspace for a cursor with the id of its post", async () => {
    const cursor = btoa(foreign.post).replaceAll("=", "");
    const answer = await list(`cursor=${cursor}`);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain(foreign.post);
  });
});
