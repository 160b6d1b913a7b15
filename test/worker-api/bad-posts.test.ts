// Invalid texts, channels, files and options of a post, field by field, and the largest valid value of each field.
import { describe, expect, it } from "vitest";
import { call, post, uploadImage } from "../support/world.ts";
import { account, channel, dryRun, foreign, image, refusal, withAccounts } from "./bad-posts.ts";

withAccounts();

describe("text", () => {
  it.each([
    ["a number", 5],
    ["null", null],
    ["an array", ["x"]],
    ["true", true],
    ["a broken surrogate", "x\ud800"],
    ["a reversed surrogate pair", "\udc00\ud800"],
    ["a NUL", "a\0b"],
    ["longer than any network accepts", "a".repeat(100_001)],
  ])("rejects a text that is %s with invalid_field", async (_name, text) => {
    expect(await dryRun({ text })).toMatchObject(refusal("invalid_field", "/text"));
  });

  it.each([
    ["spaces", "   "],
    ["line breaks", "\r\n\t\n"],
    ["spaces of other scripts", "\u00a0\u3000\u2003\ufeff"],
  ])("rejects a text of only %s with text_required", async (_name, text) => {
    expect(await dryRun({ text })).toMatchObject(refusal("text_required", "/text"));
  });

  it.each([
    ["direction marks", "\u202eabc\u202c \u200f"],
    ["joined emoji", "👩‍👩‍👧‍👦"],
    ["combining marks", "e\u0301\u0323"],
    ["CRLF", "a\r\nb"],
    ["control characters", "a\u0001b\u007f"],
    ["private use and unassigned characters", "\ue000\u{10ffff}"],
  ])("stores a text with %s exactly as it was written", async (_name, text) => {
    const draft = await post(account.key, { draft: true, text });
    expect(draft.text).toBe(text);
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
    ["ids of another kind", ["post_01j00000000000000000000000"], "unknown_channel", "/channels/0"],
    ["empty strings", [""], "unknown_channel", "/channels/0"],
    ["quoted SQL", ["' OR 1=1 --"], "unknown_channel", "/channels/0"],
    ["10,000 ids", Array.from({ length: 10_000 }, (_, i) => `ch_${i}`), "invalid_field", "/channels"],
    ["longer than an id", ["c".repeat(101)], "invalid_field", "/channels/0"],
  ])("rejects channels that are %s", async (_name, channels, error, field) => {
    expect(await dryRun({ channels })).toMatchObject(refusal(error, field));
  });

  it("rejects a channel that is named twice, and points at the second one", async () => {
    expect(await dryRun({ channels: [channel, channel] })).toMatchObject(refusal("duplicate_channel", "/channels/1"));
  });

  it("rejects a channel of another workspace with unknown_channel", async () => {
    expect(await dryRun({ channels: [foreign.channel] })).toMatchObject(refusal("unknown_channel", "/channels/0"));
  });

  it("reports a hundred unknown channels as a hundred violations", async () => {
    const answer = await dryRun({ channels: Array.from({ length: 100 }, (_, i) => `ch_${i}`) });
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
    ["51 ids", Array.from({ length: 51 }, (_, i) => `med_${i}`), "invalid_field", "/media"],
  ])("rejects media that are %s", async (_name, media, error, field) => {
    expect(await dryRun({ media })).toMatchObject(refusal(error, field));
  });

  it("rejects a file that is named twice, belongs to another workspace or was deleted", async () => {
    expect(await dryRun({ media: [image, image] })).toMatchObject(refusal("duplicate_media", "/media/1"));
    expect(await dryRun({ media: [foreign.media] })).toMatchObject(refusal("unknown_media", "/media/0"));
    const deleted = await uploadImage(account);
    expect((await call("DELETE", `/v1/media/${deleted.id}`, { token: account.key })).status).toBe(204);
    expect(await dryRun({ media: [image, deleted.id] })).toMatchObject(refusal("unknown_media", "/media/1"));
  });

  it("accepts a file that is still to be uploaded", async () => {
    const { body } = await call<{ media: { id: string } }>("POST", "/v1/media/upload-url", {
      token: account.key,
      body: { content_type: "image/png", bytes: 10 },
    });
    expect(await dryRun({ media: [body.media.id] })).toMatchObject({ status: 200 });
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
      "an option with the name of a JavaScript property",
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
  ])("rejects these overrides: %s", async (_name, overrides, error, field) => {
    expect(await dryRun({ overrides: overrides() })).toMatchObject(refusal(error, field()));
  });

  it("accepts overrides that change nothing", async () => {
    expect(await dryRun({ overrides: {} })).toMatchObject({ status: 200 });
    expect(await dryRun({ overrides: { [channel]: {} } })).toMatchObject({ status: 200 });
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
  ])("rejects the post type %j with %s", async (postType, error) => {
    expect(await dryRun({ post_type: postType })).toMatchObject(refusal(error, "/post_type"));
  });

  it("accepts null as the post type", async () => {
    expect(await dryRun({ post_type: null })).toMatchObject({ status: 200 });
  });
});

describe("metadata", () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
  it.each<[string, unknown, string]>([
    ["null", null, "/metadata"],
    ["an array", ["a"], "/metadata"],
    ["a number as a value", { a: 1 }, "/metadata/a"],
    ["null as a value", { a: null }, "/metadata/a"],
    ["a map as a value", { a: {} }, "/metadata/a"],
    ["21 names", many(21), "/metadata"],
    ["a value of 501 characters", { a: "v".repeat(501) }, "/metadata/a"],
    ["an empty name", { "": "v" }, "/metadata/"],
    ["a NUL in a value", { a: "\0" }, "/metadata/a"],
    ["a NUL in a name", { "\0": "v" }, "/metadata/\0"],
    ["a broken surrogate in a name", { "\ud800": "v" }, "/metadata/\ud800"],
  ])("rejects this metadata with invalid_field: %s", async (_name, metadata, field) => {
    expect(await dryRun({ metadata })).toMatchObject(refusal("invalid_field", field));
  });

  it("accepts metadata with 20 names and with values of 500 characters", async () => {
    expect(await dryRun({ metadata: { ...many(19), long: "v".repeat(500) } })).toMatchObject({ status: 200 });
  });
});
