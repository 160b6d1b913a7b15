// Converts images and decodes the results.
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { createImages, ImageRefused, ImagesUnavailable } from "../../../src/adapters/images.ts";
import { readImageTraits } from "../../../src/domain/media/image-traits.ts";
import { inspectMedia } from "../../../src/domain/media/inspect.ts";
import { type Encoding, firstEncoding, nextEncoding, planImage } from "../../../src/domain/posts/adapt-image.ts";
import { fileRule } from "../../../src/domain/posts/post-target.ts";
import { findNetwork } from "../../../src/networks/index.ts";
import { makeHeic } from "../../support/make-heic.ts";
import { isExtensive } from "../../support/runs.ts";
import { ImagesError, sharpImages } from "../../support/sharp-images.ts";

const images = createImages(sharpImages, null);

/** Converts a file as for a post on the network. */
async function adapt(platform: string, contentType: string, file: Uint8Array<ArrayBuffer>) {
  const rule = findNetwork(platform)?.rule ?? expect.fail("no such network");
  const facts = await inspectMedia(contentType, file.byteLength, async (offset, length) =>
    file.subarray(offset, offset + length),
  );
  const { width = null, height = null } = facts ?? {};
  const image = {
    kind: "image" as const,
    contentType,
    bytes: file.byteLength,
    width,
    height,
    seconds: null,
    alt: null,
  };
  const traits = readImageTraits(contentType, file, true);
  const plan =
    planImage(image, (type) => fileRule({ rule, postType: null }, { kind: "image", contentType: type }), traits) ??
    expect.fail("nothing is planned");
  let encoding: Encoding | null = firstEncoding(plan);
  for (let tries = 1; encoding !== null; tries++) {
    const stream = await images.encode(new Blob([file]).stream(), plan.contentType, encoding);
    const bytes = Buffer.from(await new Response(stream).arrayBuffer());
    if (bytes.byteLength <= plan.maxBytes) return { bytes, plan, encoding, decoded: await sharp(bytes).metadata() };
    encoding = nextEncoding(plan, encoding, bytes.byteLength, tries);
  }
  return expect.fail("it never has few enough bytes");
}
const readPixel = async (bytes: Buffer, x: number, top: number) => [
  ...(await sharp(bytes).extract({ left: x, top, width: 1, height: 1 }).toColourspace("srgb").raw().toBuffer()),
];
const copyBytes = (buffer: Buffer) => Uint8Array.from(buffer);
const makePlainImage = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } });
/** Makes an image with as much detail as a photo. */
const makePhoto = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: "#888888", noise: { type: "gaussian", mean: 128, sigma: 35 } },
  }).blur(0.8);

describe("a converted image", () => {
  it("a converted image is rotated according to each of the eight values of EXIF orientation", async () => {
    // The stored image is red on the left and blue on the right.
    const blue = await makePlainImage(1_200, 1_200, "#0000ff").png().toBuffer();
    const stored = await makePlainImage(2_400, 1_200, "#ff0000")
      .composite([{ input: blue, left: 1_200, top: 0 }])
      .png()
      .toBuffer();
    for (let orientation = 1; orientation <= 8; orientation++) {
      const file = await sharp(stored).jpeg().withMetadata({ orientation }).toBuffer();
      const upright = await sharp(file).autoOrient().png().toBuffer();
      const { bytes, decoded } = await adapt("tiktok", "image/jpeg", copyBytes(file));
      const { width: shownWidth, height: shownHeight } = await sharp(upright).metadata();
      expect(decoded.width > decoded.height).toBe(shownWidth > shownHeight);
      expect(decoded.orientation).toBeUndefined();
      const [before, after] = [await readPixel(upright, 40, 40), await readPixel(bytes, 20, 20)];
      expect(after.map((value) => value > 128)).toEqual(before.map((value) => value > 128));
    }
  });

  it("a HEIC of a phone is converted to a JPEG, rotated and mirrored according to its properties", async () => {
    // The stored image is red at the top and blue at the bottom. The table lists where its red and its blue side must be: [across, down].
    const isRed = async (bytes: Buffer, [across = 0, down = 0]: readonly number[]) => {
      const { width, height } = await sharp(bytes).metadata();
      const [red = 0, , blue = 0] = await readPixel(bytes, Math.floor(width * across), Math.floor(height * down));
      return red > blue + 60;
    };
    for (const [turns, isMirrored, redSide, blueSide] of [
      [0, false, [0.5, 0.1], [0.5, 0.9]],
      [1, false, [0.1, 0.5], [0.9, 0.5]],
      [2, false, [0.5, 0.9], [0.5, 0.1]],
      [3, false, [0.9, 0.5], [0.1, 0.5]],
      [3, true, [0.1, 0.5], [0.9, 0.5]],
    ] as const) {
      const { bytes, decoded } = await adapt(
        "instagram",
        "image/heic",
        makeHeic({ width: 1_024, height: 1_024, turns, isMirrored }),
      );
      expect(decoded).toMatchObject({ format: "jpeg", width: 1_024, height: 1_024, space: "srgb" });
      expect([await isRed(bytes, redSide), await isRed(bytes, blueSide)], `${turns} ${isMirrored}`).toEqual([
        true,
        false,
      ]);
    }
  });

  it("a transparent image gets a white background, or stays transparent if the network accepts PNG", async () => {
    const clear = await sharp({
      create: { width: 2_600, height: 2_600, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } },
    })
      .png()
      .toBuffer();
    const jpeg = await adapt("instagram", "image/png", copyBytes(clear));
    expect(jpeg.decoded.format).toBe("jpeg");
    expect(await readPixel(jpeg.bytes, 9, 9)).toEqual([255, 255, 255]);
    const large = await sharp(clear).resize(9_000, 2_000, { fit: "fill" }).png().toBuffer();
    const png = await adapt("telegram", "image/png", copyBytes(large));
    expect(png.decoded).toMatchObject({ format: "png", hasAlpha: true });
    expect((await readPixel(png.bytes, 9, 9))[3]).toBe(0);
  });

  it("an image in CMYK or Display P3 is converted to sRGB, without metadata", async () => {
    const cmyk = await makePlainImage(2_400, 2_400, "#00a000").toColourspace("cmyk").jpeg().toBuffer();
    const converted = await adapt("tiktok", "image/jpeg", copyBytes(cmyk));
    expect((await sharp(cmyk).metadata()).space).toBe("cmyk");
    expect(converted.decoded).toMatchObject({ space: "srgb", channels: 3 });
    const [red = 255, green = 0, blue = 255] = await readPixel(converted.bytes, 50, 50);
    expect(green).toBeGreaterThan(Math.max(red, blue) + 40);
    const p3 = await makePlainImage(2_400, 2_400, "#ff0000").withIccProfile("p3").jpeg().toBuffer();
    const wide = await adapt("tiktok", "image/jpeg", copyBytes(p3));
    expect(wide.decoded.icc).toBeUndefined();
    expect(wide.decoded.exif).toBeUndefined();
    const [wideRed = 0, wideGreen = 255] = await readPixel(wide.bytes, 50, 50);
    expect(wideRed).toBeGreaterThan(240);
    expect(wideGreen).toBeLessThan(20);
  });

  it.runIf(isExtensive)(
    "photos of 12 and of 48 megapixels are converted within the strictest limits of bytes and pixels",
    async () => {
      const twelve = copyBytes(await makePhoto(4_032, 3_024).jpeg({ quality: 90 }).toBuffer());
      const forSize = await adapt("tiktok", "image/jpeg", twelve);
      expect(forSize.decoded).toMatchObject({ format: "jpeg", width: 1_440, height: 1_080 });
      const forBytes = await adapt("bluesky", "image/jpeg", twelve);
      expect(forBytes.bytes.byteLength).toBeLessThanOrEqual(2_000_000);
      expect(Math.abs(forBytes.decoded.width / forBytes.decoded.height - 4 / 3)).toBeLessThan(0.002);
      const large = copyBytes(await makePlainImage(8_064, 6_048, "#336699").jpeg().toBuffer());
      const { decoded } = await adapt("linkedin", "image/jpeg", large);
      expect(decoded.width * decoded.height).toBeLessThanOrEqual(36_152_319);
    },
  );

  it.runIf(isExtensive)("a PNG of 15 to 20 MB is converted to a JPEG of at most 5 MB", async () => {
    const file = copyBytes(await makePhoto(2_800, 2_100).png({ compressionLevel: 1 }).toBuffer());
    expect(file.byteLength).toBeGreaterThan(15_000_000);
    expect(file.byteLength).toBeLessThan(20_000_000);
    const { bytes, decoded } = await adapt("x", "image/png", file);
    expect(decoded.format).toBe("jpeg");
    expect(bytes.byteLength).toBeLessThanOrEqual(5_000_000);
  });
});

describe("an image that cannot be converted", () => {
  const encode = (file: Uint8Array<ArrayBuffer>, binding = sharpImages) =>
    createImages(binding, null).encode(new Blob([file]).stream(), "image/jpeg", { width: 10, height: 10, quality: 92 });

  it.each([
    ["is no image", async () => new Uint8Array(100)],
    ["is a truncated HEIC", async () => makeHeic({ width: 1_024, height: 1_024 }).slice(0, 600)],
    ["is damaged", async () => copyBytes(await makePhoto(400, 400).png().toBuffer()).fill(7, 60)],
    ["has more than 20 MB", async () => new Uint8Array(20_000_001)],
    [
      "is wider than 12,000 pixels",
      async () => copyBytes(await makePlainImage(12_001, 10, "#336699").png().toBuffer()),
    ],
  ])("an image is refused permanently if it %s", async (_, make) => {
    await expect(encode(await make())).rejects.toThrow(ImageRefused);
  });

  const makeRefusingBinding = (code: number): typeof sharpImages => ({
    input() {
      throw new ImagesError(code, `ERROR ${code}: it is said so`);
    },
  });
  const file = new Uint8Array(10);

  it.each([9402, 9412, 9413, 9416, 9420, 9516, 9520, 9523])(
    "an image is refused permanently with the code %d",
    async (code) => {
      await expect(encode(file, makeRefusingBinding(code))).rejects.toThrow(ImageRefused);
    },
  );

  it.each([9401, 9518, 9522, 9527, 9528, 9529])("a conversion may be retried after the code %d", async (code) => {
    await expect(encode(file, makeRefusingBinding(code))).rejects.toThrow(ImagesUnavailable);
  });

  it.each([
    [9422, "used up"],
    [9423, "used up"],
    [9430, "may not use the Images binding"],
    [9432, "older Image Resizing plan"],
  ])(
    "the code %d is not blamed on the image, and the error tells the operator what to change",
    async (code, advice) => {
      const refusal = encode(file, makeRefusingBinding(code));
      await expect(refusal).rejects.toThrow(ImagesUnavailable);
      await expect(refusal).rejects.toThrow(advice);
    },
  );
});
