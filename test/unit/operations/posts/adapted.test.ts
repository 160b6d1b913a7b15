// Images of posts are converted for the channels that would refuse them.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { ImageRefused, ImagesUnavailable } from "../../../../src/adapters/images.ts";
import { getPlan } from "../../../../src/domain/plan.ts";
import { media, workspaces } from "../../../../src/store/db/schema.ts";
import { db } from "../../store/deliveries/stored-delivery.ts";
import { JPEG, setUpImages, WEBP } from "./with-images.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

describe("an image that a channel would refuse", () => {
  it("an image is converted once for all channels that need the same copy, and the post sends the copy", async () => {
    const { post, requests, readPosts, first, second, id, files } = await setUpImages();
    expect((await post()).status).toBe(201);
    expect(requests).toMatchObject([{ type: "image/jpeg" }]);
    const [stored] = await readPosts();
    expect(stored?.sentFiles).toMatchObject(
      [first, second].map((channel) => ({
        channel,
        place: 0,
        media: id,
        contentType: "image/jpeg",
        bytes: JPEG.length,
        width: 1_000,
        height: 1_000,
        adapted: ["format"],
      })),
    );
    const [firstSent, secondSent] = stored?.sentFiles ?? [];
    expect(firstSent?.copy).toEqual(secondSent?.copy);
    expect(files.get(firstSent?.copy?.objectKey ?? "")).toMatchObject({
      etag: firstSent?.copy?.etag,
      bytes: JPEG.length,
    });
  });

  it("an image is converted once for all posts, and a file that no channel refuses is sent unchanged", async () => {
    const { post, requests, readPosts, upload } = await setUpImages();
    await post();
    await post({ text: "again" });
    expect(requests).toHaveLength(1);
    const fine = await upload(JPEG, "image/jpeg");
    await post({ text: "fine", media: [fine] });
    expect(requests).toHaveLength(1);
    const sentFiles = (await readPosts()).find(({ text }) => text === "fine")?.sentFiles;
    expect(sentFiles).toMatchObject([
      { media: fine, contentType: "image/jpeg", adapted: [], copy: null },
      { copy: null },
    ]);
  });

  it("a dry run only describes the conversion, and drafts and exact posts do not convert images", async () => {
    const { post, requests, id } = await setUpImages();
    const { body } = await post({ dry_run: true });
    const [delivery] = Object(body.deliveries);
    expect(delivery.files).toMatchObject([{ media: id, content_type: "image/jpeg", bytes: null, adapted: ["format"] }]);
    expect((await post({ draft: true })).status).toBe(201);
    const exact = await catchRefusal(post({ media_fit: "exact" }));
    expect(exact.code).toBe("media_format_not_allowed");
    expect(requests).toEqual([]);
  });

  it.each([
    ["that the service refuses", () => new ImageRefused("damaged"), 'the image service says "damaged"'],
    ["that is returned in another format", () => WEBP, "the image service answered with another format"],
    ["that is returned unreadable", () => JPEG.slice(0, 20), "the image service answered with no image"],
  ])("an image %s causes a refusal of the post for each channel, with the reason", async (_problem, answer, reason) => {
    const { post, first, second, readPosts } = await setUpImages(() => {
      const answered = answer();
      if (answered instanceof Error) throw answered;
      return answered;
    });
    const refused = await catchRefusal(post());
    expect(refused.detail.violations).toMatchObject(
      [first, second].map((channel) => ({
        code: "media_format_not_allowed",
        field: "/media/0",
        channel,
        platform: "instagram",
        message: `The file could not be converted for instagram: ${reason}.`,
        hint: "Replace the file, or give this channel its own `media` in `overrides`.",
      })),
    );
    expect(await readPosts()).toEqual([]);
  });

  it("a post is refused temporarily if its image cannot be converted now", async () => {
    const { post, readPosts } = await setUpImages(() => {
      throw new ImagesUnavailable("it is away");
    });
    const away = await catchRefusal(post());
    expect([away.code, away.detail.field, away.message]).toEqual([
      "images_unavailable",
      "/media_fit",
      "Images cannot be converted now: it is away.",
    ]);
    expect(await readPosts()).toEqual([]);
  });

  it("an error of our own during a conversion is no refusal", async () => {
    const { post } = await setUpImages(() => {
      throw new TypeError("a fault of our own");
    });
    await expect(post()).rejects.toThrow(TypeError);
  });

  it("an image is converted only if the plan has room for every byte of the copy", async () => {
    const { media_bytes: bytesMax } = getPlan("free");
    const roomFor = async (bytes: number) => {
      const setup = await setUpImages(() => JPEG, { channel: { platform: "instagram" }, workspace: { plan: "free" } });
      await db
        .update(workspaces)
        .set({ stagedBytes: (bytesMax ?? 0) - bytes })
        .where(eq(workspaces.id, setup.workspaceId));
      return setup;
    };
    expect((await (await roomFor(JPEG.length)).post()).status).toBe(201);
    const full = await catchRefusal((await roomFor(JPEG.length - 1)).post());
    expect([full.code, full.detail.extra]).toMatchObject(["plan_limit", { limit: "media_bytes" }]);
  });

  it("a post is refused if its image changes during the conversion", async () => {
    const { post, bucket, id } = await setUpImages();
    const { store } = bucket;
    bucket.store = async (...parts) => {
      const stored = await store(...parts);
      await db.update(media).set({ etag: "another" }).where(eq(media.id, id));
      return stored;
    };
    expect(await catchRefusal(post())).toMatchObject({ message: "A stored file was changed after it was checked." });
  });

  it("a post with adapted images needs an image service and a bucket", async () => {
    const withoutService = await setUpWorkspace({ outside: { images: null } });
    const refused = await catchRefusal(withoutService.create({ media_fit: "adapt" }));
    expect([refused.code, refused.detail.field]).toEqual(["images_not_configured", "/media_fit"]);
    const images = { encode: async () => expect.fail("nothing is converted") };
    const withoutBucket = await setUpWorkspace({ outside: { images, bucket: null } });
    expect(await catchRefusal(withoutBucket.create({ media_fit: "adapt" }))).toMatchObject({
      code: "bucket_not_configured",
      detail: { field: "/media_fit" },
    });
  });
});
