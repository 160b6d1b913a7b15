// Two simultaneous edits of one post.
import { expect, it } from "vitest";
import { operations } from "../../../../src/contract/index.ts";
import { inWorkspace } from "../../../../src/operations/caller.ts";
import { updatePost } from "../../../../src/operations/posts/update.ts";
import { parseInput } from "../../../../src/operations/run.ts";
import { ask } from "../../../../src/store/db/batch.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { setUpPost } from "./created-post.ts";
import { catchRefusal } from "./workspace-of-two.ts";

/** Reads the material of an edit, runs another edit, and returns the first one as `write`. */
async function overtake(
  patch: object,
  { ifMatch, other: otherPatch = { labels: ["other"] } }: { ifMatch?: string; other?: object } = {},
) {
  const pauses: number[] = [];
  const created = await setUpPost({}, { outside: { pause: async (ms) => void pauses.push(ms) } });
  const { ctx, workspaceId, id, keyCaller } = created;
  const raw = {
    params: { id },
    query: {},
    body: patch,
    idempotencyKey: null,
    ...(ifMatch === undefined ? {} : { ifMatch }),
  };
  const input = parseInput(operations["posts.update"], raw);
  const material = await ask(db, updatePost.read(ctx, db, workspaceId, input));
  await created.edit(otherPatch);
  return { ...created, pauses, write: () => updatePost.run(ctx, inWorkspace(keyCaller("key_1")), input, material) };
}

it("an overtaken edit waits a moment and then applies to the result of the other edit", async () => {
  const { write, readPosts, pauses } = await overtake({ text: "mine" });
  expect(await write()).toMatchObject({ status: 200, body: { text: "mine", rev: 3 } });
  expect(await readPosts()).toMatchObject([{ text: "mine", labels: ["other"], revision: 3 }]);
  expect(pauses).toEqual([11]);
});

it("an overtaken edit that names its revision is refused", async () => {
  const { write, readPosts } = await overtake({ text: "mine" }, { ifMatch: '"1"' });
  expect(await catchRefusal(write())).toMatchObject({ status: 412, code: "post_changed" });
  expect(await readPosts()).toMatchObject([{ text: "hello", revision: 2 }]);
});

it("an overtaken edit that has been retried for too long is refused as a conflict", async () => {
  const { write, ctx, pauses, readPosts } = await overtake({ text: "mine" });
  let now = NOW;
  ctx.now = () => (now += 12_000);
  expect(await catchRefusal(write())).toMatchObject({ status: 409, code: "edit_conflict" });
  expect(pauses).toEqual([]);
  expect(await readPosts()).toMatchObject([{ text: "hello" }]);
});

it("the wait of an overtaken edit is proportional to its duration, up to two seconds", async () => {
  const slow = await overtake({ text: "mine" });
  let now = NOW;
  slow.ctx.now = () => (now += 500);
  await slow.write();
  expect(slow.pauses[0]).toBeGreaterThan(11);
  expect(slow.pauses[0]).toBeLessThanOrEqual(1_004);
});
