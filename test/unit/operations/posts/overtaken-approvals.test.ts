// Approvals that are overtaken between reading and writing are refused with the reason.
import { expect, it } from "vitest";
import { operations } from "../../../../src/contract/index.ts";
import { formatMonth } from "../../../../src/domain/instant.ts";
import { getPlan } from "../../../../src/domain/plan.ts";
import { inWorkspace } from "../../../../src/operations/caller.ts";
import { approvePost } from "../../../../src/operations/posts/approve.ts";
import { parseInput } from "../../../../src/operations/run.ts";
import { ask } from "../../../../src/store/db/batch.ts";
import { usageMonths } from "../../../../src/store/db/schema.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

type Parts = NonNullable<Parameters<typeof setUpWorkspace>[0]>;
type Waiting = Awaited<ReturnType<typeof setUpWorkspace>> & { id: string; tag: string };

/** Reads the material of an approval, runs `meanwhile`, and returns the approval as `approve`. */
async function overtake(meanwhile: (waiting: Waiting) => Promise<unknown>, { workspace, ...parts }: Parts = {}) {
  const setup = await setUpWorkspace({ ...parts, workspace: { approval: "authors", ...workspace } });
  const { body: post } = await setup.create({}, { scopes: ["draft"] });
  const [id, tag] = [String(post.id), String(post.content_tag)];
  const raw = { params: { id }, query: {}, body: { rev: 1, content_tag: tag }, idempotencyKey: null };
  const input = parseInput(operations["posts.approve"], raw);
  const material = await ask(db, approvePost.read(setup.ctx, db, setup.workspaceId, input));
  await meanwhile({ ...setup, id, tag });
  const caller = inWorkspace(setup.keyCaller("key_1"));
  return { ...setup, id, approve: () => approvePost.run(setup.ctx, caller, input, material) };
}

it("an approval of a post that was edited in the meantime is refused", async () => {
  const { approve, readPosts } = await overtake(({ call, id }) =>
    call("posts.update", { id, body: { text: "better" } }),
  );
  expect(await catchRefusal(approve())).toMatchObject({ code: "post_changed", detail: { field: "/rev" } });
  expect(await readPosts()).toMatchObject([{ status: "awaiting_approval", text: "better" }]);
});

it("an approval of a post that was approved in the meantime is refused, because the post no longer waits", async () => {
  const { approve } = await overtake(({ call, id, tag }) =>
    call("posts.approve", { id, body: { rev: 1, content_tag: tag } }),
  );
  expect(await catchRefusal(approve())).toMatchObject({ code: "post_not_waiting" });
});

it("an approval is refused if other posts used up the month in the meantime", async () => {
  const { posts_per_month: postsMax } = getPlan("free");
  const fill = ({ workspaceId }: Waiting) =>
    db.insert(usageMonths).values({ workspaceId, month: formatMonth(NOW), posts: postsMax ?? 0 });
  const { approve, call, id, readPosts } = await overtake(fill, { workspace: { plan: "free" } });
  expect((await catchRefusal(approve())).code).toBe("edit_conflict");
  const [post] = await readPosts();
  const body = { rev: 1, content_tag: post?.contentTag };
  const full = await catchRefusal(call("posts.approve", { id, body }));
  expect(full.detail.extra).toMatchObject({ limit: "posts_per_month", used: postsMax, allowed: postsMax });
});
