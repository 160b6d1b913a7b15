// Which files of a post are converted, by what their beginnings say, and where each of them is published.
import { describe, expect, it } from "vitest";
import { HEAD_BYTES } from "../../../../src/domain/media/inspect.ts";
import { makeHeic } from "../../../support/make-heic.ts";
import { box, jpeg } from "../../../support/media-files.ts";
import { JPEG, lengthen, WEBP, withImages } from "./with-images.ts";
import { refusal } from "./workspace-of-two.ts";

/** The flags of `VP8X` say that a part of it may be transparent: RFC 9649. */
const CLEAR_WEBP = WEBP.with(20, 0x10);
const text = (value: string) => [...value].map((character) => character.charCodeAt(0));
/** The header of a PNG with this colour type; 6 has an alpha channel. */
const png = (width: number, height: number, colourType: number) =>
  Uint8Array.from([
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, ...text("IHDR")],
    ...[0, 0, width >> 8, width & 255, 0, 0, height >> 8, height & 255, 8, colourType, 0, 0, 0, 0, 0, 0, 0],
  ]);
const gif = (width: number, height: number, ...blocks: number[][]) =>
  Uint8Array.from([...text("GIF89a"), width & 255, width >> 8, height & 255, height >> 8, 0, 0, 0, ...blocks.flat()]);
const PICTURE = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 1, 0, 0];
const TRANSPARENT_COLOUR = [0x21, 0xf9, 4, 1, 0, 0, 0, 0];
const END = [0x3b];
const ALPHA_PICTURE = box("auxC", [0, 0, 0, 0], text("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0"));

type Here = Awaited<ReturnType<typeof withImages>>;
/** The files of a dry run on the first channel. */
const plannedFiles = async ({ post, first }: Here, body: object) => {
  const { body: judged } = await post({ dry_run: true, channels: [first], ...body });
  return Object(judged.deliveries)[0].files;
};
const onTelegram = () => withImages(() => JPEG, { channel: { platform: "telegram" } });

describe("the beginning of an image", () => {
  it.each([
    ["a PNG with an alpha channel", "image/png", png(9_000, 2_000, 6)],
    ["a WebP with transparency", "image/webp", CLEAR_WEBP],
    ["a GIF with a transparent colour", "image/gif", gif(9_000, 2_000, TRANSPARENT_COLOUR, PICTURE, END)],
    ["a HEIC with an alpha picture", "image/heic", makeHeic({ width: 4_032, height: 3_024, strays: [ALPHA_PICTURE] })],
  ])("has %s converted into PNG", async (_what, type, content) => {
    const here = await onTelegram();
    const media = [await here.upload(Uint8Array.from(content), type)];
    expect(await plannedFiles(here, { media })).toMatchObject([{ content_type: "image/png" }]);
  });

  it("counts for its own file: of several files only the transparent ones become PNG", async () => {
    const here = await onTelegram();
    const media = [here.id, await here.upload(CLEAR_WEBP), await here.upload()];
    expect(await plannedFiles(here, { media })).toMatchObject([
      { content_type: "image/jpeg" },
      { content_type: "image/png" },
      { content_type: "image/jpeg" },
    ]);
  });

  it("is read as far as needed, from four files at a time, whatever their number", async () => {
    const here = await onTelegram();
    const long = [...Array(6)].map(() => lengthen(CLEAR_WEBP, 2 * HEAD_BYTES));
    const media: string[] = [];
    for (const content of long) media.push(await here.upload(content));
    await here.post({ media, text: "inspected", draft: true });
    const { read } = here.bucket;
    let open = 0;
    const readsAtOnce: number[] = [];
    const lengths: (number | undefined)[] = [];
    here.bucket.read = async (key, etag, range) => {
      readsAtOnce.push(++open);
      lengths.push(range?.length);
      const body = await read(key, etag, range);
      open--;
      return body;
    };
    const files = await plannedFiles(here, { media });
    expect(files).toMatchObject(media.map(() => ({ content_type: "image/png" })));
    expect(Math.max(...readsAtOnce)).toBe(4);
    expect(lengths).toEqual(media.map(() => HEAD_BYTES));
  });

  it("tells that a GIF whose first picture is longer than that may be animated, so it is not converted", async () => {
    const here = await withImages();
    const block = [255, ...Array(255).fill(0)];
    const long = gif(1_000, 1_000, PICTURE.slice(0, -3), ...Array(1_100).fill(block), [0], END);
    expect(long.length).toBeGreaterThan(HEAD_BYTES);
    const media = [await here.upload(long, "image/gif")];
    expect((await refusal(here.post({ media }))).code).toBe("media_format_not_allowed");
    const cut = [await here.upload(gif(1_000, 1_000, PICTURE), "image/gif")];
    expect(await plannedFiles(here, { media: cut })).toMatchObject([{ content_type: "image/jpeg" }]);
  });

  it("is read also if most files of the post have not arrived yet", async () => {
    const here = await onTelegram();
    const request = async () => {
      const { body } = await here.call("media.request-upload", { body: { content_type: "image/png", bytes: 100 } });
      return String(Object(body.media).id);
    };
    const media = [await request(), await request(), await request(), await request()];
    media.push(await here.upload(CLEAR_WEBP));
    media.push(await request(), await request(), await request(), await request());
    const files: object[] = await plannedFiles(here, { media });
    expect(files[4]).toMatchObject({ content_type: "image/png" });
  });

  it("need not be readable for a check of the post", async () => {
    const here = await withImages();
    await here.post({ draft: true });
    here.fails.add("read");
    expect(await plannedFiles(here, {})).toMatchObject([{ content_type: "image/jpeg" }]);
  });
});

describe("the files of a post", () => {
  it("that need no conversion are stored as they are, with their own properties", async () => {
    const { post, upload, id, readSentFiles, first } = await withImages();
    const wide = jpeg(1_200, 1_000);
    const fine = await upload(wide, "image/jpeg");
    await post({ media: [fine, id], channels: [first] });
    expect(await readSentFiles()).toMatchObject([
      { channel: first, place: 0, media: fine, width: 1_200, height: 1_000, bytes: wide.length, copy: null },
      { channel: first, place: 0, media: id, contentType: "image/jpeg" },
    ]);
  });

  it("are published in their own part of the thread, converted or not", async () => {
    const { post, upload, id, readSentFiles, first } = await withImages(() => JPEG, {
      channel: { platform: "threads" },
    });
    const fine = await upload(JPEG, "image/jpeg");
    const [other, last] = [await upload(), await upload(JPEG, "image/jpeg")];
    const thread = [
      { text: "second", media: [fine] },
      { text: "third", media: [other, last] },
    ];
    await post({ channels: [first], thread });
    expect((await readSentFiles()).map(({ place, media, copy }) => [place, media, copy !== null])).toEqual([
      [0, id, true],
      [1, fine, false],
      [2, other, true],
      [2, last, false],
    ]);
  });
});

describe("a copy with other pixels than asked for", () => {
  const tall = () => withImages(() => jpeg(1_000, 3_000));

  it("is judged by the pixels that it has, each file by its own", async () => {
    const { post, upload, id, first, second } = await tall();
    const fine = await upload(JPEG, "image/jpeg");
    const refused = await refusal(post({ media: [fine, id] }));
    expect(refused.detail.violations).toMatchObject(
      [first, second].map((channel) => ({
        code: "media_dimensions_not_allowed",
        field: "/media/1",
        channel,
        platform: "instagram",
      })),
    );
  });

  it("is described by the pixels that it has", async () => {
    const { post, readSentFiles } = await withImages(() => jpeg(1_000, 999));
    await post();
    expect(await readSentFiles()).toMatchObject([{ width: 1_000, height: 999 }, {}]);
  });
});

describe("the thumbnail of a video", () => {
  const onLinkedin = async (encode: () => Uint8Array<ArrayBuffer>) => {
    const here = await withImages(encode, { channel: { platform: "linkedin" } });
    const body = { url: "https://files.example/a.mp4", kind: "video" };
    const video = String((await here.call("media.register", { body })).body.id);
    const thumbnail = await here.upload(CLEAR_WEBP);
    const overrides = { [here.first]: { thumbnail_media: thumbnail } };
    return { ...here, video, thumbnail, send: () => here.post({ media: [video], channels: [here.first], overrides }) };
  };

  it("is converted like any image, and keeps its transparency", async () => {
    const { send, readSentFiles, video, thumbnail, first } = await onLinkedin(() => png(1_000, 1_000, 6));
    await send();
    expect(await readSentFiles()).toMatchObject([
      { channel: first, place: 0, media: video, copy: null },
      { channel: first, place: "thumbnail", media: thumbnail, contentType: "image/png", adapted: ["format"] },
    ]);
  });

  it("is refused where it is named if its copy has too many pixels", async () => {
    const { send, first } = await onLinkedin(() => png(9_000, 9_000, 6));
    expect((await refusal(send())).detail.violations).toMatchObject([
      { code: "media_dimensions_not_allowed", field: `/overrides/${first}/thumbnail_media`, channel: first },
    ]);
  });
});
