// The text, files and options that each channel of a post publishes, and the fields of their violations.
import { describe, expect, it } from "vitest";
import { type Movie, mp4, webp } from "../../../support/media-files.ts";
import { JPEG, setUpImages, WEBP } from "./with-images.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

const setUpX = () => setUpWorkspace({ channel: { platform: "x" } });
const LONG = "a".repeat(300);
const PREVIEW = { kind: "image", type: "image/jpeg", bytes: 1_000, width: 1_000, height: 1_000 };
/** Returns the code and the field of each violation. */
const listViolations = async (work: Promise<unknown>) =>
  (await catchRefusal(work)).detail.violations?.map(({ code, field }) => [code, field]);

describe("a channel with its own text", () => {
  it("a channel with its own text does not publish the post's text, even if its own is empty", async () => {
    const { create, first } = await setUpX();
    const empty = create({ channels: [first], overrides: { [first]: { text: "" } } });
    expect(await listViolations(empty)).toEqual([["text_required", `/overrides/${first}/text`]]);
    const long = { channels: [first], text: LONG, overrides: { [first]: { text: "short" } } };
    expect((await create({ ...long, dry_run: true })).status).toBe(200);
    const withLongText = create({ channels: [first], overrides: { [first]: { text: LONG } } });
    expect(await listViolations(withLongText)).toEqual([["text_too_long", `/overrides/${first}/text`]]);
  });

  it("the text, files and thread of a channel are not checked as its options", async () => {
    const { create, first } = await setUpX();
    const fields = { text: "mine", media: [], thread: [{ text: "more" }], reply_settings: "following" };
    expect((await create({ channels: [first], overrides: { [first]: fields } })).status).toBe(201);
    const wrong = create({ channels: [first], overrides: { [first]: { ...fields, title: "x" } } });
    expect(await listViolations(wrong)).toEqual([["invalid_option", `/overrides/${first}/title`]]);
  });
});

describe("a violation of a file", () => {
  it("the violation of a file names its position in the list that contains it", async () => {
    const { create, upload, first } = await setUpImages();
    const [fine, wrong] = [await upload(JPEG, "image/jpeg"), await upload(WEBP)];
    const refused = [["media_format_not_allowed", "/media/1"]];
    expect(await listViolations(create({ channels: [first], media: [fine, wrong] }))).toEqual(refused);
    const overrides = { [first]: { media: [fine, wrong] } };
    expect(await listViolations(create({ channels: [first], media: [fine], overrides: overrides }))).toEqual([
      ["media_format_not_allowed", `/overrides/${first}/media/1`],
    ]);
    const missingId = "med_01hzx0000000000000000000ab";
    expect(await listViolations(create({ channels: [first], media: [missingId, wrong] }))).toEqual([
      ["unknown_media", "/media/0"],
      ...refused,
    ]);
  });

  it("a channel with its own files is checked only with these", async () => {
    const { create, upload, first } = await setUpImages();
    const [fine, wrong] = [await upload(JPEG, "image/jpeg"), await upload(WEBP)];
    const body = { channels: [first], media: [wrong], overrides: { [first]: { media: [fine] } } };
    expect((await create({ ...body, dry_run: true })).status).toBe(200);
  });

  it("violations of the text and of the number of files name the whole fields", async () => {
    const { create, first } = await setUpX();
    const five = { dry_run: true, channels: [first], text: LONG, media_preview: Array(5).fill(PREVIEW) };
    expect(await listViolations(create(five))).toEqual([
      ["text_too_long", "/text"],
      ["too_many_images", "/media_preview"],
    ]);
  });
});

describe("a file that is only described", () => {
  const checkFile = async (platform: string, file: object, options: object = {}) => {
    const { create, first } = await setUpWorkspace({ channel: { platform } });
    const body = {
      dry_run: true,
      channels: [first],
      media_preview: [{ ...PREVIEW, ...file }],
      overrides: { [first]: options },
    };
    return await create(body).then(
      () => [],
      (error) => listViolations(Promise.reject(error)),
    );
  };
  const VIDEO = { kind: "video", type: "video/mp4", width: 1_080, height: 1_920, seconds: 10 };

  it.each([
    ["type", "instagram", { type: "image/webp" }, "media_format_not_allowed"],
    ["bytes", "instagram", { bytes: 8_000_001 }, "media_too_large"],
    ["width and height", "instagram", { width: 1_000, height: 1_600 }, "media_dimensions_not_allowed"],
    ["seconds", "instagram", { ...VIDEO, seconds: 901 }, "media_too_long"],
    ["description", "instagram", { alt: "a".repeat(1_001) }, "alt_too_long"],
  ])("a described file is checked for its %s", async (_property, platform, file, code) => {
    expect(await checkFile(platform, file)).toEqual([[code, "/media_preview/0"]]);
  });

  it("a described file is accepted if it breaks no rule, or has no properties to check", async () => {
    expect(await checkFile("instagram", { width: 1_900, height: 1_000 })).toEqual([]);
    expect(await checkFile("instagram", VIDEO)).toEqual([]);
    const unknown = { type: undefined, bytes: undefined, width: undefined, height: undefined, alt: " " };
    expect(await checkFile("instagram", unknown)).toEqual([]);
  });
});

describe("an uploaded video", () => {
  it.each([
    [900, true],
    [901, false],
  ])("an uploaded video of %i seconds is accepted on Instagram: %s", async (seconds, isAccepted) => {
    const { create, upload, first } = await setUpImages();
    const movie: Movie = { width: 1_080, height: 1_920, seconds };
    const media = [await upload(mp4(movie), "video/mp4")];
    const post = create({ channels: [first], media });
    if (isAccepted) expect((await post).status).toBe(201);
    else expect(await listViolations(post)).toEqual([["media_too_long", "/media/0"]]);
  });
});

describe("the parts of a thread", () => {
  it("each thread part is checked separately, and its violations name its fields", async () => {
    const { create, upload, first } = await setUpImages(undefined, { channel: { platform: "threads" } });
    const [fine, wrong] = [await upload(JPEG, "image/jpeg"), await upload(webp(10, 10))];
    const thread = [{ text: "fine", media: [fine] }, { text: "a".repeat(501), media: [fine, wrong] }, { text: " " }];
    const listExpected = (path: string) => [
      ["text_too_long", `${path}/1/text`],
      ["media_format_not_allowed", `${path}/1/media/1`],
      ["text_required", `${path}/2/text`],
    ];
    expect(await listViolations(create({ channels: [first], thread }))).toEqual(listExpected("/thread"));
    const overrides = { [first]: { thread } };
    const postThread = [{ text: "of the post" }];
    expect(await listViolations(create({ channels: [first], thread: postThread, overrides: overrides }))).toEqual(
      listExpected(`/overrides/${first}/thread`),
    );
  });

  it("the type and the options of a post apply only to the first part of a thread", async () => {
    const { create, upload, first } = await setUpImages(undefined, { channel: { platform: "threads" } });
    const media = [await upload(JPEG, "image/jpeg"), await upload(JPEG, "image/jpeg")];
    const body = { channels: [first], post_type: "carousel", media, thread: [{ text: "plain" }] };
    expect((await create(body)).status).toBe(201);
    const options = { overrides: { [first]: { link_attachment: "https://example.com" } } };
    const withFile = { channels: [first], thread: [{ text: "with a file", media: [media[0]] }], ...options };
    expect((await create(withFile)).status).toBe(201);
  });
});
