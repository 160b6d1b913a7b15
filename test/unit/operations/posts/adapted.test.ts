// Posts whose images are converted for the channels that would refuse them.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { ImageRefused, ImagesUnavailable } from "../../../../src/adapters/images.ts";
import { getPlan } from "../../../../src/domain/plan.ts";
import { media, workspaces } from "../../../../src/store/db/schema.ts";
import { db } from "../../store/deliveries/stored-delivery.ts";
import { JPEG, WEBP, withImages } from "./with-images.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

describe("an image that a channel would refuse", () => {
  it("is converted once for all channels that need the same, and the post sends the copy", async () => {
    const { post, requests, readPosts, first, second, id, files } = await withImages();
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
    const [sent, other] = stored?.sentFiles ?? [];
    expect(sent?.copy).toEqual(other?.copy);
    expect(files.get(sent?.copy?.objectKey ?? "")).toMatchObject({ etag: sent?.copy?.etag, bytes: JPEG.length });
  });

  it("is converted once for all posts, and a file that no channel refuses goes out as it is", async () => {
    const { post, requests, readPosts, upload } = await withImages();
    await post();
    await post({ text: "again" });
    expect(requests).toHaveLength(1);
    const fine = await upload(JPEG, "image/jpeg");
    await post({ text: "fine", media: [fine] });
    expect(requests).toHaveLength(1);
    const sent = (await readPosts()).find(({ text }) => text === "fine")?.sentFiles;
    expect(sent).toMatchObject([{ media: fine, contentType: "image/jpeg", adapted: [], copy: null }, { copy: null }]);
  });

  it("is shown in a dry run as it would be, and left alone by it, by a draft, and by a post that wants its files exact", async () => {
    const { post, requests, id } = await withImages();
    const { body } = await post({ dry_run: true });
    const [delivery] = Object(body.deliveries);
    expect(delivery.files).toMatchObject([{ media: id, content_type: "image/jpeg", bytes: null, adapted: ["format"] }]);
    expect((await post({ draft: true })).status).toBe(201);
    const exact = await refusal(post({ media_fit: "exact" }));
    expect(exact.code).toBe("media_format_not_allowed");
    expect(requests).toEqual([]);
  });

  it.each([
    ["the service refuses", () => new ImageRefused("damaged"), 'the image service says "damaged"'],
    ["comes back as another format", () => WEBP, "the image service answered with another format"],
    ["comes back unreadable", () => JPEG.slice(0, 20), "the image service answered with no image"],
  ])("and %s has the post refused for each channel, with the reason", async (_what, answer, why) => {
    const { post, first, second, readPosts } = await withImages(() => {
      const answered = answer();
      if (answered instanceof Error) throw answered;
      return answered;
    });
    const refused = await refusal(post());
    expect(refused.detail.violations).toMatchObject(
      [first, second].map((channel) => ({
        code: "media_format_not_allowed",
        field: "/media/0",
        channel,
        platform: "instagram",
        message: `The file could not be converted for instagram: ${why}.`,
        hint: "Replace the file, or give this channel its own `media` in `overrides`.",
      })),
    );
    expect(await readPosts()).toEqual([]);
  });

  it("and cannot be converted now has the post refused, and trying again may help", async () => {
    const { post, readPosts } = await withImages(() => {
      throw new ImagesUnavailable("it is away");
    });
    const away = await refusal(post());
    expect([away.code, away.detail.field, away.message]).toEqual([
      "images_unavailable",
      "/media_fit",
      "Images cannot be converted now: it is away.",
    ]);
    expect(await readPosts()).toEqual([]);
  });

  it("and fails for a reason of our own is no refusal", async () => {
    const { post } = await withImages(() => {
      throw new TypeError("a fault of our own");
    });
    await expect(post()).rejects.toThrow(TypeError);
  });

  it("is converted where the plan has room for the copy, to the last byte", async () => {
    const { media_bytes: bytesMax } = getPlan("free");
    const roomFor = async (bytes: number) => {
      const here = await withImages(() => JPEG, { channel: { platform: "instagram" }, workspace: { plan: "free" } });
      await db
        .update(workspaces)
        .set({ stagedBytes: (bytesMax ?? 0) - bytes })
        .where(eq(workspaces.id, here.workspaceId));
      return here;
    };
    expect((await (await roomFor(JPEG.length)).post()).status).toBe(201);
    const full = await refusal((await roomFor(JPEG.length - 1)).post());
    expect([full.code, full.detail.extra]).toMatchObject(["plan_limit", { limit: "media_bytes" }]);
  });

  it("and changes while it is converted has the post refused", async () => {
    const { post, bucket, id } = await withImages();
    const { store } = bucket;
    bucket.store = async (...parts) => {
      const stored = await store(...parts);
      await db.update(media).set({ etag: "another" }).where(eq(media.id, id));
      return stored;
    };
    expect(await refusal(post())).toMatchObject({ message: "A stored file was changed after it was checked." });
  });

  it("needs an image service and a bucket", async () => {
    const without = await workspaceOfTwo({ outside: { images: null } });
    const refused = await refusal(without.create({ media_fit: "adapt" }));
    expect([refused.code, refused.detail.field]).toEqual(["images_not_configured", "/media_fit"]);
    const images = { encode: async () => expect.fail("nothing is converted") };
    const nowhere = await workspaceOfTwo({ outside: { images, bucket: null } });
    expect(await refusal(nowhere.create({ media_fit: "adapt" }))).toMatchObject({
      code: "bucket_not_configured",
      detail: { field: "/media_fit" },
    });
  });
});
