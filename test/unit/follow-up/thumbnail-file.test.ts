// The file of a thumbnail is the upload that its option names, or the copy that was converted for the channel.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { SentFile } from "../../../src/domain/posts/sent-file.ts";
import { media, posts } from "../../../src/store/db/schema.ts";
import { jpeg } from "../../support/media-files.ts";
import { memoryBucket } from "../../support/memory-bucket.ts";
import { db } from "../store/deliveries/stored-delivery.ts";
import { doWork, followedDelivery, makeNetwork } from "./followed-delivery.ts";

const POST = { id: "77", publishKey: null };

describe("the file of a thumbnail", () => {
  const PICTURE = jpeg(10, 10);
  /** Makes the addition of a thumbnail that is in the bucket; `sentFiles` returns the converted copies of its post. */
  async function addThumbnail(
    sentFiles: (copy: { objectKey: string; etag: string }) => SentFile[] | null = () => null,
  ) {
    const { bucket, hold } = memoryBucket();
    const [upload, copy] = [hold("m/1", PICTURE, "image/jpeg"), hold("m/2", jpeg(5, 5).subarray(1), "image/png")];
    const followed = await followedDelivery({
      work: [{ kind: "thumbnail_media", state: "due" }],
      options: { thumbnail_media: "med_1" },
      outside: { bucket },
    });
    const { workspaceId } = followed.key;
    const stored = {
      kind: "image",
      state: "ready",
      objectKey: "m/1",
      url: null,
      createdAt: 0,
      width: 10,
      height: 10,
    } as const;
    await db.insert(media).values({ ...upload, ...stored, workspaceId, id: "med_1" });
    const storedFiles = sentFiles({ objectKey: "m/2", etag: copy.etag });
    await db.update(posts).set({ sentFiles: storedFiles }).where(eq(posts.workspaceId, workspaceId));
    const files: unknown[] = [];
    const network = makeNetwork({
      additions: {
        thumbnail_media: {
          add: async (_post, { value, file }) => {
            files.push(value, file);
            return { is: "added" };
          },
        },
      },
    });
    await doWork({ ...(await followed.found()), ...followed, network }, POST, "thumbnail_media");
    return files;
  }

  it("the file of a thumbnail is the upload that its option names", async () => {
    const file = { id: "med_1", kind: "image", contentType: "image/jpeg", bytes: PICTURE.length, width: 10 };
    expect(await addThumbnail()).toMatchObject(["med_1", file]);
  });

  it("the file of a thumbnail is its converted copy if there is one, and not a copy of the post's files", async () => {
    const makeConverted = (place: SentFile["place"]) => (copy: { objectKey: string; etag: string }) => [
      {
        channel: "ch_1",
        place,
        media: "med_1",
        contentType: "image/png",
        width: 5,
        height: 5,
        bytes: 1,
        adapted: [],
        copy,
      },
    ];
    expect(await addThumbnail(makeConverted("thumbnail"))).toMatchObject([
      "med_1",
      { contentType: "image/png", width: 5 },
    ]);
    expect(await addThumbnail(makeConverted(0))).toMatchObject(["med_1", { contentType: "image/jpeg" }]);
  });
});

it("a thumbnail whose file is gone fails, and its network is not called", async () => {
  const followed = await followedDelivery({
    work: [{ kind: "thumbnail_media", state: "due" }],
    options: { thumbnail_media: "med_gone" },
  });
  const network = makeNetwork({ additions: { thumbnail_media: { add: () => expect.fail("nothing is to be sent") } } });
  await doWork({ ...(await followed.found()), ...followed, network }, POST, "thumbnail_media");
  expect((await followed.read()).work).toMatchObject({ thumbnail_media: { state: "failed" } });
});
