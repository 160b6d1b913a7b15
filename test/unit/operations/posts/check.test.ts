// The checks of a post that do not depend on a network: the ids in it, and the field of each violation.
import { describe, expect, it } from "vitest";
import { findNetwork } from "../../../../src/networks/index.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

/** Returns the violations of a refused call. */
const findViolations = async (work: Promise<unknown>) => (await catchRefusal(work)).detail.violations;
const IMAGE = { kind: "image", type: "image/jpeg", bytes: 1_000, width: 1_000, height: 1_000 };

describe("a channel that is not named by its id", () => {
  it("a channel that is named by its handle or platform is refused with its id, in channels and overrides", async () => {
    const { create, call, first, changeChannel, second } = await setUpWorkspace();
    await changeChannel(first, { platform: "bluesky", handle: "ada.bsky.social" });
    const { body: otherChannel } = await call("channels.connect", {
      body: { platform: "telegram", handle: "@bluesky" },
    });
    const hint = (name: string) => `A channel is identified by its id: \`${name}\` is \`${first}\` on bluesky.`;
    const created = create({
      channels: ["bluesky", " @ADA ", second, "nobody"],
      overrides: { "ada.bsky.social": {}, [second]: { colour: "red" } },
    });
    const violationsFound = await findViolations(created);
    expect(violationsFound).toMatchObject([
      {
        code: "unknown_channel",
        field: "/channels/0",
        hint: expect.stringContaining(`\`${otherChannel.id}\` on telegram.`),
      },
      { code: "unknown_channel", field: "/channels/1", hint: hint(" @ADA ") },
      { code: "unknown_channel", field: "/channels/3", channel: "nobody" },
      { code: "override_for_unknown_channel", field: "/overrides/ada.bsky.social", hint: hint("ada.bsky.social") },
      { code: "invalid_option", field: `/overrides/${second}/colour` },
    ]);
    expect(JSON.stringify(violationsFound?.[2])).not.toContain("is identified by");
    expect(JSON.stringify(violationsFound?.[4])).not.toContain("is identified by");
  });

  it("the refusal of an ambiguous channel lists up to five ids that the caller may use", async () => {
    const { create, call, first, second } = await setUpWorkspace();
    const two = await findViolations(create({ channels: ["telegram"] }));
    expect(two).toMatchObject([{ hint: expect.stringContaining(", or ") }]);
    expect(JSON.stringify(two)).toContain(second);
    const reachable = await findViolations(create({ channels: ["telegram"] }, { reach: [first] }));
    expect(JSON.stringify(reachable)).not.toContain(second);
    for (let i = 0; i < 4; i++) {
      await call("channels.connect", { body: { platform: "telegram", handle: `@more${i}` } });
    }
    const [many] = (await findViolations(create({ channels: ["telegram"] }))) ?? [];
    expect(many?.hint?.match(/ on telegram/g)).toHaveLength(5);
  });
});

describe("a post whose channel needs a permission that its owner did not grant", () => {
  it("a post is refused only if its mode needs the missing permission", async () => {
    const { create, first, changeChannel } = await setUpWorkspace({ channel: { platform: "tiktok" } });
    const video = { kind: "video", type: "video/mp4", bytes: 1_000, width: 1_080, height: 1_920, seconds: 10 };
    const post = (options: object) =>
      create({ dry_run: true, channels: [first], media_preview: [video], overrides: { [first]: options } });
    const direct = { privacy_level: "SELF_ONLY" };
    await changeChannel(first, { missingPermissions: ["video.publish"] });
    expect(await findViolations(post(direct))).toEqual([
      {
        code: "invalid_option",
        field: `/overrides/${first}/post_mode`,
        channel: first,
        platform: "tiktok",
        message: "The channel was connected without the permission `video.publish`, which this `post_mode` needs.",
        hint: "Set another `post_mode`, or connect the channel again and grant `video.publish`.",
        option: "post_mode",
        option_fault: "permission_missing",
        permission: "video.publish",
      },
    ]);
    expect((await post({ post_mode: "inbox" })).status).toBe(200);
    await changeChannel(first, { missingPermissions: ["video.upload"] });
    expect((await post(direct)).status).toBe(200);
  });

  it("a post with invalid options is not refused for a missing permission, because its mode is unknown", async () => {
    const { create, first, changeChannel } = await setUpWorkspace({ channel: { platform: "tiktok" } });
    await changeChannel(first, { missingPermissions: ["video.publish", "video.upload"] });
    const video = { kind: "video", type: "video/mp4", bytes: 1_000, width: 1_080, height: 1_920, seconds: 10 };
    const post = create({ dry_run: true, channels: [first], media_preview: [video] });
    expect(await findViolations(post)).toMatchObject([
      { code: "option_required", field: `/overrides/${first}/privacy_level` },
    ]);
  });
});

describe("a violation of a file that is not uploaded yet", () => {
  it("a violation of a previewed file names its index in `media_preview`", async () => {
    const { create, call, first } = await setUpWorkspace();
    const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
    const wrong = { ...IMAGE, bytes: 999_000_000 };
    const post = (fields: object) => create({ dry_run: true, channels: [first], ...fields });
    const violationsFound = await findViolations(post({ media: [body.id], media_preview: [IMAGE, wrong] }));
    expect(violationsFound).toMatchObject([{ code: "media_too_large", field: "/media_preview/1", channel: first }]);
    const many = Array(11).fill(IMAGE);
    const [mixed] = (await findViolations(post({ media: [body.id], media_preview: many }))) ?? [];
    const [previewed] = (await findViolations(post({ media_preview: many }))) ?? [];
    expect([mixed?.field, previewed?.field]).toEqual(["/media", "/media_preview"]);
  });

  it("previewed files are not checked for a channel with its own files", async () => {
    const { create, call, first, second } = await setUpWorkspace();
    const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
    const post = { dry_run: true, media_preview: [{ ...IMAGE, bytes: 999_000_000 }] };
    const violationsFound = await findViolations(create({ ...post, overrides: { [first]: { media: [body.id] } } }));
    expect(violationsFound).toMatchObject([{ code: "media_too_large", field: "/media_preview/0", channel: second }]);
  });
});

describe("the texts of a post and of its channels", () => {
  it("the violation of a text names the field with the text, and an empty override is a text of its own", async () => {
    const { create, first, second } = await setUpWorkspace();
    const limit = findNetwork("telegram")?.rule.text_limit ?? 0;
    const long = "a".repeat(limit + 1);
    expect(
      await findViolations(create({ text: long, overrides: { [first]: { silent: true }, [second]: { text: "" } } })),
    ).toMatchObject([
      { code: "text_too_long", field: "/text", channel: first },
      { code: "text_required", field: `/overrides/${second}/text`, channel: second },
    ]);
  });

  it("a post may have no text if each channel has its own text or files", async () => {
    const { create, call, first, second } = await setUpWorkspace();
    const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
    const overrides = { [first]: { text: "mine" }, [second]: { media: [body.id] } };
    expect((await create({ dry_run: true, text: "", overrides: overrides })).status).toBe(200);
    const lacking = create({ dry_run: true, text: "", overrides: { [first]: { text: "mine" } } });
    expect(await findViolations(lacking)).toMatchObject([{ code: "text_required", field: "/text" }]);
    const without = await findViolations(create({ text: " ", channels: [] }));
    expect(without).toMatchObject([{ code: "channels_required" }, { code: "text_required" }]);
  });
});

describe("a part of a thread", () => {
  it("the violation of a thread part names its position in the thread of the post or of a channel", async () => {
    const { create, first, second } = await setUpWorkspace({ channel: { platform: "bluesky" } });
    const thread = [{ text: "fine" }, { text: " " }];
    const ownOverrides = { [second]: { thread: [{ text: "a".repeat(301) }] }, [first]: { text: "mine" } };
    expect(await findViolations(create({ thread, overrides: ownOverrides }))).toMatchObject([
      { code: "text_required", field: "/thread/1/text", channel: first, platform: "bluesky" },
      { code: "text_too_long", field: `/overrides/${second}/thread/0/text`, channel: second },
    ]);
  });

  it("the violation of a thread part's files names the files of this part", async () => {
    const { create, call, first } = await setUpWorkspace({ channel: { platform: "bluesky" } });
    const { body } = await call("media.register", { body: { url: "https://files.example/a.mov", kind: "video" } });
    const { body: otherVideo } = await call("media.register", {
      body: { url: "https://files.example/b.mov", kind: "video" },
    });
    const thread = [{ text: "fine" }, { text: "two", media: [body.id, otherVideo.id] }];
    expect(await findViolations(create({ channels: [first], thread }))).toMatchObject([
      { code: "too_many_videos", field: "/thread/1/media", channel: first },
    ]);
  });

  it("a thread part does not need the files that the post's type and options require", async () => {
    const { create, first } = await setUpWorkspace({ channel: { platform: "threads" } });
    const files = { post_type: "carousel", media_preview: [IMAGE, IMAGE], overrides: { [first]: { spoiler: true } } };
    const post = { dry_run: true, channels: [first], ...files, thread: [{ text: "more" }] };
    expect((await create(post)).status).toBe(200);
  });
});

describe("a draft", () => {
  it("a draft may lack required content, and is checked otherwise", async () => {
    const { create, first } = await setUpWorkspace({ channel: { platform: "tiktok" } });
    const draft = { draft: true, dry_run: true, channels: [first] };
    expect((await create({ ...draft, text: "" })).status).toBe(200);
    expect(await findViolations(create({ ...draft, text: "a".repeat(5_000) }))).toMatchObject([
      { code: "text_too_long" },
    ]);
  });

  it("a draft without channels cannot use the next slot, and the violation says why", async () => {
    const { create } = await setUpWorkspace();
    expect((await create({ draft: true, dry_run: true, channels: [] })).status).toBe(200);
    expect(await findViolations(create({ draft: true, channels: [], publish_at: "next_slot" }))).toMatchObject([
      {
        code: "channels_required",
        field: "/channels",
        message: "Which slot is the next one depends on the post's channels.",
      },
    ]);
  });
});

describe("a post whose channels cannot publish", () => {
  it("a post is refused if any of its channels cannot publish, unless it is a draft", async () => {
    const { create, changeChannel, second } = await setUpWorkspace();
    await changeChannel(second, { credential: null });
    const lacking = await catchRefusal(create());
    expect([lacking.status, lacking.code, lacking.detail.field, lacking.message]).toEqual([
      409,
      "channel_not_connected",
      "/channels",
      `@${second} on telegram (${second}) has no credential yet.`,
    ]);
    expect((await create({ draft: true })).status).toBe(201);
  });
});

describe("ids in a post", () => {
  it("repeated and unknown ids, and overrides of other channels, are refused at their fields", async () => {
    const { create, first, second } = await setUpWorkspace();
    const post = { channels: [first, first], media: ["med_no", "med_no"], overrides: { [second]: { text: "x" } } };
    expect(await findViolations(create(post))).toMatchObject([
      { code: "duplicate_channel", field: "/channels/1", channel: first },
      { code: "unknown_media", field: "/media/0" },
      { code: "duplicate_media", field: "/media/1" },
      { code: "override_for_unknown_channel", field: `/overrides/${second}`, channel: second },
    ]);
  });

  it("unknown files of a thread or a thumbnail are refused at their fields", async () => {
    const { create, first, second } = await setUpWorkspace();
    const post = {
      draft: true,
      thread: [{ text: "a" }, { text: "b", media: ["med_1"] }],
      overrides: {
        [first]: { thread: [{ text: "c", media: ["med_2"] }] },
        [second]: { thumbnail_media: "med_3" },
      },
    };
    const violationsFound = (await findViolations(create(post))) ?? [];
    expect(violationsFound.filter(({ code }) => code === "unknown_media").map(({ field }) => field)).toEqual([
      "/thread/1/media/0",
      `/overrides/${first}/thread/0/media/0`,
      `/overrides/${second}/thumbnail_media`,
    ]);
  });

  it("channels that a key may not use are refused as unknown", async () => {
    const { create, first, second } = await setUpWorkspace();
    const post = create({ overrides: { [second]: { text: "mine" } } }, { reach: [first] });
    expect(await findViolations(post)).toMatchObject([
      { code: "unknown_channel", field: "/channels/1", channel: second },
    ]);
  });
});
