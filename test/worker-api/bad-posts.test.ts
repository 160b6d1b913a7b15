// What creating, listing and editing posts refuses, field by field, and the last value of each field that it takes.
import { beforeAll, describe, expect, it } from "vitest";
import { type Account, call, connect, type PostBody, post, signUp, uploadImage } from "../support/world.ts";

let account: Account;
let channel: string;
let image: string;
let foreign: { channel: string; media: string; post: string };
beforeAll(async () => {
  const stranger = await signUp();
  account = await signUp();
  channel = (await connect(account.key, "telegram")).id;
  image = (await uploadImage(account)).id;
  const theirs = (await connect(stranger.key, "telegram")).id;
  foreign = {
    channel: theirs,
    media: (await uploadImage(stranger)).id,
    post: (await post(stranger.key, { draft: true, text: "x" })).id,
  };
});

interface RefusalBody {
  error: string;
  field?: string;
  violations?: { code: string; field?: string }[];
  next: string | null;
  posts: unknown[];
}
const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

/** A dry run of a good post with some fields changed: it judges as the real call does. */
const judge = (changes: object) =>
  call<RefusalBody>("POST", "/v1/posts", {
    token: account.key,
    body: { text: "x", channels: [channel], dry_run: true, ...changes },
  });
const refusal = (error: string, field: string) => ({ status: 422, body: { error, field } });

describe("text", () => {
  it.each([
    ["a number", 5],
    ["null", null],
    ["an array", ["x"]],
    ["true", true],
    ["a broken surrogate", "x\ud800"],
    ["a surrogate pair the wrong way round", "\udc00\ud800"],
    ["a NUL", "a\0b"],
    ["more than any network takes", "a".repeat(100_001)],
  ])("that is %s is invalid_field", async (_name, text) => {
    expect(await judge({ text })).toMatchObject(refusal("invalid_field", "/text"));
  });

  it.each([
    ["spaces", "   "],
    ["line breaks", "\r\n\t\n"],
    ["spaces of other scripts", "\u00a0\u3000\u2003\ufeff"],
  ])("of nothing but %s is text_required", async (_name, text) => {
    expect(await judge({ text })).toMatchObject(refusal("text_required", "/text"));
  });

  it.each([
    ["marks of direction", "\u202eabc\u202c \u200f"],
    ["a joined family", "👩‍👩‍👧‍👦"],
    ["combining marks", "e\u0301\u0323"],
    ["CRLF", "a\r\nb"],
    ["control characters", "a\u0001b\u007f"],
    ["private use and unassigned characters", "\ue000\u{10ffff}"],
  ])("with %s is kept exactly as it was written", async (_name, text) => {
    const made = await post(account.key, { draft: true, text });
    expect(made.text).toBe(text);
  });
});

describe("channels", () => {
  it.each<[string, unknown, string, string]>([
    ["absent", undefined, "channels_required", "/channels"],
    ["empty", [], "channels_required", "/channels"],
    ["null", null, "invalid_field", "/channels"],
    ["a string", "ch_x", "invalid_field", "/channels"],
    ["an object", { 0: "ch_x" }, "invalid_field", "/channels"],
    ["numbers", [1], "invalid_field", "/channels/0"],
    ["unknown", ["ch_x"], "unknown_channel", "/channels/0"],
    ["of another kind", ["post_01j00000000000000000000000"], "unknown_channel", "/channels/0"],
    ["empty strings", [""], "unknown_channel", "/channels/0"],
    ["quoted SQL", ["' OR 1=1 --"], "unknown_channel", "/channels/0"],
    ["10,000", Array.from({ length: 10_000 }, (_, i) => `ch_${i}`), "invalid_field", "/channels"],
    ["longer than an id", ["c".repeat(101)], "invalid_field", "/channels/0"],
  ])("%s: refused", async (_name, channels, error, field) => {
    expect(await judge({ channels })).toMatchObject(refusal(error, field));
  });

  it("named twice: duplicate_channel at the second", async () => {
    expect(await judge({ channels: [channel, channel] })).toMatchObject(refusal("duplicate_channel", "/channels/1"));
  });

  it("of another workspace: unknown_channel", async () => {
    expect(await judge({ channels: [foreign.channel] })).toMatchObject(refusal("unknown_channel", "/channels/0"));
  });

  it("a hundred unknown ones are a hundred violations", async () => {
    const answer = await judge({ channels: Array.from({ length: 100 }, (_, i) => `ch_${i}`) });
    expect(answer.status).toBe(422);
    expect(answer.body.violations).toHaveLength(100);
  });
});

describe("media", () => {
  it.each<[string, unknown, string, string]>([
    ["null", null, "invalid_field", "/media"],
    ["a string", "med_x", "invalid_field", "/media"],
    ["objects", [{ id: "med_x" }], "invalid_field", "/media/0"],
    ["unknown", ["med_x"], "unknown_media", "/media/0"],
    ["51", Array.from({ length: 51 }, (_, i) => `med_${i}`), "invalid_field", "/media"],
  ])("%s: refused", async (_name, media, error, field) => {
    expect(await judge({ media })).toMatchObject(refusal(error, field));
  });

  it("named twice, of another workspace, or deleted: refused", async () => {
    expect(await judge({ media: [image, image] })).toMatchObject(refusal("duplicate_media", "/media/1"));
    expect(await judge({ media: [foreign.media] })).toMatchObject(refusal("unknown_media", "/media/0"));
    const gone = await uploadImage(account);
    expect((await call("DELETE", `/v1/media/${gone.id}`, { token: account.key })).status).toBe(204);
    expect(await judge({ media: [image, gone.id] })).toMatchObject(refusal("unknown_media", "/media/1"));
  });

  it("that is still to be uploaded may be named", async () => {
    const { body } = await call<{ media: { id: string } }>("POST", "/v1/media/upload-url", {
      token: account.key,
      body: { content_type: "image/png", bytes: 10 },
    });
    expect(await judge({ media: [body.media.id] })).toMatchObject({ status: 200 });
  });
});

describe("overrides", () => {
  it.each<[string, () => unknown, string, () => string]>([
    ["null", () => null, "invalid_field", () => "/overrides"],
    ["an array", () => [], "invalid_field", () => "/overrides"],
    ["null for a channel", () => ({ [channel]: null }), "invalid_field", () => `/overrides/${channel}`],
    ["a text for a channel", () => ({ [channel]: "x" }), "invalid_field", () => `/overrides/${channel}`],
    ["a number as text", () => ({ [channel]: { text: 1 } }), "invalid_field", () => `/overrides/${channel}/text`],
    ["null as text", () => ({ [channel]: { text: null } }), "invalid_field", () => `/overrides/${channel}/text`],
    ["a NUL as text", () => ({ [channel]: { text: "\0" } }), "invalid_field", () => `/overrides/${channel}/text`],
    ["null as media", () => ({ [channel]: { media: null } }), "invalid_field", () => `/overrides/${channel}/media`],
    [
      "an unknown file",
      () => ({ [channel]: { media: ["med_x"] } }),
      "unknown_media",
      () => `/overrides/${channel}/media/0`,
    ],
    ["an unknown option", () => ({ [channel]: { colour: 1 } }), "invalid_option", () => `/overrides/${channel}/colour`],
    [
      "an option named as JavaScript's own",
      () => ({ [channel]: { constructor: 1 } }),
      "invalid_option",
      () => `/overrides/${channel}/constructor`,
    ],
    [
      "a channel that is not on the post",
      () => ({ "ch_a/b": { text: "x" } }),
      "override_for_unknown_channel",
      () => "/overrides/ch_a~1b",
    ],
    [
      "a channel of another workspace",
      () => ({ [foreign.channel]: {} }),
      "override_for_unknown_channel",
      () => `/overrides/${foreign.channel}`,
    ],
  ])("with %s: refused", async (_name, overrides, error, field) => {
    expect(await judge({ overrides: overrides() })).toMatchObject(refusal(error, field()));
  });

  it("that change nothing are taken", async () => {
    expect(await judge({ overrides: {} })).toMatchObject({ status: 200 });
    expect(await judge({ overrides: { [channel]: {} } })).toMatchObject({ status: 200 });
  });
});

describe("publish_at", () => {
  it.each<[unknown, string]>([
    ["", "publish_at_invalid"],
    [" ", "publish_at_invalid"],
    [0, "publish_at_invalid"],
    [1_800_000_000_000, "publish_at_invalid"],
    [true, "publish_at_invalid"],
    [[], "publish_at_invalid"],
    [{}, "publish_at_invalid"],
    ["now", "publish_at_invalid"],
    ["2027-01-01", "publish_at_invalid"],
    ["2027-02-30T10:00:00Z", "publish_at_invalid"],
    ["2027-02-29T10:00:00", "publish_at_invalid"],
    ["2027-13-01T10:00:00Z", "publish_at_invalid"],
    ["2027-01-00T10:00:00Z", "publish_at_invalid"],
    ["2027-01-01T24:00:00Z", "publish_at_invalid"],
    ["2027-01-01T10:60:00Z", "publish_at_invalid"],
    ["2027-01-01T10:00:60Z", "publish_at_invalid"],
    ["2027-01-01T10:00:00+25:00", "publish_at_invalid"],
    ["2027-01-01T10:00:00+0100", "publish_at_invalid"],
    ["2027-01-01T10:00:00z", "publish_at_invalid"],
    ["2027-01-01T10:00:00Z ", "publish_at_invalid"],
    ["2027-01-01T10:00:00[Europe/Berlin]", "publish_at_invalid"],
    ["2027-01-01T10:00:00Z\n", "publish_at_invalid"],
    ["+012027-01-01T10:00:00Z", "publish_at_invalid"],
    ["２０２７-01-01T10:00:00Z", "publish_at_invalid"],
    ["1".repeat(1_000), "publish_at_invalid"],
    ["2020-01-01T00:00:00Z", "publish_at_in_past"],
    ["0001-01-01T00:00:00Z", "publish_at_in_past"],
    ["9999-12-31T23:59:59Z", "publish_at_too_far"],
  ])("%j is %s", async (publishAt, error) => {
    const answer = await judge({ publish_at: publishAt });
    expect(answer).toMatchObject(refusal(error, "/publish_at"));
    expect(answer.body).toMatchObject({ violations: [{ code: error, field: "/publish_at" }] });
  });

  it.each([
    [{ publish_at: 5 }, "publish_at_invalid", "/publish_at"],
    [{ text: 5 }, "invalid_field", "/text"],
    [{ labels: ["a", "a"] }, "invalid_field", "/labels"],
    [{ publishAt: "2027-01-01T10:00:00Z" }, "unknown_field", "/publishAt"],
  ])("%j is told as a violation, like any other rule that is broken", async (body, code, field) => {
    expect(await judge(body)).toMatchObject({
      status: 422,
      body: { error: code, field, violations: [{ code, field }] },
    });
  });

  it("may be absent or null, a moment ago, and 366 days ahead", async () => {
    expect(await judge({})).toMatchObject({ status: 200, body: { publish_at: null } });
    expect(await judge({ publish_at: null })).toMatchObject({ status: 200, body: { publish_at: null } });
    expect(await judge({ publish_at: new Date(Date.now() - 30_000).toISOString() })).toMatchObject({ status: 200 });
    expect(await judge({ publish_at: inDays(365.9) })).toMatchObject({ status: 200 });
    expect(await judge({ publish_at: inDays(366.1) })).toMatchObject(refusal("publish_at_too_far", "/publish_at"));
  });

  it("that the workspace's clocks skip or show twice is refused or the first", async () => {
    const other = await signUp();
    const { id } = await connect(other.key, "telegram");
    // A zone that changes its clocks twice in every 366 days.
    await call("PATCH", "/v1/workspace", { token: other.key, body: { timezone: "Europe/Berlin" } });
    const spring = lastSunday(2);
    const autumn = lastSunday(9);
    const at = (publish_at: string) =>
      call<RefusalBody & { publish_at: string; hint: string }>("POST", "/v1/posts", {
        token: other.key,
        body: { text: "x", channels: [id], dry_run: true, publish_at },
      });
    const skipped = await at(`${spring}T02:30`);
    expect(skipped).toMatchObject(refusal("publish_at_in_dst_gap", "/publish_at"));
    expect(skipped.body.hint).toContain(`${spring}T01:30:00+01:00 and ${spring}T03:30:00+02:00`);
    expect(await at(`${autumn}T02:30`)).toMatchObject({
      status: 200,
      body: { publish_at: `${autumn}T00:30:00.000Z` },
    });
  });
});

/** The next last Sunday of a month (0 to 11), as `2027-03-28`. */
function lastSunday(month: number): string {
  const tomorrow = new Date(Date.now() + DAY_MS);
  for (const year of [tomorrow.getUTCFullYear(), tomorrow.getUTCFullYear() + 1]) {
    const last = new Date(Date.UTC(year, month + 1, 0));
    const sunday = new Date(last.getTime() - last.getUTCDay() * DAY_MS);
    if (sunday > tomorrow) return sunday.toISOString().slice(0, 10);
  }
  throw new Error("a year has every month");
}

describe("the switches", () => {
  it.each<[object, string, string]>([
    [{ draft: "true" }, "draft_not_boolean", "/draft"],
    [{ draft: 0 }, "draft_not_boolean", "/draft"],
    [{ draft: 1 }, "draft_not_boolean", "/draft"],
    [{ draft: null }, "draft_not_boolean", "/draft"],
    [{ draft: [] }, "draft_not_boolean", "/draft"],
    [{ draft: {} }, "draft_not_boolean", "/draft"],
    [{ draft: "" }, "draft_not_boolean", "/draft"],
    [{ dry_run: "true" }, "invalid_field", "/dry_run"],
    [{ dry_run: 1 }, "invalid_field", "/dry_run"],
    [{ dry_run: null }, "invalid_field", "/dry_run"],
    [{ dry_run: undefined, media_preview: [] }, "media_preview_needs_dry_run", "/media_preview"],
    [{ dry_run: false, media_preview: [{ kind: "image" }] }, "media_preview_needs_dry_run", "/media_preview"],
  ])("%j is %s", async (changes, error, field) => {
    expect(await judge(changes)).toMatchObject(refusal(error, field));
  });
});

describe("post_type", () => {
  it.each<[unknown, string]>([
    ["poem", "invalid_field"],
    ["FEED", "invalid_field"],
    ["", "invalid_field"],
    [1, "invalid_field"],
    [["feed"], "invalid_field"],
    ["constructor", "invalid_field"],
    ["article", "post_type_not_offered"],
  ])("%j is %s", async (postType, error) => {
    expect(await judge({ post_type: postType })).toMatchObject(refusal(error, "/post_type"));
  });

  it("null is none", async () => {
    expect(await judge({ post_type: null })).toMatchObject({ status: 200 });
  });
});

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
  ])("%j is %s", async (preview, error, field) => {
    expect(await judge({ media_preview: preview })).toMatchObject(refusal(error, field));
  });

  it.each([
    ["1e400", 422],
    ["-1e400", 422],
    ["-0", 200],
    ["0", 200],
    ["0.1e1", 200],
    ["9007199254740993", 422],
  ])("bytes of %s", async (bytes, status) => {
    const body = `{"text":"x","channels":["${channel}"],"dry_run":true,"media_preview":[{"kind":"image","bytes":${bytes}}]}`;
    expect((await call("POST", "/v1/posts", { token: account.key, body })).status).toBe(status);
  });

  it("that breaks a rule is pointed at where it stands, behind the files that are there", async () => {
    const large = { kind: "image", bytes: 100_000_000 };
    expect(await judge({ media_preview: [{ kind: "image" }, large] })).toMatchObject(
      refusal("media_too_large", "/media_preview/1"),
    );
    expect(await judge({ media: [image], media_preview: [large] })).toMatchObject(
      refusal("media_too_large", "/media_preview/0"),
    );
    expect(await judge({ media_preview: Array(11).fill({ kind: "image" }) })).toMatchObject(
      refusal("too_many_images", "/media_preview"),
    );
    const answer = await judge({ media: ["med_x"], media_preview: [large] });
    expect(answer.body.violations).toMatchObject([
      { code: "unknown_media", field: "/media/0" },
      { code: "media_too_large", field: "/media_preview/0" },
    ]);
  });

  it("is judged with its alt text, as the file will be", async () => {
    const threads = (await connect(account.key, "threads")).id;
    const preview = (alt: string) => ({ channels: [threads], media_preview: [{ kind: "image", alt }] });
    expect(await judge(preview("a".repeat(1_001)))).toMatchObject(refusal("alt_too_long", "/media_preview/0"));
    expect(await judge(preview("a".repeat(1_000)))).toMatchObject({ status: 200 });
    expect(await judge({ media_preview: [{ kind: "image", alt: "A cat" }] })).toMatchObject({
      status: 200,
      body: { warnings: [{ code: "alt_text_dropped" }] },
    });
  });

  it("of an infinite length is refused", async () => {
    const body = `{"text":"x","channels":["${channel}"],"dry_run":true,"media_preview":[{"kind":"video","seconds":1e400}]}`;
    expect(await call("POST", "/v1/posts", { token: account.key, body })).toMatchObject(
      refusal("invalid_field", "/media_preview/0/seconds"),
    );
  });
});

describe("metadata", () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
  it.each<[string, unknown, string]>([
    ["null", null, "/metadata"],
    ["an array", ["a"], "/metadata"],
    ["a number within", { a: 1 }, "/metadata/a"],
    ["null within", { a: null }, "/metadata/a"],
    ["a map within", { a: {} }, "/metadata/a"],
    ["21 names", many(21), "/metadata"],
    ["a value of 501", { a: "v".repeat(501) }, "/metadata/a"],
    ["an empty name", { "": "v" }, "/metadata/"],
    ["a NUL in a value", { a: "\0" }, "/metadata/a"],
    ["a NUL in a name", { "\0": "v" }, "/metadata/\0"],
    ["a broken surrogate in a name", { "\ud800": "v" }, "/metadata/\ud800"],
  ])("with %s is invalid_field", async (_name, metadata, field) => {
    expect(await judge({ metadata })).toMatchObject(refusal("invalid_field", field));
  });

  it("of 20 names and values of 500 is taken", async () => {
    expect(await judge({ metadata: { ...many(19), long: "v".repeat(500) } })).toMatchObject({ status: 200 });
  });
});

describe("a draft", () => {
  it("may be empty, but what it has must be right", async () => {
    const draft = (body: object) =>
      call<RefusalBody>("POST", "/v1/posts", { token: account.key, body: { draft: true, ...body } });
    expect(await draft({})).toMatchObject({ status: 201 });
    expect(await draft({ channels: [] })).toMatchObject({ status: 201 });
    expect(await draft({ channels: ["ch_x"] })).toMatchObject(refusal("unknown_channel", "/channels/0"));
    expect(await draft({ media: ["med_x"] })).toMatchObject(refusal("unknown_media", "/media/0"));
    expect(await draft({ publish_at: "2020-01-01T00:00Z" })).toMatchObject(
      refusal("publish_at_in_past", "/publish_at"),
    );
    expect(await draft({ channels: [channel], text: "a".repeat(5_000) })).toMatchObject(
      refusal("text_too_long", "/text"),
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
  ])("of %j is %s", async (body, error, field) => {
    expect(await patch(body)).toMatchObject(refusal(error, field));
  });

  it("of nothing changes nothing", async () => {
    const before = await call<PostBody>("GET", `/v1/posts/${id}`, { token: account.key });
    expect(await patch({})).toMatchObject({ status: 200, body: { text: "x", post_type: "feed", status: "draft" } });
    const after = await call<PostBody>("GET", `/v1/posts/${id}`, { token: account.key });
    expect({ ...after.body, updated_at: null }).toEqual({ ...before.body, updated_at: null });
  });

  it("of another workspace's post is 404, whatever the body", async () => {
    const answer = await call("PATCH", `/v1/posts/${foreign.post}`, { token: account.key, body: { text: "mine" } });
    expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
  });
});

describe("Idempotency-Key", () => {
  const withKey = (key: string) =>
    call<RefusalBody>("POST", "/v1/posts", {
      token: account.key,
      headers: { "idempotency-key": key },
      body: { draft: true },
    });
  it.each([
    ["empty", ""],
    ["256 characters", "k".repeat(256)],
    ["white space within", "a b"],
    ["other characters than ASCII", "schl\u00fcssel"],
    ["a control character", "a\u0001b"],
    ["an empty quoted string", '""'],
    ["256 quoted characters", `"${"k".repeat(256)}"`],
    ["two values", "a, b"],
  ])("%s: idempotency_key_invalid", async (_name, key) => {
    expect(await withKey(key)).toMatchObject(refusal("idempotency_key_invalid", "Idempotency-Key"));
  });

  it("of 255 characters, any of visible ASCII, is taken", async () => {
    expect(await withKey("k".repeat(255))).toMatchObject({ status: 201 });
    expect(await withKey("!#$%&'()*+-./:;<=>?@[]^_`{|}~")).toMatchObject({ status: 201 });
  });
});

describe("GET /v1/posts", () => {
  let own: Account;
  let ids: string[];
  beforeAll(async () => {
    own = await signUp();
    const body = { text: "x", channels: [(await connect(own.key, "telegram")).id], publish_at: inDays(1) };
    ids = [];
    for (let i = 0; i < 3; i++) ids.unshift((await post(own.key, body)).id);
  });
  const list = (query: string) => call<RefusalBody>("GET", `/v1/posts?${query}`, { token: own.key });

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
  ])("%s is the default or the cap, never an error", async (query) => {
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
  ])("%s is unknown_status", async (query) => {
    expect(await list(query)).toMatchObject(refusal("unknown_status", "/status"));
  });

  it("a cursor that is not one of ours is unreadable_cursor, never the first page", async () => {
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

  it("a cursor of another workspace shows nothing of it", async () => {
    const cursor = btoa(foreign.post).replaceAll("=", "");
    const answer = await list(`cursor=${cursor}`);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain(foreign.post);
  });
});
