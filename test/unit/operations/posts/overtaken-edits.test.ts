// Two edits of one post at once: which of them counts, and what the other one is told.
import { expect, it } from "vitest";
import { operations } from "../../../../src/contract/index.ts";
import { inWorkspace } from "../../../../src/operations/caller.ts";
import { updatePost } from "../../../../src/operations/posts/update.ts";
import { parseInput } from "../../../../src/operations/run.ts";
import { ask } from "../../../../src/store/db/batch.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { createdPost } from "./created-post.ts";
import { refusal } from "./workspace-of-two.ts";

/** Reads for an edit, lets another one go by, and carries the first one out. */
async function overtaken(
  patch: object,
  { ifMatch, other = { labels: ["other"] } }: { ifMatch?: string; other?: object } = {},
) {
  const pauses: number[] = [];
  const created = await createdPost({}, { outside: { pause: async (ms) => void pauses.push(ms) } });
  const { ctx, workspaceId, id, keyCaller } = created;
  const raw = {
    params: { id },
    query: {},
    body: patch,
    idempotencyKey: null,
    ...(ifMatch === undefined ? {} : { ifMatch }),
  };
  const input = parseInput(operations["posts.update"], raw);
  const found = await ask(db, updatePost.read(ctx, db, workspaceId, input));
  await created.edit(other);
  return { ...created, pauses, write: () => updatePost.run(ctx, inWorkspace(keyCaller("key_1")), input, found) };
}

it("both edits count: the one that was overtaken waits a moment, and begins again from what the other left", async () => {
  const { write, readPosts, pauses } = await overtaken({ text: "mine" });
  expect(await write()).toMatchObject({ status: 200, body: { text: "mine", rev: 3 } });
  expect(await readPosts()).toMatchObject([{ text: "mine", labels: ["other"], revision: 3 }]);
  expect(pauses).toEqual([11]);
});

it("an overtaken edit that names the revision that it read is refused", async () => {
  const { write, readPosts } = await overtaken({ text: "mine" }, { ifMatch: '"1"' });
  expect(await refusal(write())).toMatchObject({ status: 412, code: "post_changed" });
  expect(await readPosts()).toMatchObject([{ text: "hello", revision: 2 }]);
});

it("an overtaken edit that tried for too long is refused, and may be sent again", async () => {
  const { write, ctx, pauses, readPosts } = await overtaken({ text: "mine" });
  let now = NOW;
  ctx.now = () => (now += 12_000);
  expect(await refusal(write())).toMatchObject({ status: 409, code: "edit_conflict" });
  expect(pauses).toEqual([]);
  expect(await readPosts()).toMatchObject([{ text: "hello" }]);
});

it("an overtaken edit that took long waits in proportion, and never for more than two seconds", async () => {
  const slow = await overtaken({ text: "mine" });
  let now = NOW;
  slow.ctx.now = () => (now += 500);
  await slow.write();
  expect(slow.pauses[0]).toBeGreaterThan(11);
  expect(slow.pauses[0]).toBeLessThanOrEqual(1_004);
});
