// An import file may name channels by id, handle, platform or both, or by their ids in the workspace of origin.
import { describe, expect, it } from "vitest";
import { CHANNELS_PER_POST_MAX } from "../../../../../src/domain/limits.ts";
import { indexChannels, resolveChannels } from "../../../../../src/operations/posts/import/channel-ids.ts";

const CHANNELS = [
  { id: "ch_1", platform: "telegram", handle: "@ada" },
  { id: "ch_2", platform: "x", handle: "@ada" },
  { id: "ch_3", platform: "bluesky", handle: "bo.bsky.social" },
];
const IN_FILE = new Map([
  ["ch_there", "telegram:@ada"],
  ["ch_gone", "mastodon:@ada"],
  ["ch_2", "telegram:@ada"],
]);
const findChannel = (channelName: string) => indexChannels(CHANNELS, IN_FILE)(channelName);
const resolve = (body: Parameters<typeof resolveChannels>[0]) => resolveChannels(body, findChannel);

describe("a name of a channel", () => {
  it.each([
    ["ch_1", ["ch_1"]],
    ["ch_2", ["ch_2"]],
    ["bo", ["ch_3"]],
    ["@ADA", ["ch_1", "ch_2"]],
    ["telegram", ["ch_1"]],
    ["telegram:ada", ["ch_1"]],
    ["x:@ada", ["ch_2"]],
    ["bluesky:ada", []],
    ["mastodon:ada", []],
    ["ch_there", ["ch_1"]],
    ["ch_gone", []],
    ["nobody", []],
    ["X:@ada", []],
    ["", []],
  ])("the name %j stands for the channels %j", (channelName, ids) => {
    expect(findChannel(channelName).ids).toEqual(ids);
  });

  it("an id of the file stands for the channel that the file describes", () => {
    expect(findChannel("ch_there").name).toBe("telegram:@ada");
    expect(findChannel("nobody").name).toBe("nobody");
    expect(findChannel("ch_2").name).toBe("telegram:@ada");
  });

  it("a name of platform and handle may have a colon in the handle", () => {
    const findChannels = indexChannels([{ id: "ch_9", platform: "mastodon", handle: "a:b" }], new Map());
    expect(findChannels("mastodon:a:b").ids).toEqual(["ch_9"]);
  });
});

describe("a body with names of channels", () => {
  it("names of channels in a body are replaced by ids, and other fields stay unchanged", () => {
    const body = { text: "a", channels: ["telegram", "x"], overrides: { telegram: { silent: true } } };
    expect(resolve(body)).toEqual({
      body: { text: "a", channels: ["ch_1", "ch_2"], overrides: { ch_1: { silent: true } } },
      unknown: [],
    });
    expect(resolve({ text: "a" })).toEqual({ body: { text: "a" }, unknown: [] });
  });

  it("values that are not names stay unchanged for the later check of the post", () => {
    const body = { channels: [7, "telegram", null], overrides: "x" };
    expect(resolve(body)).toEqual({ body: { channels: [7, "ch_1", null], overrides: "x" }, unknown: [] });
    expect(resolve({ channels: "telegram" }).body).toEqual({ channels: "telegram" });
  });

  it("an unknown name is reported at its field, and removed from the body", () => {
    const { body, unknown } = resolve({ channels: ["telegram", "nobody"], overrides: { "a/b": {} } });
    expect(body).toEqual({ channels: ["ch_1"], overrides: {} });
    expect(unknown).toMatchObject([
      {
        code: "unknown_channel",
        field: "/channels/1",
        channel: "nobody",
        message: "Not found: no channel `nobody` in this workspace.",
      },
      { code: "unknown_channel", field: "/overrides/a~1b", channel: "a/b" },
    ]);
    expect(unknown[0]?.hint).not.toContain("It is the name of");
  });

  it("an ambiguous name is reported with up to five of its channels", () => {
    expect(resolve({ channels: ["ada"] }).unknown).toMatchObject([
      { code: "unknown_channel", hint: "It is the name of 2 channels: ch_1, ch_2." },
    ]);
    const many = Array.from({ length: 7 }, (_, i) => ({ id: `ch_${i}`, platform: "x", handle: `@${i}` }));
    expect(resolveChannels({ channels: ["x"] }, indexChannels(many, new Map())).unknown).toMatchObject([
      { hint: "It is the name of 7 channels: ch_0, ch_1, ch_2, ch_3, ch_4." },
    ]);
  });

  it("the report of an unknown name shows the file's own description, and at most a hundred characters", () => {
    const long = "n".repeat(200);
    expect(resolve({ channels: ["ch_gone", long] }).unknown).toMatchObject([
      { channel: "ch_gone", message: "Not found: no channel `mastodon:@ada` in this workspace." },
      { channel: long.slice(0, 100), message: `Not found: no channel \`${long.slice(0, 100)}\` in this workspace.` },
    ]);
  });

  it("two overrides of one channel are reported, and the last one stays", () => {
    const { body, unknown } = resolve({ overrides: { telegram: { text: "one" }, ch_1: { text: "two" } } });
    expect(body).toEqual({ overrides: { ch_1: { text: "two" } } });
    expect(unknown).toMatchObject([{ code: "duplicate_channel", field: "/overrides/ch_1", channel: "ch_1" }]);
  });

  it("a body with more channels than a post may have stays unchanged", () => {
    const listed = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
    const over = CHANNELS_PER_POST_MAX + 1;
    const overrides = Object.fromEntries(listed(over).map((name) => [name, {}]));
    expect(resolve({ channels: listed(over), overrides })).toEqual({
      body: { channels: listed(over), overrides },
      unknown: [],
    });
    expect(resolve({ channels: listed(CHANNELS_PER_POST_MAX) }).unknown).toHaveLength(CHANNELS_PER_POST_MAX);
  });
});
