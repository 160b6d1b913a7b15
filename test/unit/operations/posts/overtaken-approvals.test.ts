// Approvals that something overtakes between their reading and their writing: the post is not scheduled, and the caller learns why.
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
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

type Parts = NonNullable<Parameters<typeof workspaceOfTwo>[0]>;
type Waiting = Awaited<ReturnType<typeof workspaceOfTwo>> & { id: string; tag: string };

/** Reads for an approval, lets `meanwhile` happen, and carries it out. */
async function overtaken(meanwhile: (waiting: Waiting) => Promise<unknown>, { workspace, ...parts }: Parts = {}) {
  const here = await workspaceOfTwo({ ...parts, workspace: { approval: "authors", ...workspace } });
  const { body: post } = await here.create({}, { scopes: ["draft"] });
  const [id, tag] = [String(post.id), String(post.content_tag)];
  const raw = { params: { id }, query: {}, body: { rev: 1, content_tag: tag }, idempotencyKey: null };
  const input = parseInput(operations["posts.approve"], raw);
  const found = await ask(db, approvePost.read(here.ctx, db, here.workspaceId, input));
  await meanwhile({ ...here, id, tag });
  const caller = inWorkspace(here.keyCaller("key_1"));
  return { ...here, id, approve: () => approvePost.run(here.ctx, caller, input, found) };
}

it("an approval of a post that was edited meanwhile approves nothing", async () => {
  const { approve, readPosts } = await overtaken(({ call, id }) =>
    call("posts.update", { id, body: { text: "better" } }),
  );
  expect(await refusal(approve())).toMatchObject({ code: "post_changed", detail: { field: "/rev" } });
  expect(await readPosts()).toMatchObject([{ status: "awaiting_approval", text: "better" }]);
});

it("an approval of a post that another approved meanwhile says that it does not wait any more", async () => {
  const { approve } = await overtaken(({ call, id, tag }) =>
    call("posts.approve", { id, body: { rev: 1, content_tag: tag } }),
  );
  expect(await refusal(approve())).toMatchObject({ code: "post_not_waiting" });
});

it("an approval for which others took the last post of the month is refused by the plan", async () => {
  const { posts_per_month: postsMax } = getPlan("free");
  const fill = ({ workspaceId }: Waiting) =>
    db.insert(usageMonths).values({ workspaceId, month: formatMonth(NOW), posts: postsMax ?? 0 });
  const { approve, call, id, readPosts } = await overtaken(fill, { workspace: { plan: "free" } });
  expect((await refusal(approve())).code).toBe("edit_conflict");
  const [post] = await readPosts();
  const body = { rev: 1, content_tag: post?.contentTag };
  const full = await refusal(call("posts.approve", { id, body }));
  expect(full.detail.extra).toMatchObject({ limit: "posts_per_month", used: postsMax, allowed: postsMax });
});
