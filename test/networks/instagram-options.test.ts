// Options of Instagram that concern files and comments: a reel's cover, tagged people, an audio's name, comments turned off.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { prepare, prepareKey } from "./containers.ts";
import { account, post } from "./instagram-post.ts";
import { computeSum, fault, hostFile, jpeg, ledger, mp4, png } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const tag = (username: string, fields: object = {}) => ({ username, ...fields });

async function publishOne(files: MediaFile[], options: Record<string, Json>, fields: object = {}) {
  const connection = await account();
  const newPost = await post(files, { options, ...fields }, "tagged");
  const publishKey = await prepareKey(instagram, newPost, connection);
  const outcome = await instagram.publish(newPost, publishKey, connection.context);
  const [entry] = await ledger(simulators, connection.handle);
  if (outcome.is !== "live" || entry === undefined) return expect.fail(JSON.stringify(outcome));
  return { connection, publishKey, entry, published: { id: outcome.id, publishKey } };
}

const listProblems = (options: Json, kinds: ("image" | "video")[], postType: "feed" | "story" = "feed") =>
  instagram
    .checkOptions?.(options, { postType, media: kinds.map((kind) => ({ kind })) }, 0)
    .map(({ path }) => path.join("/")) ?? expect.fail("no check");

describe("options of an Instagram post", () => {
  it("give a reel its own cover image, tagged people and the name of its audio", async () => {
    const cover = await hostFile(simulators, jpeg(3));
    const options = { user_tags: [tag("alice")], audio_name: "Waves" };
    const { entry } = await publishOne([mp4(2_000)], options, { postType: "reel", thumbnail: cover });
    const { sha256 } = await computeSum(cover);
    expect(entry.shown).toMatchObject({ cover: sha256, facts: { Tagged: "@alice", Audio: "Waves" } });
    expect(entry.detail).toMatchObject({ cover_url: cover.url, user_tags: '[{"username":"alice"}]' });
  });

  it("tag people at their places on each image of a carousel", async () => {
    const user_tags = [tag("alice", { x: 0.25, y: 0.5 }), tag("bob", { x: 1, y: 0, file: 1 })];
    const { entry } = await publishOne([jpeg(0), jpeg(1)], { user_tags });
    expect(entry.shown.facts).toEqual({ Tagged: "@alice at 0.25, 0.5 · @bob at 1, 0" });
    expect(entry.media).toHaveLength(2);
  });

  it("tag people in a story without a place", async () => {
    const { entry } = await publishOne([jpeg(0)], { user_tags: [tag("alice")] }, { postType: "story" });
    expect(entry.shown.facts).toEqual({ Tagged: "@alice" });
  });

  it.each<[string, Json, ("image" | "video")[], string[]]>([
    ["an image without a place", { user_tags: [tag("a")] }, ["image"], ["user_tags/0/x"]],
    ["an image with half a place", { user_tags: [tag("a", { x: 0 })] }, ["image"], ["user_tags/0/y"]],
    ["a reel with a place", { user_tags: [tag("a", { x: 0, y: 0 })] }, ["video"], ["user_tags/0/x"]],
    ["a video of a carousel", { user_tags: [tag("a", { file: 1 })] }, ["image", "video"], ["user_tags/0/file"]],
    ["a file that is not there", { user_tags: [tag("a", { x: 0, y: 0, file: 2 })] }, ["image"], ["user_tags/0/file"]],
    ["a post that has no files yet", { user_tags: [tag("a")] }, [], []],
  ])("are checked against the files: a tag on %s", (_, options, kinds, fields) => {
    expect(listProblems(options, kinds)).toEqual(fields);
  });

  it("are refused before anything is sent if a tag does not fit", async () => {
    const connection = await account();
    const wrong = await post([jpeg(0)], { options: { user_tags: [tag("alice")] } });
    expect(await prepare(instagram, wrong, connection)).toMatchObject({ is: "rejected", error: "content_refused" });
  });

  it("reject a cover frame beside a cover image, which Instagram would ignore", () => {
    const id = `med_${"0".repeat(26)}`;
    const { error } = instagram.options.safeParse({ cover_media: id, thumb_offset_ms: 100 });
    expect(error?.issues.map(({ path }) => path)).toEqual([["thumb_offset_ms"]]);
  });

  it("fail with Instagram's words if a tagged account is private, and if a cover is no JPEG", async () => {
    const connection = await account();
    const tagged = await post([mp4(2_000)], { options: { user_tags: [tag("private_eve")] } });
    expect(await prepare(instagram, tagged, connection)).toMatchObject({
      is: "rejected",
      error: "content_refused",
      networkMessage: expect.stringContaining("cannot be accessed"),
    });
    const covered = await post([mp4(2_000)], { thumbnail: await hostFile(simulators, png(0)) });
    expect(await prepare(instagram, covered, connection)).toMatchObject({
      networkMessage: expect.stringContaining("could not be fetched"),
    });
  });
});

describe("turning comments off on Instagram", () => {
  const comments = instagram.additions?.comments ?? expect.fail("no such addition");
  const wish = { value: false };

  it("is done once the post is live, and Instagram shows it", async () => {
    const { connection, published } = await publishOne([jpeg(0)], { comments: false });
    expect(await comments.isThere?.(published, wish, connection.context)).toMatchObject({ is: "not_found" });
    expect(await comments.add(published, wish, connection.context)).toEqual({ is: "added" });
    expect(await comments.isThere?.(published, wish, connection.context)).toEqual({ is: "added" });
    const [entry] = await ledger(simulators, connection.handle);
    expect(entry).toMatchObject({ detail: { comment_enabled: false }, shown: { facts: { Comments: "off" } } });
  });

  it("is tried again if the answer is lost, because repeating it is harmless", async () => {
    const { connection, published } = await publishOne([jpeg(0)], {});
    await fault(simulators, { platform: "instagram", call: "ig-media-update", do: "reset_after_accept" });
    expect(await comments.add(published, wish, connection.context)).toMatchObject({ is: "retryable" });
    expect(await comments.add(published, wish, connection.context)).toEqual({ is: "added" });
  });

  it("fails for good without the permission for comments", async () => {
    const { connection, published } = await publishOne([jpeg(0)], {});
    const denied = { error: { message: "(#10) Not permitted", type: "OAuthException", code: 10 } };
    await fault(simulators, {
      platform: "instagram",
      call: "ig-media-update",
      do: "status",
      status: 403,
      body: denied,
    });
    const outcome = await comments.add(published, wish, connection.context);
    expect(outcome).toMatchObject({ is: "rejected", error: "permission_missing" });
  });
});
