// The warnings of an accepted post.
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../../src/domain/limits.ts";
import { findNetwork } from "../../../../src/networks/index.ts";
import { NOW } from "../../store/deliveries/stored-delivery.ts";
import { setUpWorkspace } from "./workspace-of-two.ts";

const toIso = (ms: number) => new Date(ms).toISOString();
const LATER = NOW + HOUR_MS;
type Workspace = Awaited<ReturnType<typeof setUpWorkspace>>;

/** Returns the warnings of a dry run, on the first channel unless `body` names others. */
const listWarnings = async ({ create, first }: Workspace, body: object = {}, options: object = {}) =>
  Object((await create({ dry_run: true, channels: [first], ...body }, options)).body).warnings;
const setUpOn = (platform: string) => setUpWorkspace({ channel: { platform } });

describe("the warnings of a channel's state", () => {
  it("a post has a warning if a token expires at its instant, and none if the token expires later", async () => {
    const workspace = await setUpWorkspace({ channel: { tokenExpiresAt: LATER } });
    expect(await listWarnings(workspace, { publish_at: toIso(LATER - 1) })).toEqual([]);
    expect(await listWarnings(workspace, { publish_at: toIso(LATER) })).toEqual([
      {
        code: "token_expires_before_publish_at",
        channel: workspace.first,
        message: `The token of @${workspace.first} expires before this post is due.`,
        until: toIso(LATER),
      },
    ]);
  });

  it("a post that is due during a network's wait has a warning with the end of the wait", async () => {
    const workspace = await setUpWorkspace();
    await workspace.changeChannel(workspace.first, { notBefore: LATER });
    const bothChannels = { channels: [workspace.second, workspace.first] };
    expect(await listWarnings(workspace, { ...bothChannels, publish_at: toIso(LATER - 1) })).toEqual([
      {
        code: "network_waits",
        channel: workspace.first,
        message: `@${workspace.first} on telegram must be left alone until ${toIso(LATER)}; the post waits for that.`,
        until: toIso(LATER),
      },
    ]);
    expect(await listWarnings(workspace, { ...bothChannels, publish_at: toIso(LATER) })).toEqual([]);
  });

  it("a post has a warning if the version of the network's API ends before the post is due", async () => {
    const { api } = findNetwork("linkedin")?.rule ?? expect.fail("LinkedIn is gone");
    const end = Date.parse(api.supported_until ?? expect.fail("its version never ends"));
    const workspace = await setUpOn("linkedin");
    workspace.ctx.now = () => end - DAY_MS;
    expect(await listWarnings(workspace, { publish_at: toIso(end - 1) })).toEqual([]);
    expect(await listWarnings(workspace, { publish_at: toIso(end) })).toMatchObject([
      { code: "version_ends_before_publish_at", channel: workspace.first },
    ]);
  });
});

describe("the warnings of a thread", () => {
  it("the warning of a long thread part names its number, counted from the first part", async () => {
    const workspace = await setUpOn("bluesky");
    const thread = [{ text: "short" }, { text: "a".repeat(290) }];
    expect(await listWarnings(workspace, { thread })).toEqual([
      {
        code: "near_text_limit",
        channel: workspace.first,
        message: "The text of part 3 of 3 uses 290 of 300 graphemes on bluesky.",
        part: 2,
        limit: 300,
        actual: 290,
        unit: "graphemes",
      },
    ]);
    expect(await listWarnings(workspace, { text: "a".repeat(285) })).toEqual([]);
    expect(await listWarnings(workspace, { text: "a".repeat(286) })).toMatchObject([{ code: "near_text_limit" }]);
  });

  it("the warning of a link's price names the thread part with the link", async () => {
    const workspace = await setUpOn("x");
    expect(await listWarnings(workspace, { thread: [{ text: "see example.com" }] })).toMatchObject([
      {
        code: "link_price",
        channel: workspace.first,
        message: expect.stringContaining(" for this post of part 2 of 2, because its text contains a link."),
      },
    ]);
  });

  it("a thread part that repeats an earlier part has a warning", async () => {
    const workspace = await setUpOn("x");
    expect(await listWarnings(workspace, { thread: [{ text: "more" }, { text: "hello" }] })).toMatchObject([
      { code: "repeated_part", channel: workspace.first, message: expect.stringContaining("Part 3") },
    ]);
  });
});

describe("the warnings of files", () => {
  it("the warning of dropped alt texts counts the files", async () => {
    const workspace = await setUpWorkspace();
    const file = { kind: "image", type: "image/jpeg", bytes: 1_000, width: 1_000, height: 1_000 };
    const described = { ...file, alt: "a loom" };
    expect(await listWarnings(workspace, { media_preview: [described, file] })).toMatchObject([
      { code: "alt_text_dropped", message: "telegram accepts no alt text for one of these files." },
    ]);
    expect(await listWarnings(workspace, { media_preview: [described, file, described] })).toMatchObject([
      { code: "alt_text_dropped", message: "telegram accepts no alt text for 2 of these files." },
    ]);
    expect(await listWarnings(workspace, { media_preview: [file, file] })).toEqual([]);
  });

  it("a post has a warning if its post mode drops the text for the kind of its file", async () => {
    const workspace = await setUpOn("tiktok");
    const { first } = workspace;
    const video = { kind: "video", type: "video/mp4", bytes: 1_000, width: 1_080, height: 1_920, seconds: 10 };
    const image = { kind: "image", type: "image/jpeg", bytes: 1_000, width: 1_080, height: 1_920 };
    const inbox = { overrides: { [first]: { post_mode: "inbox" } } };
    expect(await listWarnings(workspace, { ...inbox, media_preview: [video] })).toEqual([
      {
        code: "text_dropped",
        channel: first,
        message:
          "tiktok takes no text with this `post_mode` and video: the account's owner has to paste it into the draft.",
      },
    ]);
    expect(await listWarnings(workspace, { ...inbox, text: "", media_preview: [video] })).toEqual([]);
    expect(await listWarnings(workspace, { ...inbox, media_preview: [image] })).toEqual([]);
    const direct = { overrides: { [first]: { privacy_level: "SELF_ONLY" } } };
    expect(await listWarnings(workspace, { ...direct, media_preview: [video] })).toEqual([]);
  });
});

describe("the warning of a duplicate", () => {
  it("the warning of a duplicate names a post that shares a channel, for one day", async () => {
    const workspace = await setUpWorkspace();
    const { first, second, create, ctx } = workspace;
    const { body } = await create({ channels: [first, second] });
    const message = `${String(body.id)} has the same text and files and shares a channel.`;
    expect(await listWarnings(workspace)).toEqual([{ code: "possible_duplicate", message, post: body.id }]);
    ctx.now = () => NOW + DAY_MS - 1;
    expect(await listWarnings(workspace)).toMatchObject([{ code: "possible_duplicate" }]);
    ctx.now = () => NOW + DAY_MS + 1;
    expect(await listWarnings(workspace)).toEqual([]);
  });

  it("the warning of a duplicate requires the same files and the same thread, and an empty thread equals none", async () => {
    const workspace = await setUpOn("x");
    const { first, create, call } = workspace;
    const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
    await create({ channels: [first] });
    expect(await listWarnings(workspace, { media: [body.id] })).toEqual([]);
    expect(await listWarnings(workspace, { thread: [{ text: "more" }] })).toEqual([]);
    expect(await listWarnings(workspace, { thread: [] })).toMatchObject([{ code: "possible_duplicate" }]);
  });

  it("the warning of a duplicate names no post with a channel that the caller may not use", async () => {
    const workspace = await setUpWorkspace();
    const { first, second, create } = workspace;
    await create({ channels: [first, second] });
    expect(await listWarnings(workspace, {}, { reach: [first] })).toEqual([]);
    await create({ channels: [first] });
    expect(await listWarnings(workspace, {}, { reach: [first] })).toMatchObject([{ code: "possible_duplicate" }]);
  });
});
