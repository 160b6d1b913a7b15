// The copies of converted images: their sharing between posts, their size, and the deletion of unused ones.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { getPlan } from "../../../../src/domain/plan.ts";
import { openDatabase } from "../../../../src/store/db/db.ts";
import { discardedObjects, media, workspaces } from "../../../../src/store/db/schema.ts";
import { UNNAMED_COPY_LIFE_MS } from "../../../../src/store/media/staging.ts";
import { databaseVia } from "../../../support/breaking-db.ts";
import { jpeg, webp } from "../../../support/media-files.ts";
import { db, makeBinding, NOW } from "../../store/deliveries/stored-delivery.ts";
import { JPEG, lengthen, setUpImages, WEBP } from "./with-images.ts";
import { catchRefusal } from "./workspace-of-two.ts";

const CHANGED = "A stored file was changed after it was checked.";
/** A WebP whose header allows transparency (RFC 9649, the flags of `VP8X`). */
const CLEAR_WEBP = WEBP.with(20, 0x10);
/** The signature and the header of a PNG. */
const PNG = Uint8Array.from([
  ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  ...[0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 3, 0xe8, 0, 0, 3, 0xe8, 8, 6, 0, 0, 0, 0, 0, 0, 0],
]);
const BLUESKY_BYTES_MAX = 2_000_000;

describe("copies of one image for two networks", () => {
  it("an image has two copies with separate keys if only one network keeps its transparency", async () => {
    const { upload, post, changeChannel, second, readSentFiles, files, listCopies } = await setUpImages(({ type }) =>
      type === "image/png" ? PNG : JPEG,
    );
    await changeChannel(second, { platform: "threads" });
    await post({ media: [await upload(CLEAR_WEBP)] });
    const sentFiles = await readSentFiles();
    expect(sentFiles).toMatchObject([{ contentType: "image/jpeg" }, { contentType: "image/png" }]);
    expect(sentFiles.map(({ copy }) => files.get(copy?.objectKey ?? "")?.contentType)).toEqual([
      "image/jpeg",
      "image/png",
    ]);
    expect(listCopies()).toHaveLength(2);
  });

  it("an image has two copies of different size if one network accepts fewer pixels", async () => {
    const images = await setUpImages(({ width, height }) => jpeg(width, height), { channel: { platform: "telegram" } });
    await images.changeChannel(images.second, { platform: "facebook" });
    await images.post({ media: [await images.upload(webp(9_000, 2_000))] });
    const [onTelegram, onFacebook] = await images.readSentFiles();
    expect(onFacebook).toMatchObject({ width: 9_000, height: 2_000, adapted: ["format"] });
    expect(onTelegram).toMatchObject({ width: 8_181, height: 1_818, adapted: ["format", "size"] });
  });

  it("an image has two copies if one network accepts fewer bytes", async () => {
    let requestCount = 0;
    const images = await setUpImages(() => (++requestCount <= 2 ? lengthen(JPEG, 9_000_000) : JPEG), {
      channel: { platform: "telegram" },
    });
    await images.changeChannel(images.second, { platform: "instagram" });
    await images.post();
    expect(await images.readSentFiles()).toMatchObject([
      { bytes: 9_000_000, adapted: ["format"] },
      { bytes: JPEG.length, adapted: ["format", "quality"] },
    ]);
  });
});

describe("an image that is still too large in bytes", () => {
  const onBluesky = async (bytesOf: (attempt: number) => number) => {
    const images = await setUpImages(
      ({ width, height }) => lengthen(jpeg(width, height), bytesOf(images.requests.length)),
      {
        channel: { platform: "bluesky" },
      },
    );
    const large = await images.upload(lengthen(JPEG, BLUESKY_BYTES_MAX + 1), "image/jpeg");
    return { ...images, post: () => images.post({ media: [large] }) };
  };

  it("an image is sent with the first encoding that is within the limit of bytes", async () => {
    const { post, requests, readSentFiles } = await onBluesky(() => BLUESKY_BYTES_MAX);
    expect((await post()).status).toBe(201);
    expect(requests).toEqual([{ type: "image/jpeg", width: 1_000, height: 1_000, quality: 92 }]);
    expect(await readSentFiles()).toMatchObject([{ bytes: BLUESKY_BYTES_MAX, adapted: ["quality"] }, {}]);
  });

  it("an image that is too large is encoded with a lower quality and then with fewer pixels, and the post lists these changes", async () => {
    const { post, requests, readSentFiles } = await onBluesky((attempt) => BLUESKY_BYTES_MAX + (attempt < 4 ? 1 : 0));
    await post();
    expect(requests.map(({ quality }) => quality)).toEqual([92, 84, 75, 75]);
    expect(requests.map(({ width }) => width)).toEqual([1_000, 1_000, 1_000, 929]);
    expect(await readSentFiles()).toMatchObject([{ width: 929, height: 929, adapted: ["size", "quality"] }, {}]);
  });

  it("an image whose first encoding is too large to be stored is encoded with the lowest quality next", async () => {
    const { post, requests, bucket } = await onBluesky(() => 1_000);
    const { store } = bucket;
    bucket.store = async (...parts) => (requests.length === 1 ? null : store(...parts));
    await post();
    expect(requests.map(({ quality }) => quality)).toEqual([92, 75]);
  });

  it("an image that is still too large after eight encodings is refused, with the network's limit of bytes", async () => {
    const { post, requests } = await onBluesky(() => BLUESKY_BYTES_MAX + 1);
    const refused = await catchRefusal(post());
    expect(requests).toHaveLength(8);
    expect(refused.detail.violations?.[0]?.message).toBe(
      "The file could not be converted for bluesky: it has more than 2000000 bytes however small it is made.",
    );
  });
});

describe("existing copies", () => {
  it("existing copies of all files of a post are used again", async () => {
    const { upload, post, id, requests } = await setUpImages();
    const twoFiles = { media: [id, await upload()] };
    await post(twoFiles);
    await post({ ...twoFiles, text: "again" });
    expect(requests).toHaveLength(2);
  });

  it("an existing copy is not used once its file has other content", async () => {
    const { post, id, requests, hold, workspaceId } = await setUpImages();
    await post();
    const { etag } = hold(`m/${workspaceId}/${id}`, WEBP, "image/webp");
    await db.update(media).set({ etag }).where(eq(media.id, id));
    await post({ text: "again" });
    expect(requests).toHaveLength(2);
  });

  it("a copy that another call makes in the meantime is used, and the sweeper deletes the second copy", async () => {
    const images = await setUpImages(async () => {
      if (images.requests.length === 1) await images.post({ text: "faster" });
      return JPEG;
    });
    await images.post();
    const [faster, slower] = (await images.readPosts()).map(({ sentFiles }) => sentFiles?.[0]?.copy);
    expect(slower).toEqual(faster);
    const [unused] = images.listCopies().filter((key) => key !== faster?.objectKey);
    expect(await readDiscarded(images.workspaceId)).toEqual([
      { objectKey: unused, nextAt: NOW + UNNAMED_COPY_LIFE_MS },
    ]);
  });
});

/** Reads the objects of a workspace that the sweeper will delete, with the time. */
const readDiscarded = (workspaceId: string) =>
  db
    .select({ objectKey: discardedObjects.objectKey, nextAt: discardedObjects.nextAt })
    .from(discardedObjects)
    .where(eq(discardedObjects.workspaceId, workspaceId));

describe("the key of a copy", () => {
  it("the key of a copy is scheduled for deletion before the copy is stored, until the copy belongs to its file", async () => {
    const notedDuring: unknown[] = [];
    const images = await setUpImages(async () => {
      notedDuring.push(...(await readDiscarded(images.workspaceId)));
      return JPEG;
    });
    await images.post();
    expect(notedDuring).toEqual(
      images.listCopies().map((objectKey) => ({ objectKey, nextAt: NOW + UNNAMED_COPY_LIFE_MS })),
    );
    expect(await readDiscarded(images.workspaceId)).toEqual([]);
  });

  it("the key of a copy stays scheduled for deletion if the image is refused", async () => {
    const images = await setUpImages(() => WEBP);
    await catchRefusal(images.post());
    const [stored] = images.listCopies();
    expect(await readDiscarded(images.workspaceId)).toContainEqual({
      objectKey: stored,
      nextAt: NOW + UNNAMED_COPY_LIFE_MS,
    });
  });

  it("nothing is converted if the key of the copy cannot be scheduled for deletion", async () => {
    const { ctx, post, requests } = await setUpImages();
    const cannotNote = databaseVia(makeBinding(), async (sql, act) => {
      if (sql.startsWith('insert into "discarded_objects"')) throw new Error("it cannot be noted");
      return act();
    });
    ctx.databaseOf = () => openDatabase(cannotNote);
    await expect(post()).rejects.toThrow();
    expect(requests).toEqual([]);
  });
});

describe("a file that is replaced", () => {
  it("a file that is replaced after it was inspected is not converted", async () => {
    const { post, bucket, id, requests } = await setUpImages();
    const { read } = bucket;
    bucket.read = async (...parts) => {
      await db.update(media).set({ etag: "another" }).where(eq(media.id, id));
      return read(...parts);
    };
    expect(await catchRefusal(post())).toMatchObject({ message: CHANGED });
    expect(requests).toEqual([]);
  });

  it("a file that is replaced before it is read completely is not converted", async () => {
    const { post, bucket, requests } = await setUpImages();
    const { read } = bucket;
    bucket.read = async (key, etag, range) => (range === undefined ? null : read(key, etag, range));
    expect(await catchRefusal(post())).toMatchObject({ message: CHANGED });
    expect(requests).toEqual([]);
  });
});

describe("a copy that cannot be stored", () => {
  const { media_bytes: bytesMax } = getPlan("free");
  const fillPlan = (workspaceId: string, freeBytes: number) =>
    db
      .update(workspaces)
      .set({ stagedBytes: (bytesMax ?? 0) - freeBytes })
      .where(eq(workspaces.id, workspaceId));
  const FREE = { channel: { platform: "instagram" }, workspace: { plan: "free" } } as const;

  it("a copy is refused with the current bytes if the plan fills up while it is made", async () => {
    const images = await setUpImages(async () => {
      await fillPlan(images.workspaceId, 1);
      return JPEG;
    }, FREE);
    const full = await catchRefusal(images.post());
    expect([full.code, full.detail.extra]).toMatchObject(["plan_limit", { used: (bytesMax ?? 0) - 1 }]);
  });

  it("a copy whose file has changed is refused for that, and not for a plan that it would exactly fill", async () => {
    const images = await setUpImages(async () => {
      await db.update(media).set({ etag: "another" }).where(eq(media.id, images.id));
      return JPEG;
    }, FREE);
    await fillPlan(images.workspaceId, JPEG.length);
    expect(await catchRefusal(images.post())).toMatchObject({ message: CHANGED });
  });

  it("a copy that cannot be read from the bucket is refused temporarily", async () => {
    const images = await setUpImages(() => {
      images.fails.add("read");
      return JPEG;
    });
    const away = await catchRefusal(images.post());
    expect([away.code, away.message]).toEqual(["images_unavailable", "The converted file could not be read back."]);
  });
});
