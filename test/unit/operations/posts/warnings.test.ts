// The warnings of an accepted post: which channel each is about, at which instant it begins, and what it names.
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../../src/domain/limits.ts";
import { findNetwork } from "../../../../src/networks/index.ts";
import { NOW } from "../../store/deliveries/stored-delivery.ts";
import { workspaceOfTwo } from "./workspace-of-two.ts";

const at = (ms: number) => new Date(ms).toISOString();
const LATER = NOW + HOUR_MS;
type Workspace = Awaited<ReturnType<typeof workspaceOfTwo>>;

/** The warnings of a dry run, on the first channel alone unless `body` names others. */
const warnings = async ({ create, first }: Workspace, body: object = {}, more: object = {}) =>
  Object((await create({ dry_run: true, channels: [first], ...body }, more)).body).warnings;
const onPlatform = (platform: string) => workspaceOfTwo({ channel: { platform } });

describe("the warnings of a channel's state", () => {
  it("include a token that expires at the very instant of the post, and not one that expires after it", async () => {
    const workspace = await workspaceOfTwo({ channel: { tokenExpiresAt: LATER } });
    expect(await warnings(workspace, { publish_at: at(LATER - 1) })).toEqual([]);
    expect(await warnings(workspace, { publish_at: at(LATER) })).toEqual([
      {
        code: "token_expires_before_publish_at",
        channel: workspace.first,
        message: `The token of @${workspace.first} expires before this post is due.`,
      },
    ]);
  });

  it("name the instant until which a network asks to wait, and end at that instant", async () => {
    const workspace = await workspaceOfTwo();
    await workspace.changeChannel(workspace.first, { notBefore: LATER });
    const both = { channels: [workspace.second, workspace.first] };
    expect(await warnings(workspace, { ...both, publish_at: at(LATER - 1) })).toEqual([
      {
        code: "network_waits",
        channel: workspace.first,
        message: `@${workspace.first} on telegram must be left alone until ${at(LATER)}; the post waits for that.`,
      },
    ]);
    expect(await warnings(workspace, { ...both, publish_at: at(LATER) })).toEqual([]);
  });

  it("name the version of an API that ends before the post is due", async () => {
    const { api } = findNetwork("linkedin")?.rule ?? expect.fail("LinkedIn is gone");
    const end = Date.parse(api.supported_until ?? expect.fail("its version never ends"));
    const workspace = await onPlatform("linkedin");
    workspace.ctx.now = () => end - DAY_MS;
    expect(await warnings(workspace, { publish_at: at(end - 1) })).toEqual([]);
    expect(await warnings(workspace, { publish_at: at(end) })).toMatchObject([
      { code: "version_ends_before_publish_at", channel: workspace.first },
    ]);
  });
});

describe("the warnings of a thread", () => {
  it("name the part that is nearly too long, counted from the first of all parts", async () => {
    const workspace = await onPlatform("bluesky");
    const thread = [{ text: "short" }, { text: "a".repeat(290) }];
    expect(await warnings(workspace, { thread })).toEqual([
      {
        code: "near_text_limit",
        channel: workspace.first,
        message: "The text of part 3 of 3 uses 290 of 300 graphemes on bluesky.",
      },
    ]);
    expect(await warnings(workspace, { text: "a".repeat(285) })).toEqual([]);
    expect(await warnings(workspace, { text: "a".repeat(286) })).toMatchObject([{ code: "near_text_limit" }]);
  });

  it("name the price of the part that holds a link", async () => {
    const workspace = await onPlatform("x");
    expect(await warnings(workspace, { thread: [{ text: "see example.com" }] })).toMatchObject([
      {
        code: "link_price",
        channel: workspace.first,
        message: expect.stringContaining(" for this post of part 2 of 2, because its text contains a link."),
      },
    ]);
  });

  it("name a part that repeats an earlier part of the same channel", async () => {
    const workspace = await onPlatform("x");
    expect(await warnings(workspace, { thread: [{ text: "more" }, { text: "hello" }] })).toMatchObject([
      { code: "repeated_part", channel: workspace.first, message: expect.stringContaining("Part 3") },
    ]);
  });
});

describe("the warnings of files", () => {
  it("count the files whose alt text the network drops", async () => {
    const workspace = await workspaceOfTwo();
    const file = { kind: "image", type: "image/jpeg", bytes: 1_000, width: 1_000, height: 1_000 };
    const described = { ...file, alt: "a loom" };
    expect(await warnings(workspace, { media_preview: [described, file] })).toMatchObject([
      { code: "alt_text_dropped", message: "telegram accepts no alt text for one of these files." },
    ]);
    expect(await warnings(workspace, { media_preview: [described, file, described] })).toMatchObject([
      { code: "alt_text_dropped", message: "telegram accepts no alt text for 2 of these files." },
    ]);
    expect(await warnings(workspace, { media_preview: [file, file] })).toEqual([]);
  });

  it("tell of a text that the chosen post mode drops, by the kind of the first file", async () => {
    const workspace = await onPlatform("tiktok");
    const { first } = workspace;
    const video = { kind: "video", type: "video/mp4", bytes: 1_000, width: 1_080, height: 1_920, seconds: 10 };
    const image = { kind: "image", type: "image/jpeg", bytes: 1_000, width: 1_080, height: 1_920 };
    const inbox = { overrides: { [first]: { post_mode: "inbox" } } };
    expect(await warnings(workspace, { ...inbox, media_preview: [video] })).toEqual([
      {
        code: "text_dropped",
        channel: first,
        message:
          "tiktok takes no text with this `post_mode` and video: the account's owner has to paste it into the draft.",
      },
    ]);
    expect(await warnings(workspace, { ...inbox, text: "", media_preview: [video] })).toEqual([]);
    expect(await warnings(workspace, { ...inbox, media_preview: [image] })).toEqual([]);
    const direct = { overrides: { [first]: { privacy_level: "SELF_ONLY" } } };
    expect(await warnings(workspace, { ...direct, media_preview: [video] })).toEqual([]);
  });
});

describe("the warning of a duplicate", () => {
  it("names a post that shares one of its channels, for a day", async () => {
    const workspace = await workspaceOfTwo();
    const { first, second, create, ctx } = workspace;
    const { body } = await create({ channels: [first, second] });
    const message = `${String(body.id)} has the same text and files and shares a channel.`;
    expect(await warnings(workspace)).toEqual([{ code: "possible_duplicate", message }]);
    ctx.now = () => NOW + DAY_MS - 1;
    expect(await warnings(workspace)).toMatchObject([{ code: "possible_duplicate" }]);
    ctx.now = () => NOW + DAY_MS + 1;
    expect(await warnings(workspace)).toEqual([]);
  });

  it("needs the same files and the same thread, and an empty thread is none", async () => {
    const workspace = await onPlatform("x");
    const { first, create, call } = workspace;
    const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
    await create({ channels: [first] });
    expect(await warnings(workspace, { media: [body.id] })).toEqual([]);
    expect(await warnings(workspace, { thread: [{ text: "more" }] })).toEqual([]);
    expect(await warnings(workspace, { thread: [] })).toMatchObject([{ code: "possible_duplicate" }]);
  });

  it("names no post with a channel that the caller does not reach", async () => {
    const workspace = await workspaceOfTwo();
    const { first, second, create } = workspace;
    await create({ channels: [first, second] });
    expect(await warnings(workspace, {}, { reach: [first] })).toEqual([]);
    await create({ channels: [first] });
    expect(await warnings(workspace, {}, { reach: [first] })).toMatchObject([{ code: "possible_duplicate" }]);
  });
});
