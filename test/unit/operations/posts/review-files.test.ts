// The files that a reviewer is shown: exactly the content that is decided on, at an address where only that is ever found.
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { openReview } from "../../../../src/operations/posts/review.ts";
import { media, mediaUses, posts } from "../../../../src/store/db/schema.ts";
import { jpeg } from "../../../support/media-files.ts";
import { memoryBucket } from "../../../support/memory-bucket.ts";
import { db } from "../../store/deliveries/stored-delivery.ts";
import { workspaceOfTwo } from "./workspace-of-two.ts";

const PICTURE = jpeg(1_000, 1_000);

/** A post that waits with a file of its own for its second channel, and what its link shows. */
async function reviewed(change: (parts: { id: string; first: string; second: string }) => object = () => ({})) {
  const { bucket, hold } = memoryBucket();
  const { ctx, call, create, join, workspaceId, first, second } = await workspaceOfTwo({
    workspace: { approval: "all" },
    channel: { platform: "youtube" },
    outside: { bucket },
  });
  const owner = await join("owner");
  const upload = async (alt: string) => {
    const { body } = await call("media.request-upload", {
      body: { content_type: "image/jpeg", bytes: PICTURE.length },
    });
    const { id } = Object(body.media);
    await call("media.describe", { id, body: { alt } });
    const { etag } = hold(`m/${workspaceId}/${id}`, PICTURE, "image/jpeg");
    return { id: String(id), etag };
  };
  const [shared, own] = [await upload("shared"), await upload("own")];
  const { body } = await create({ draft: true, channels: [] }, { as: owner });
  const id = String(body.id);
  // The rules of the network are another matter here.
  const columns = {
    status: "awaiting_approval" as const,
    channels: [first, second],
    media: [shared.id, "med_gone"],
    overrides: { [second]: { thumbnail_media: own.id, title: "Film", thread: [{ text: "more", media: [own.id] }] } },
    ...change({ id: shared.id, first, second }),
  };
  await db.update(posts).set(columns).where(eq(posts.id, id));
  for (const mediaId of [shared.id, own.id]) await db.insert(mediaUses).values({ workspaceId, mediaId, postId: id });
  // The one of the channel was looked at before.
  await db.update(media).set({ etag: own.etag }).where(eq(media.id, own.id));
  const { body: made } = await call("posts.create-review-link", { as: owner, id });
  const opened = await openReview(ctx, String(made.url).slice("https://crier.test/review/".length));
  const review = opened.is === "open" ? opened.review : expect.fail(opened.is);
  const address = ({ id: file, etag }: { id: string; etag: string }) =>
    `https://files.test/m/${workspaceId}/${file}?${etag}`;
  return { review, shared, own, address };
}

it("an upload that nobody has looked at yet is shown where it arrives, and a file that is gone is left out", async () => {
  const { review, shared, own, address } = await reviewed();
  const [first, second] = review.channels;
  const shownAt = (id: string) => expect.stringMatching(new RegExp(`^https://files.test/m/ws_\\w+/${id}$`));
  const [ofPost, ofChannel] = [
    { kind: "image", url: shownAt(shared.id), isStored: true, alt: "shared" },
    { kind: "image", url: address(own), isStored: true, alt: "own" },
  ];
  expect(first).toMatchObject({ parts: [{ text: "hello", files: [ofPost] }], thumbnail: [], options: [] });
  expect(second).toMatchObject({
    parts: [{ files: [ofPost] }, { text: "more", files: [ofChannel] }],
    thumbnail: [ofChannel],
    options: [["title", "Film"]],
  });
});

it("a converted copy is shown instead of its file, on its own channel and at its own place", async () => {
  const { review } = await reviewed(({ id, first }) => ({
    sentFiles: [
      {
        channel: first,
        place: 0,
        media: id,
        contentType: "image/png",
        width: 1,
        height: 1,
        bytes: 1,
        adapted: [],
        copy: { objectKey: "m/copy", etag: "c1" },
      },
    ],
  }));
  const [first, second] = review.channels;
  expect(first?.parts[0]?.files).toMatchObject([
    { kind: "image", url: "https://files.test/m/copy?c1", isStored: true, alt: "shared" },
  ]);
  expect(second?.parts[0]?.files[0]?.url).not.toContain("copy");
});
