// The copies of converted images: which posts share them, how small they are made, and what is left of those that fail.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { getPlan } from "../../../../src/domain/plan.ts";
import { openDatabase } from "../../../../src/store/db/db.ts";
import { discardedObjects, media, workspaces } from "../../../../src/store/db/schema.ts";
import { UNNAMED_COPY_LIFE_MS } from "../../../../src/store/media/staging.ts";
import { databaseVia } from "../../../support/breaking-db.ts";
import { jpeg, webp } from "../../../support/media-files.ts";
import { bindingOfTests, db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { JPEG, lengthen, WEBP, withImages } from "./with-images.ts";
import { refusal } from "./workspace-of-two.ts";

const CHANGED = "A stored file was changed after it was checked.";
/** A WebP that may be transparent: RFC 9649, the flags of `VP8X`. */
const CLEAR_WEBP = WEBP.with(20, 0x10);
/** The eight bytes that every PNG begins with, and its header. */
const PNG = Uint8Array.from([
  ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  ...[0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 3, 0xe8, 0, 0, 3, 0xe8, 8, 6, 0, 0, 0, 0, 0, 0, 0],
]);
const BLUESKY_BYTES_MAX = 2_000_000;

describe("copies of one image for two networks", () => {
  it("are two where one network keeps its transparency, each under a key of its own", async () => {
    const { upload, post, changeChannel, second, readSentFiles, files, listCopies } = await withImages(({ type }) =>
      type === "image/png" ? PNG : JPEG,
    );
    await changeChannel(second, { platform: "threads" });
    await post({ media: [await upload(CLEAR_WEBP)] });
    const sent = await readSentFiles();
    expect(sent).toMatchObject([{ contentType: "image/jpeg" }, { contentType: "image/png" }]);
    expect(sent.map(({ copy }) => files.get(copy?.objectKey ?? "")?.contentType)).toEqual(["image/jpeg", "image/png"]);
    expect(listCopies()).toHaveLength(2);
  });

  it("are two where one network takes fewer pixels, and each is described by its own pixels", async () => {
    const here = await withImages(({ width, height }) => jpeg(width, height), { channel: { platform: "telegram" } });
    await here.changeChannel(here.second, { platform: "facebook" });
    await here.post({ media: [await here.upload(webp(9_000, 2_000))] });
    const [onTelegram, onFacebook] = await here.readSentFiles();
    expect(onFacebook).toMatchObject({ width: 9_000, height: 2_000, adapted: ["format"] });
    expect(onTelegram).toMatchObject({ width: 8_181, height: 1_818, adapted: ["format", "size"] });
  });

  it("are two where one network takes fewer bytes", async () => {
    let made = 0;
    const here = await withImages(() => (++made <= 2 ? lengthen(JPEG, 9_000_000) : JPEG), {
      channel: { platform: "telegram" },
    });
    await here.changeChannel(here.second, { platform: "instagram" });
    await here.post();
    expect(await here.readSentFiles()).toMatchObject([
      { bytes: 9_000_000, adapted: ["format"] },
      { bytes: JPEG.length, adapted: ["format", "quality"] },
    ]);
  });
});

describe("an image that is still too large in bytes", () => {
  const onBluesky = async (bytesOf: (attempt: number) => number) => {
    const here = await withImages(({ width, height }) => lengthen(jpeg(width, height), bytesOf(here.requests.length)), {
      channel: { platform: "bluesky" },
    });
    const large = await here.upload(lengthen(JPEG, BLUESKY_BYTES_MAX + 1), "image/jpeg");
    return { ...here, post: () => here.post({ media: [large] }) };
  };

  it("is sent at the first size that the network takes, to the last byte", async () => {
    const { post, requests, readSentFiles } = await onBluesky(() => BLUESKY_BYTES_MAX);
    expect((await post()).status).toBe(201);
    expect(requests).toEqual([{ type: "image/jpeg", width: 1_000, height: 1_000, quality: 92 }]);
    expect(await readSentFiles()).toMatchObject([{ bytes: BLUESKY_BYTES_MAX, adapted: ["quality"] }, {}]);
  });

  it("is made again at a lower quality, and then with fewer pixels, which the post says", async () => {
    const { post, requests, readSentFiles } = await onBluesky((attempt) => BLUESKY_BYTES_MAX + (attempt < 4 ? 1 : 0));
    await post();
    expect(requests.map(({ quality }) => quality)).toEqual([92, 84, 75, 75]);
    expect(requests.map(({ width }) => width)).toEqual([1_000, 1_000, 1_000, 929]);
    expect(await readSentFiles()).toMatchObject([{ width: 929, height: 929, adapted: ["size", "quality"] }, {}]);
  });

  it("goes straight to the lowest quality if the first answer cannot even be stored", async () => {
    const { post, requests, bucket } = await onBluesky(() => 1_000);
    const { store } = bucket;
    bucket.store = async (...parts) => (requests.length === 1 ? null : store(...parts));
    await post();
    expect(requests.map(({ quality }) => quality)).toEqual([92, 75]);
  });

  it("is refused after eight attempts, with the bytes that the network takes", async () => {
    const { post, requests } = await onBluesky(() => BLUESKY_BYTES_MAX + 1);
    const refused = await refusal(post());
    expect(requests).toHaveLength(8);
    expect(refused.detail.violations?.[0]?.message).toBe(
      "The file could not be converted for bluesky: it has more than 2000000 bytes however small it is made.",
    );
  });
});

describe("existing copies", () => {
  it("of all files of a post are found again", async () => {
    const { upload, post, id, requests } = await withImages();
    const both = { media: [id, await upload()] };
    await post(both);
    await post({ ...both, text: "again" });
    expect(requests).toHaveLength(2);
  });

  it("do not stand for other content of their file", async () => {
    const { post, id, requests, hold, workspaceId } = await withImages();
    await post();
    const { etag } = hold(`m/${workspaceId}/${id}`, WEBP, "image/webp");
    await db.update(media).set({ etag }).where(eq(media.id, id));
    await post({ text: "again" });
    expect(requests).toHaveLength(2);
  });

  it("made by another call in the meantime are used, and the second copy is left to the sweeper", async () => {
    const here = await withImages(async () => {
      if (here.requests.length === 1) await here.post({ text: "faster" });
      return JPEG;
    });
    await here.post();
    const [faster, slower] = (await here.readPosts()).map(({ sentFiles }) => sentFiles?.[0]?.copy);
    expect(slower).toEqual(faster);
    const [unused] = here.listCopies().filter((key) => key !== faster?.objectKey);
    expect(await noted(here.workspaceId)).toEqual([{ objectKey: unused, nextAt: NOW + UNNAMED_COPY_LIFE_MS }]);
  });
});

/** The objects of a workspace that the sweeper deletes, and when. */
const noted = (workspaceId: string) =>
  db
    .select({ objectKey: discardedObjects.objectKey, nextAt: discardedObjects.nextAt })
    .from(discardedObjects)
    .where(eq(discardedObjects.workspaceId, workspaceId));

describe("the key of a copy", () => {
  it("is noted before anything is stored under it, and until the copy belongs to its file", async () => {
    const during: unknown[] = [];
    const here = await withImages(async () => {
      during.push(...(await noted(here.workspaceId)));
      return JPEG;
    });
    await here.post();
    expect(during).toEqual(here.listCopies().map((objectKey) => ({ objectKey, nextAt: NOW + UNNAMED_COPY_LIFE_MS })));
    expect(await noted(here.workspaceId)).toEqual([]);
  });

  it("stays noted if the image is refused", async () => {
    const here = await withImages(() => WEBP);
    await refusal(here.post());
    const [stored] = here.listCopies();
    expect(await noted(here.workspaceId)).toContainEqual({ objectKey: stored, nextAt: NOW + UNNAMED_COPY_LIFE_MS });
  });

  it("must be noted: otherwise nothing is converted", async () => {
    const { ctx, post, requests } = await withImages();
    const cannotNote = databaseVia(bindingOfTests(), async (sql, act) => {
      if (sql.startsWith('insert into "discarded_objects"')) throw new Error("it cannot be noted");
      return act();
    });
    ctx.databaseOf = () => openDatabase(cannotNote);
    await expect(post()).rejects.toThrow();
    expect(requests).toEqual([]);
  });
});

describe("a file that is replaced", () => {
  it("after it was inspected is not converted", async () => {
    const { post, bucket, id, requests } = await withImages();
    const { read } = bucket;
    bucket.read = async (...parts) => {
      await db.update(media).set({ etag: "another" }).where(eq(media.id, id));
      return read(...parts);
    };
    expect(await refusal(post())).toMatchObject({ message: CHANGED });
    expect(requests).toEqual([]);
  });

  it("before it is read whole is not converted", async () => {
    const { post, bucket, requests } = await withImages();
    const { read } = bucket;
    bucket.read = async (key, etag, range) => (range === undefined ? null : read(key, etag, range));
    expect(await refusal(post())).toMatchObject({ message: CHANGED });
    expect(requests).toEqual([]);
  });
});

describe("a copy that cannot be kept", () => {
  const { media_bytes: bytesMax } = getPlan("free");
  const fill = (workspaceId: string, left: number) =>
    db
      .update(workspaces)
      .set({ stagedBytes: (bytesMax ?? 0) - left })
      .where(eq(workspaces.id, workspaceId));
  const FREE = { channel: { platform: "instagram" }, workspace: { plan: "free" } } as const;

  it("because the plan filled up while it was made is refused with the bytes of that moment", async () => {
    const here = await withImages(async () => {
      await fill(here.workspaceId, 1);
      return JPEG;
    }, FREE);
    const full = await refusal(here.post());
    expect([full.code, full.detail.extra]).toMatchObject(["plan_limit", { used: (bytesMax ?? 0) - 1 }]);
  });

  it("because its file has changed does not blame the plan, which it would just have filled", async () => {
    const here = await withImages(async () => {
      await db.update(media).set({ etag: "another" }).where(eq(media.id, here.id));
      return JPEG;
    }, FREE);
    await fill(here.workspaceId, JPEG.length);
    expect(await refusal(here.post())).toMatchObject({ message: CHANGED });
  });

  it("because the bucket does not give it back is refused for now", async () => {
    const here = await withImages(() => {
      here.fails.add("read");
      return JPEG;
    });
    const away = await refusal(here.post());
    expect([away.code, away.message]).toEqual(["images_unavailable", "The converted file could not be read back."]);
  });
});
