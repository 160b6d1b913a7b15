// What a post is refused for before any network judges it: the names in it, and where each violation points.
import { describe, expect, it } from "vitest";
import { findNetwork } from "../../../../src/networks/index.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

/** The violations of a post. */
const violations = async (work: Promise<unknown>) => (await refusal(work)).detail.violations;
const IMAGE = { kind: "image", type: "image/jpeg", bytes: 1_000, width: 1_000, height: 1_000 };

describe("a channel that is named by something else than its id", () => {
  it("is answered with its id, also in overrides, and other violations keep their own hints", async () => {
    const { create, call, first, changeChannel, second } = await workspaceOfTwo();
    await changeChannel(first, { platform: "bluesky", handle: "ada.bsky.social" });
    const { body: other } = await call("channels.connect", { body: { platform: "telegram", handle: "@bluesky" } });
    const hint = (name: string) => `A channel is identified by its id: \`${name}\` is \`${first}\` on bluesky.`;
    const named = create({
      channels: ["bluesky", " @ADA ", second, "nobody"],
      overrides: { "ada.bsky.social": {}, [second]: { colour: "red" } },
    });
    const found = await violations(named);
    expect(found).toMatchObject([
      { code: "unknown_channel", field: "/channels/0", hint: expect.stringContaining(`\`${other.id}\` on telegram.`) },
      { code: "unknown_channel", field: "/channels/1", hint: hint(" @ADA ") },
      { code: "unknown_channel", field: "/channels/3", channel: "nobody" },
      { code: "override_for_unknown_channel", field: "/overrides/ada.bsky.social", hint: hint("ada.bsky.social") },
      { code: "invalid_option", field: `/overrides/${second}/colour` },
    ]);
    expect(JSON.stringify(found?.[2])).not.toContain("is identified by");
    expect(JSON.stringify(found?.[4])).not.toContain("is identified by");
  });

  it("is answered with up to five ids, and only those that the caller reaches", async () => {
    const { create, call, first, second } = await workspaceOfTwo();
    const two = await violations(create({ channels: ["telegram"] }));
    expect(two).toMatchObject([{ hint: expect.stringContaining(", or ") }]);
    expect(JSON.stringify(two)).toContain(second);
    const one = await violations(create({ channels: ["telegram"] }, { reach: [first] }));
    expect(JSON.stringify(one)).not.toContain(second);
    for (let i = 0; i < 4; i++) {
      await call("channels.connect", { body: { platform: "telegram", handle: `@more${i}` } });
    }
    const [many] = (await violations(create({ channels: ["telegram"] }))) ?? [];
    expect(many?.hint?.match(/ on telegram/g)).toHaveLength(5);
  });
});

describe("a post whose channel needs a permission that its owner did not grant", () => {
  it("is refused for the mode that needs it, and for no other mode or permission", async () => {
    const { create, first, changeChannel } = await workspaceOfTwo({ channel: { platform: "tiktok" } });
    const video = { kind: "video", type: "video/mp4", bytes: 1_000, width: 1_080, height: 1_920, seconds: 10 };
    const post = (options: object) =>
      create({ dry_run: true, channels: [first], media_preview: [video], overrides: { [first]: options } });
    const direct = { privacy_level: "SELF_ONLY" };
    await changeChannel(first, { missingPermissions: ["video.publish"] });
    expect(await violations(post(direct))).toEqual([
      {
        code: "invalid_option",
        field: `/overrides/${first}/post_mode`,
        channel: first,
        platform: "tiktok",
        message: "The channel was connected without the permission `video.publish`, which this `post_mode` needs.",
        hint: "Set another `post_mode`, or connect the channel again and grant `video.publish`.",
      },
    ]);
    expect((await post({ post_mode: "inbox" })).status).toBe(200);
    await changeChannel(first, { missingPermissions: ["video.upload"] });
    expect((await post(direct)).status).toBe(200);
  });

  it("is refused once for options that are invalid, because its mode is not known", async () => {
    const { create, first, changeChannel } = await workspaceOfTwo({ channel: { platform: "tiktok" } });
    await changeChannel(first, { missingPermissions: ["video.publish", "video.upload"] });
    const video = { kind: "video", type: "video/mp4", bytes: 1_000, width: 1_080, height: 1_920, seconds: 10 };
    const post = create({ dry_run: true, channels: [first], media_preview: [video] });
    expect(await violations(post)).toMatchObject([
      { code: "option_required", field: `/overrides/${first}/privacy_level` },
    ]);
  });
});

describe("a violation of a file that is not uploaded yet", () => {
  it("points at the file in `media_preview`, after the files of `media`", async () => {
    const { create, call, first } = await workspaceOfTwo();
    const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
    const wrong = { ...IMAGE, bytes: 999_000_000 };
    const post = (more: object) => create({ dry_run: true, channels: [first], ...more });
    const found = await violations(post({ media: [body.id], media_preview: [IMAGE, wrong] }));
    expect(found).toMatchObject([{ code: "media_too_large", field: "/media_preview/1", channel: first }]);
    const many = Array(11).fill(IMAGE);
    const [mixed] = (await violations(post({ media: [body.id], media_preview: many }))) ?? [];
    const [previewed] = (await violations(post({ media_preview: many }))) ?? [];
    expect([mixed?.field, previewed?.field]).toEqual(["/media", "/media_preview"]);
  });

  it("is not judged for a channel with files of its own", async () => {
    const { create, call, first, second } = await workspaceOfTwo();
    const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
    const post = { dry_run: true, media_preview: [{ ...IMAGE, bytes: 999_000_000 }] };
    const found = await violations(create({ ...post, overrides: { [first]: { media: [body.id] } } }));
    expect(found).toMatchObject([{ code: "media_too_large", field: "/media_preview/0", channel: second }]);
  });
});

describe("the texts of a post and of its channels", () => {
  it("are refused where they are written, and an empty text of a channel is a text", async () => {
    const { create, first, second } = await workspaceOfTwo();
    const limit = findNetwork("telegram")?.rule.text_limit ?? 0;
    const long = "a".repeat(limit + 1);
    expect(
      await violations(create({ text: long, overrides: { [first]: { silent: true }, [second]: { text: "" } } })),
    ).toMatchObject([
      { code: "text_too_long", field: "/text", channel: first },
      { code: "text_required", field: `/overrides/${second}/text`, channel: second },
    ]);
  });

  it("may be missing from the post if each channel has its own, or its own files", async () => {
    const { create, call, first, second } = await workspaceOfTwo();
    const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
    const own = { [first]: { text: "mine" }, [second]: { media: [body.id] } };
    expect((await create({ dry_run: true, text: "", overrides: own })).status).toBe(200);
    const lacking = create({ dry_run: true, text: "", overrides: { [first]: { text: "mine" } } });
    expect(await violations(lacking)).toMatchObject([{ code: "text_required", field: "/text" }]);
    const without = await violations(create({ text: " ", channels: [] }));
    expect(without).toMatchObject([{ code: "channels_required" }, { code: "text_required" }]);
  });
});

describe("a part of a thread", () => {
  it("is refused in its own place, in the thread of the post or of a channel", async () => {
    const { create, first, second } = await workspaceOfTwo({ channel: { platform: "bluesky" } });
    const thread = [{ text: "fine" }, { text: " " }];
    const own = { [second]: { thread: [{ text: "a".repeat(301) }] }, [first]: { text: "mine" } };
    expect(await violations(create({ thread, overrides: own }))).toMatchObject([
      { code: "text_required", field: "/thread/1/text", channel: first, platform: "bluesky" },
      { code: "text_too_long", field: `/overrides/${second}/thread/0/text`, channel: second },
    ]);
  });

  it("is refused at its own files", async () => {
    const { create, call, first } = await workspaceOfTwo({ channel: { platform: "bluesky" } });
    const { body } = await call("media.register", { body: { url: "https://files.example/a.mov", kind: "video" } });
    const { body: other } = await call("media.register", {
      body: { url: "https://files.example/b.mov", kind: "video" },
    });
    const thread = [{ text: "fine" }, { text: "two", media: [body.id, other.id] }];
    expect(await violations(create({ channels: [first], thread }))).toMatchObject([
      { code: "too_many_videos", field: "/thread/1/media", channel: first },
    ]);
  });

  it("does not need the files that the type and the options of the first post need", async () => {
    const { create, first } = await workspaceOfTwo({ channel: { platform: "threads" } });
    const files = { post_type: "carousel", media_preview: [IMAGE, IMAGE], overrides: { [first]: { spoiler: true } } };
    const post = { dry_run: true, channels: [first], ...files, thread: [{ text: "more" }] };
    expect((await create(post)).status).toBe(200);
  });
});

describe("a draft", () => {
  it("may lack what is judged when it is released, and is judged for the rest", async () => {
    const { create, first } = await workspaceOfTwo({ channel: { platform: "tiktok" } });
    const draft = { draft: true, dry_run: true, channels: [first] };
    expect((await create({ ...draft, text: "" })).status).toBe(200);
    expect(await violations(create({ ...draft, text: "a".repeat(5_000) }))).toMatchObject([{ code: "text_too_long" }]);
  });

  it("without channels cannot take the next slot, and says why", async () => {
    const { create } = await workspaceOfTwo();
    expect((await create({ draft: true, dry_run: true, channels: [] })).status).toBe(200);
    expect(await violations(create({ draft: true, channels: [], publish_at: "next_slot" }))).toMatchObject([
      {
        code: "channels_required",
        field: "/channels",
        message: "Which slot is the next one depends on the post's channels.",
      },
    ]);
  });
});

describe("a post whose channels cannot publish", () => {
  it("is refused for any of them, with what it lacks, and not as a draft", async () => {
    const { create, changeChannel, second } = await workspaceOfTwo();
    await changeChannel(second, { credential: null });
    const lacking = await refusal(create());
    expect([lacking.status, lacking.code, lacking.detail.field, lacking.message]).toEqual([
      409,
      "channel_not_connected",
      "/channels",
      `@${second} on telegram (${second}) has no credential yet.`,
    ]);
    expect((await create({ draft: true })).status).toBe(201);
  });
});

describe("names in a post", () => {
  it("are refused where they are repeated, unknown, or name an override without a channel", async () => {
    const { create, first, second } = await workspaceOfTwo();
    const post = { channels: [first, first], media: ["med_no", "med_no"], overrides: { [second]: { text: "x" } } };
    expect(await violations(create(post))).toMatchObject([
      { code: "duplicate_channel", field: "/channels/1", channel: first },
      { code: "unknown_media", field: "/media/0" },
      { code: "duplicate_media", field: "/media/1" },
      { code: "override_for_unknown_channel", field: `/overrides/${second}`, channel: second },
    ]);
  });

  it("are refused where a thread or a thumbnail names a file that is unknown", async () => {
    const { create, first, second } = await workspaceOfTwo();
    const post = {
      draft: true,
      thread: [{ text: "a" }, { text: "b", media: ["med_1"] }],
      overrides: {
        [first]: { thread: [{ text: "c", media: ["med_2"] }] },
        [second]: { thumbnail_media: "med_3" },
      },
    };
    const found = (await violations(create(post))) ?? [];
    expect(found.filter(({ code }) => code === "unknown_media").map(({ field }) => field)).toEqual([
      "/thread/1/media/0",
      `/overrides/${first}/thread/0/media/0`,
      `/overrides/${second}/thumbnail_media`,
    ]);
  });

  it("of channels beyond the reach of a key are unknown", async () => {
    const { create, first, second } = await workspaceOfTwo();
    const post = create({ overrides: { [second]: { text: "mine" } } }, { reach: [first] });
    expect(await violations(post)).toMatchObject([{ code: "unknown_channel", field: "/channels/1", channel: second }]);
  });
});
