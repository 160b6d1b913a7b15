// What each channel of a post would publish: whose text, files and options it has, and where a violation of them points.
import { describe, expect, it } from "vitest";
import { type Movie, mp4, webp } from "../../../support/media-files.ts";
import { JPEG, WEBP, withImages } from "./with-images.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

const onX = () => workspaceOfTwo({ channel: { platform: "x" } });
const LONG = "a".repeat(300);
const PREVIEW = { kind: "image", type: "image/jpeg", bytes: 1_000, width: 1_000, height: 1_000 };
/** The code and field of each violation. */
const broken = async (work: Promise<unknown>) =>
  (await refusal(work)).detail.violations?.map(({ code, field }) => [code, field]);

describe("a channel with its own text", () => {
  it("does not publish the text of the post, even if its own is empty", async () => {
    const { create, first } = await onX();
    const empty = create({ channels: [first], overrides: { [first]: { text: "" } } });
    expect(await broken(empty)).toEqual([["text_required", `/overrides/${first}/text`]]);
    const long = { channels: [first], text: LONG, overrides: { [first]: { text: "short" } } };
    expect((await create({ ...long, dry_run: true })).status).toBe(200);
    const own = create({ channels: [first], overrides: { [first]: { text: LONG } } });
    expect(await broken(own)).toEqual([["text_too_long", `/overrides/${first}/text`]]);
  });

  it("has its text, files and thread beside its options, which are judged without them", async () => {
    const { create, first } = await onX();
    const own = { text: "mine", media: [], thread: [{ text: "more" }], reply_settings: "following" };
    expect((await create({ channels: [first], overrides: { [first]: own } })).status).toBe(201);
    const wrong = create({ channels: [first], overrides: { [first]: { ...own, title: "x" } } });
    expect(await broken(wrong)).toEqual([["invalid_option", `/overrides/${first}/title`]]);
  });
});

describe("a violation of a file", () => {
  it("points at its own position, in the list that names it", async () => {
    const { create, upload, first } = await withImages();
    const [fine, wrong] = [await upload(JPEG, "image/jpeg"), await upload(WEBP)];
    const refused = [["media_format_not_allowed", "/media/1"]];
    expect(await broken(create({ channels: [first], media: [fine, wrong] }))).toEqual(refused);
    const own = { [first]: { media: [fine, wrong] } };
    expect(await broken(create({ channels: [first], media: [fine], overrides: own }))).toEqual([
      ["media_format_not_allowed", `/overrides/${first}/media/1`],
    ]);
    const gone = "med_01hzx0000000000000000000ab";
    expect(await broken(create({ channels: [first], media: [gone, wrong] }))).toEqual([
      ["unknown_media", "/media/0"],
      ...refused,
    ]);
  });

  it("of a channel with files of its own is judged by these alone", async () => {
    const { create, upload, first } = await withImages();
    const [fine, wrong] = [await upload(JPEG, "image/jpeg"), await upload(WEBP)];
    const own = { channels: [first], media: [wrong], overrides: { [first]: { media: [fine] } } };
    expect((await create({ ...own, dry_run: true })).status).toBe(200);
  });

  it("does not move violations of the text and of the number of files", async () => {
    const { create, first } = await onX();
    const five = { dry_run: true, channels: [first], text: LONG, media_preview: Array(5).fill(PREVIEW) };
    expect(await broken(create(five))).toEqual([
      ["text_too_long", "/text"],
      ["too_many_images", "/media_preview"],
    ]);
  });
});

describe("a file that is only described", () => {
  const judge = async (platform: string, file: object, options: object = {}) => {
    const { create, first } = await workspaceOfTwo({ channel: { platform } });
    const body = {
      dry_run: true,
      channels: [first],
      media_preview: [{ ...PREVIEW, ...file }],
      overrides: { [first]: options },
    };
    return await create(body).then(
      () => [],
      (error) => broken(Promise.reject(error)),
    );
  };
  const VIDEO = { kind: "video", type: "video/mp4", width: 1_080, height: 1_920, seconds: 10 };

  it.each([
    ["type", "instagram", { type: "image/webp" }, "media_format_not_allowed"],
    ["bytes", "instagram", { bytes: 8_000_001 }, "media_too_large"],
    ["width and height", "instagram", { width: 1_000, height: 1_600 }, "media_dimensions_not_allowed"],
    ["seconds", "instagram", { ...VIDEO, seconds: 901 }, "media_too_long"],
    ["description", "instagram", { alt: "a".repeat(1_001) }, "alt_too_long"],
  ])("is judged by its %s", async (_what, platform, file, code) => {
    expect(await judge(platform, file)).toEqual([[code, "/media_preview/0"]]);
  });

  it("is accepted if it breaks no rule, and without anything that would be judged", async () => {
    expect(await judge("instagram", { width: 1_900, height: 1_000 })).toEqual([]);
    expect(await judge("instagram", VIDEO)).toEqual([]);
    const unknown = { type: undefined, bytes: undefined, width: undefined, height: undefined, alt: " " };
    expect(await judge("instagram", unknown)).toEqual([]);
  });
});

describe("an uploaded video", () => {
  it.each([
    [900, true],
    [901, false],
  ])("of %i seconds on Instagram is accepted: %s", async (seconds, isAccepted) => {
    const { create, upload, first } = await withImages();
    const movie: Movie = { width: 1_080, height: 1_920, seconds };
    const media = [await upload(mp4(movie), "video/mp4")];
    const post = create({ channels: [first], media });
    if (isAccepted) expect((await post).status).toBe(201);
    else expect(await broken(post)).toEqual([["media_too_long", "/media/0"]]);
  });
});

describe("the parts of a thread", () => {
  it("are judged one by one, where they are written", async () => {
    const { create, upload, first } = await withImages(undefined, { channel: { platform: "threads" } });
    const [fine, wrong] = [await upload(JPEG, "image/jpeg"), await upload(webp(10, 10))];
    const thread = [{ text: "fine", media: [fine] }, { text: "a".repeat(501), media: [fine, wrong] }, { text: " " }];
    const where = (path: string) => [
      ["text_too_long", `${path}/1/text`],
      ["media_format_not_allowed", `${path}/1/media/1`],
      ["text_required", `${path}/2/text`],
    ];
    expect(await broken(create({ channels: [first], thread }))).toEqual(where("/thread"));
    const own = { [first]: { thread } };
    const other = [{ text: "of the post" }];
    expect(await broken(create({ channels: [first], thread: other, overrides: own }))).toEqual(
      where(`/overrides/${first}/thread`),
    );
  });

  it("have no options, no type and no thumbnail: these are of the first part", async () => {
    const { create, upload, first } = await withImages(undefined, { channel: { platform: "threads" } });
    const media = [await upload(JPEG, "image/jpeg"), await upload(JPEG, "image/jpeg")];
    const body = { channels: [first], post_type: "carousel", media, thread: [{ text: "plain" }] };
    expect((await create(body)).status).toBe(201);
    const options = { overrides: { [first]: { link_attachment: "https://example.com" } } };
    const withFile = { channels: [first], thread: [{ text: "with a file", media: [media[0]] }], ...options };
    expect((await create(withFile)).status).toBe(201);
  });
});
