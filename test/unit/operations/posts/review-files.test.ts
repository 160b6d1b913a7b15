// A reviewer sees exactly the files on which they decide, at addresses whose content cannot change.
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { openReview } from "../../../../src/operations/posts/review.ts";
import { media, mediaUses, posts } from "../../../../src/store/db/schema.ts";
import { jpeg } from "../../../support/media-files.ts";
import { memoryBucket } from "../../../support/memory-bucket.ts";
import { db } from "../../store/deliveries/stored-delivery.ts";
import { setUpWorkspace } from "./workspace-of-two.ts";

const PICTURE = jpeg(1_000, 1_000);

/** Creates a waiting post whose second channel has its own file, and opens its review link. */
async function openReviewed(change: (parts: { id: string; first: string; second: string }) => object = () => ({})) {
  const { bucket, hold } = memoryBucket();
  const { ctx, call, create, join, workspaceId, first, second } = await setUpWorkspace({
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
  const [shared, channelFile] = [await upload("shared"), await upload("own")];
  const { body } = await create({ draft: true, channels: [] }, { as: owner });
  const id = String(body.id);
  // The rules of the network do not matter here, so the columns are written directly.
  const columns = {
    status: "awaiting_approval" as const,
    channels: [first, second],
    media: [shared.id, "med_gone"],
    overrides: {
      [second]: { thumbnail_media: channelFile.id, title: "Film", thread: [{ text: "more", media: [channelFile.id] }] },
    },
    ...change({ id: shared.id, first, second }),
  };
  await db.update(posts).set(columns).where(eq(posts.id, id));
  for (const mediaId of [shared.id, channelFile.id])
    await db.insert(mediaUses).values({ workspaceId, mediaId, postId: id });
  // The channel's file has been inspected, and the shared one has not.
  await db.update(media).set({ etag: channelFile.etag }).where(eq(media.id, channelFile.id));
  const { body: link } = await call("posts.create-review-link", { as: owner, id });
  const opened = await openReview(ctx, String(link.url).slice("https://crier.test/review/".length));
  const review = opened.is === "open" ? opened.review : expect.fail(opened.is);
  const address = ({ id: file, etag }: { id: string; etag: string }) =>
    `https://files.test/m/${workspaceId}/${file}?${etag}`;
  return { review, shared, channelFile, address };
}

it("a review shows an uninspected upload at its upload address, and leaves out a missing file", async () => {
  const { review, shared, channelFile, address } = await openReviewed();
  const [first, second] = review.channels;
  const shownAt = (id: string) => expect.stringMatching(new RegExp(`^https://files.test/m/ws_\\w+/${id}$`));
  const [ofPost, ofChannel] = [
    { kind: "image", url: shownAt(shared.id), isStored: true, alt: "shared" },
    { kind: "image", url: address(channelFile), isStored: true, alt: "own" },
  ];
  expect(first).toMatchObject({ parts: [{ text: "hello", files: [ofPost] }], thumbnail: [], options: [] });
  expect(second).toMatchObject({
    parts: [{ files: [ofPost] }, { text: "more", files: [ofChannel] }],
    thumbnail: [ofChannel],
    options: [["title", "Film"]],
  });
});

it("a review shows a converted copy instead of its file, only on its channel and in its position", async () => {
  const { review } = await openReviewed(({ id, first }) => ({
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
