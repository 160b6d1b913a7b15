// The files of a post are converted according to their first bytes, and published in their own positions.
import { describe, expect, it } from "vitest";
import { HEAD_BYTES } from "../../../../src/domain/media/inspect.ts";
import { makeHeic } from "../../../support/make-heic.ts";
import { box, jpeg } from "../../../support/media-files.ts";
import { JPEG, lengthen, setUpImages, WEBP } from "./with-images.ts";
import { catchRefusal } from "./workspace-of-two.ts";

/** A WebP whose header allows transparency (RFC 9649, the flags of `VP8X`). */
const CLEAR_WEBP = WEBP.with(20, 0x10);
const toBytes = (value: string) => [...value].map((character) => character.charCodeAt(0));
/** Makes the header of a PNG with this colour type; 6 has an alpha channel. */
const makePngHeader = (width: number, height: number, colourType: number) =>
  Uint8Array.from([
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, ...toBytes("IHDR")],
    ...[0, 0, width >> 8, width & 255, 0, 0, height >> 8, height & 255, 8, colourType, 0, 0, 0, 0, 0, 0, 0],
  ]);
const makeGif = (width: number, height: number, ...blocks: number[][]) =>
  Uint8Array.from([
    ...toBytes("GIF89a"),
    width & 255,
    width >> 8,
    height & 255,
    height >> 8,
    0,
    0,
    0,
    ...blocks.flat(),
  ]);
const PICTURE = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 1, 0, 0];
const TRANSPARENT_COLOUR = [0x21, 0xf9, 4, 1, 0, 0, 0, 0];
const END = [0x3b];
const ALPHA_PICTURE = box("auxC", [0, 0, 0, 0], toBytes("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0"));

type Here = Awaited<ReturnType<typeof setUpImages>>;
/** Returns the files of a dry run on the first channel. */
const plannedFiles = async ({ post, first }: Here, body: object) => {
  const { body: checked } = await post({ dry_run: true, channels: [first], ...body });
  return Object(checked.deliveries)[0].files;
};
const onTelegram = () => setUpImages(() => JPEG, { channel: { platform: "telegram" } });

describe("the beginning of an image", () => {
  it.each([
    ["a PNG with an alpha channel", "image/png", makePngHeader(9_000, 2_000, 6)],
    ["a WebP with transparency", "image/webp", CLEAR_WEBP],
    ["a GIF with a transparent colour", "image/gif", makeGif(9_000, 2_000, TRANSPARENT_COLOUR, PICTURE, END)],
    ["a HEIC with an alpha image", "image/heic", makeHeic({ width: 4_032, height: 3_024, strays: [ALPHA_PICTURE] })],
  ])("%s is converted to PNG", async (_file, type, content) => {
    const images = await onTelegram();
    const media = [await images.upload(Uint8Array.from(content), type)];
    expect(await plannedFiles(images, { media })).toMatchObject([{ content_type: "image/png" }]);
  });

  it("only the transparent files of a post are converted to PNG", async () => {
    const images = await onTelegram();
    const media = [images.id, await images.upload(CLEAR_WEBP), await images.upload()];
    expect(await plannedFiles(images, { media })).toMatchObject([
      { content_type: "image/jpeg" },
      { content_type: "image/png" },
      { content_type: "image/jpeg" },
    ]);
  });

  it("only the beginning of each file is read, of four files at a time", async () => {
    const images = await onTelegram();
    const long = [...Array(6)].map(() => lengthen(CLEAR_WEBP, 2 * HEAD_BYTES));
    const media: string[] = [];
    for (const content of long) media.push(await images.upload(content));
    await images.post({ media, text: "inspected", draft: true });
    const { read } = images.bucket;
    let open = 0;
    const readsAtOnce: number[] = [];
    const lengths: (number | undefined)[] = [];
    images.bucket.read = async (key, etag, range) => {
      readsAtOnce.push(++open);
      lengths.push(range?.length);
      const body = await read(key, etag, range);
      open--;
      return body;
    };
    const files = await plannedFiles(images, { media });
    expect(files).toMatchObject(media.map(() => ({ content_type: "image/png" })));
    expect(Math.max(...readsAtOnce)).toBe(4);
    expect(lengths).toEqual(media.map(() => HEAD_BYTES));
  });

  it("a GIF whose first image is longer than the part that is read may be animated, and is not converted", async () => {
    const images = await setUpImages();
    const block = [255, ...Array(255).fill(0)];
    const long = makeGif(1_000, 1_000, PICTURE.slice(0, -3), ...Array(1_100).fill(block), [0], END);
    expect(long.length).toBeGreaterThan(HEAD_BYTES);
    const media = [await images.upload(long, "image/gif")];
    expect((await catchRefusal(images.post({ media }))).code).toBe("media_format_not_allowed");
    const cut = [await images.upload(makeGif(1_000, 1_000, PICTURE), "image/gif")];
    expect(await plannedFiles(images, { media: cut })).toMatchObject([{ content_type: "image/jpeg" }]);
  });

  it("the beginning of a file is read even if most files of the post have not arrived yet", async () => {
    const images = await onTelegram();
    const request = async () => {
      const { body } = await images.call("media.request-upload", { body: { content_type: "image/png", bytes: 100 } });
      return String(Object(body.media).id);
    };
    const media = [await request(), await request(), await request(), await request()];
    media.push(await images.upload(CLEAR_WEBP));
    media.push(await request(), await request(), await request(), await request());
    const files: object[] = await plannedFiles(images, { media });
    expect(files[4]).toMatchObject({ content_type: "image/png" });
  });

  it("a dry run succeeds even if the files cannot be read", async () => {
    const images = await setUpImages();
    await images.post({ draft: true });
    images.fails.add("read");
    expect(await plannedFiles(images, {})).toMatchObject([{ content_type: "image/jpeg" }]);
  });
});

describe("the files of a post", () => {
  it("files that need no conversion are listed with their own properties", async () => {
    const { post, upload, id, readSentFiles, first } = await setUpImages();
    const wide = jpeg(1_200, 1_000);
    const fine = await upload(wide, "image/jpeg");
    await post({ media: [fine, id], channels: [first] });
    expect(await readSentFiles()).toMatchObject([
      { channel: first, place: 0, media: fine, width: 1_200, height: 1_000, bytes: wide.length, copy: null },
      { channel: first, place: 0, media: id, contentType: "image/jpeg" },
    ]);
  });

  it("converted and unchanged files are published in their own thread parts", async () => {
    const { post, upload, id, readSentFiles, first } = await setUpImages(() => JPEG, {
      channel: { platform: "threads" },
    });
    const fine = await upload(JPEG, "image/jpeg");
    const [secondFile, last] = [await upload(), await upload(JPEG, "image/jpeg")];
    const thread = [
      { text: "second", media: [fine] },
      { text: "third", media: [secondFile, last] },
    ];
    await post({ channels: [first], thread });
    expect((await readSentFiles()).map(({ place, media, copy }) => [place, media, copy !== null])).toEqual([
      [0, id, true],
      [1, fine, false],
      [2, secondFile, true],
      [2, last, false],
    ]);
  });
});

describe("a copy with another size than requested", () => {
  const setUpTallCopies = () => setUpImages(() => jpeg(1_000, 3_000));

  it("a copy with another size than requested is checked by its actual size", async () => {
    const { post, upload, id, first, second } = await setUpTallCopies();
    const fine = await upload(JPEG, "image/jpeg");
    const refused = await catchRefusal(post({ media: [fine, id] }));
    expect(refused.detail.violations).toMatchObject(
      [first, second].map((channel) => ({
        code: "media_dimensions_not_allowed",
        field: "/media/1",
        channel,
        platform: "instagram",
      })),
    );
  });

  it("a copy with another size than requested is listed with its actual size", async () => {
    const { post, readSentFiles } = await setUpImages(() => jpeg(1_000, 999));
    await post();
    expect(await readSentFiles()).toMatchObject([{ width: 1_000, height: 999 }, {}]);
  });
});

describe("the thumbnail of a video", () => {
  const onLinkedin = async (encode: () => Uint8Array<ArrayBuffer>) => {
    const images = await setUpImages(encode, { channel: { platform: "linkedin" } });
    const body = { url: "https://files.example/a.mp4", kind: "video" };
    const video = String((await images.call("media.register", { body })).body.id);
    const thumbnail = await images.upload(CLEAR_WEBP);
    const overrides = { [images.first]: { thumbnail_media: thumbnail } };
    return {
      ...images,
      video,
      thumbnail,
      send: () => images.post({ media: [video], channels: [images.first], overrides }),
    };
  };

  it("the thumbnail of a video is converted like any image, and keeps its transparency", async () => {
    const { send, readSentFiles, video, thumbnail, first } = await onLinkedin(() => makePngHeader(1_000, 1_000, 6));
    await send();
    expect(await readSentFiles()).toMatchObject([
      { channel: first, place: 0, media: video, copy: null },
      { channel: first, place: "thumbnail", media: thumbnail, contentType: "image/png", adapted: ["format"] },
    ]);
  });

  it("a thumbnail whose copy has too many pixels is refused at the option that names it", async () => {
    const { send, first } = await onLinkedin(() => makePngHeader(9_000, 9_000, 6));
    expect((await catchRefusal(send())).detail.violations).toMatchObject([
      { code: "media_dimensions_not_allowed", field: `/overrides/${first}/thumbnail_media`, channel: first },
    ]);
  });
});
