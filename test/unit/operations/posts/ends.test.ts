// Cancellations, discards and takedowns that race with other changes.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { Caller } from "../../../../src/context.ts";
import { operations } from "../../../../src/contract/index.ts";
import type { Scope } from "../../../../src/domain/roles.ts";
import { inWorkspace } from "../../../../src/operations/caller.ts";
import { removePost } from "../../../../src/operations/posts/remove.ts";
import { parseInput } from "../../../../src/operations/run.ts";
import { ask } from "../../../../src/store/db/batch.ts";
import { posts, workspaceAudit } from "../../../../src/store/db/schema.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

type Workspace = Awaited<ReturnType<typeof setUpWorkspace>>;
const LIVE = {
  state: "live",
  networkPost: { id: "5/1", url: null, urlState: "none" },
  publishedAt: NOW,
  nextAt: null,
} as const;
const readActs = async (workspaceId: string) =>
  await db.select().from(workspaceAudit).where(eq(workspaceAudit.workspaceId, workspaceId));

describe("a post that changes while it is cancelled", () => {
  /** Reads the material of a cancellation, runs `meanwhile`, and returns the cancellation as `cancel`. */
  async function overtake(
    newPost: object,
    meanwhile: (workspace: Workspace & { id: string }) => Promise<unknown>,
    { scopes, ifMatch, approval = "none" }: { scopes?: Scope[]; ifMatch?: string; approval?: "none" | "authors" } = {},
  ) {
    const workspace = await setUpWorkspace({ workspace: { approval } });
    const { ctx, workspaceId, create, keyCaller } = workspace;
    const { body } = await create(newPost, approval === "none" ? {} : { scopes: ["draft"] });
    const id = String(body.id);
    const raw = { params: { id }, query: {}, body: undefined, idempotencyKey: null };
    const input = parseInput(operations["posts.remove"], { ...raw, ...(ifMatch === undefined ? {} : { ifMatch }) });
    const material = await ask(db, removePost.read(ctx, db, workspaceId, input));
    await meanwhile({ ...workspace, id });
    const caller: Caller = keyCaller("key_1", scopes === undefined ? {} : { scopes });
    return { ...workspace, id, cancel: () => removePost.run(ctx, inWorkspace(caller), input, material) };
  }

  it("a post that is edited during its cancellation is cancelled with the edit", async () => {
    const { cancel, readPosts } = await overtake({}, ({ call, id }) =>
      call("posts.update", { id, body: { text: "better" } }),
    );
    expect(await cancel()).toMatchObject({ status: 200, body: { status: "cancelled", text: "better" } });
    expect(await readPosts()).toMatchObject([{ status: "cancelled", text: "better" }]);
  });

  it("a post that is edited during its cancellation is not cancelled if the caller names the old revision", async () => {
    const edited = (workspace: Workspace & { id: string }) =>
      workspace.call("posts.update", { id: workspace.id, body: { text: "better" } });
    const scheduled = await overtake({}, edited, { ifMatch: '"1"' });
    expect(await catchRefusal(scheduled.cancel())).toMatchObject({ status: 412, code: "post_changed" });
    expect(await scheduled.readPosts()).toMatchObject([{ status: "scheduled", cancelledAt: null }]);
    const draft = await overtake({ draft: true }, edited, { ifMatch: '"1"' });
    expect(await catchRefusal(draft.cancel())).toMatchObject({ status: 412, code: "post_changed" });
    expect(await draft.readPosts()).toHaveLength(1);
  });

  it("a post that becomes a draft during its cancellation is discarded, and a draft that is released is cancelled", async () => {
    const madeDraft = await overtake({}, ({ call, id }) => call("posts.update", { id, body: { draft: true } }));
    expect(await madeDraft.cancel()).toMatchObject({ status: 204 });
    expect(await madeDraft.readPosts()).toEqual([]);
    const released = await overtake({ draft: true }, ({ call, id }) =>
      call("posts.update", { id, body: { draft: false } }),
    );
    expect(await released.cancel()).toMatchObject({ status: 200 });
    expect(await released.readPosts()).toMatchObject([{ status: "cancelled" }]);
  });

  it("a post that is approved during its cancellation is cancelled only with the scope publish", async () => {
    const approve = ({ call, readPosts, id }: Workspace & { id: string }) =>
      readPosts().then(([post]) =>
        call("posts.approve", { id, body: { rev: 1, content_tag: post?.contentTag ?? "" } }),
      );
    const writer = await overtake({}, approve, { scopes: ["draft"], approval: "authors" });
    expect(await catchRefusal(writer.cancel())).toMatchObject({ code: "scope_missing" });
    expect(await writer.readDeliveries()).toMatchObject([{ state: "pending" }, { state: "pending" }]);
    const publisher = await overtake({}, approve, { approval: "authors" });
    expect(await publisher.cancel()).toMatchObject({ status: 200, body: { status: "cancelled" } });
  });

  it("the second of two simultaneous discards does not find the draft, and a second cancellation succeeds", async () => {
    const draft = await overtake({ draft: true }, ({ call, id }) => call("posts.remove", { id }));
    expect(await catchRefusal(draft.cancel())).toMatchObject({ status: 404 });
    const scheduled = await overtake({}, ({ call, id }) => call("posts.remove", { id }));
    expect(await scheduled.cancel()).toMatchObject({ status: 200, body: { status: "cancelled" } });
    const erased = await overtake({}, ({ id }) => db.delete(posts).where(eq(posts.id, id)));
    expect(await catchRefusal(erased.cancel())).toMatchObject({ status: 404 });
  });

  it("a post that is published completely during its cancellation is not cancelled", async () => {
    const { cancel, readPosts } = await overtake({}, async ({ changeDelivery, id, first, second }) => {
      for (const channel of [first, second]) await changeDelivery(channel, LIVE);
      await db.update(posts).set({ status: "published" }).where(eq(posts.id, id));
    });
    const late = await catchRefusal(cancel());
    expect([late.code, late.message]).toEqual(["post_finished", "The post is published."]);
    expect(await readPosts()).toMatchObject([{ cancelledAt: null }]);
  });

  it("a post cannot be cancelled without the scopes draft and publish", async () => {
    const unauthorized = await overtake({}, async () => {}, { scopes: ["read"], approval: "authors" });
    expect(await catchRefusal(unauthorized.cancel())).toMatchObject({ code: "scope_missing" });
    expect(await unauthorized.readPosts()).toMatchObject([{ status: "awaiting_approval" }]);
  });
});

describe("a take-down", () => {
  const takeDown = (workspace: Workspace, id: string) =>
    workspace.call("posts.take-down", { id, channel: workspace.second });

  it("a takedown is recorded in the audit log with its delivery, account and post", async () => {
    const workspace = await setUpWorkspace();
    const id = await workspace.createOne();
    await workspace.changeDelivery(workspace.second, LIVE);
    await takeDown(workspace, id);
    const [, delivery] = await workspace.readDeliveries();
    expect(await readActs(workspace.workspaceId)).toMatchObject([
      {
        act: "delivery.takedown_requested",
        targetId: delivery?.id,
        targetName: `telegram @${workspace.second}`,
        details: { post: id },
      },
    ]);
  });

  it("a failed delivery can be taken down only if it is a thread with published parts", async () => {
    const workspace = await setUpWorkspace();
    const id = await workspace.createOne();
    const failed = { state: "failed", nextAt: null } as const;
    await workspace.changeDelivery(workspace.second, failed);
    expect(await catchRefusal(takeDown(workspace, id))).toMatchObject({ message: "The delivery is failed." });
    await workspace.changeDelivery(workspace.second, { ...failed, publishedAt: NOW });
    expect((await takeDown(workspace, id)).status).toBe(202);
    await workspace.changeDelivery(workspace.second, { state: "cancelled" });
    expect(await catchRefusal(takeDown(workspace, id))).toMatchObject({ code: "delivery_not_live" });
    expect(workspace.followed).toHaveLength(1);
  });

  it("a refused takedown has the network's message, or a message of ours if there is none", async () => {
    const refusedWith = async (columns: { detail: string | null; networkMessage: string | null }) => {
      const workspace: Workspace = await setUpWorkspace({
        outside: {
          pause: async () => workspace.changeTakedown(workspace.second, { state: "failed", ...columns }),
        },
      });
      const id = await workspace.createOne();
      await workspace.changeDelivery(workspace.second, LIVE);
      return catchRefusal(takeDown(workspace, id));
    };
    const answered = await refusedWith({ detail: "it was not taken down", networkMessage: "Too late" });
    expect([answered.message, answered.detail.networkMessage]).toEqual(["It was not taken down", "Too late"]);
    const silent = await refusedWith({ detail: null, networkMessage: null });
    expect(silent.message).not.toBe("");
    expect(silent.detail.networkMessage).toBeUndefined();
  });

  it("a takedown of a delivery that ends in the meantime is refused with its status", async () => {
    const workspace: Workspace = await setUpWorkspace({
      outside: {
        pause: async () => workspace.changeDelivery(workspace.second, { state: "cancelled" }),
      },
    });
    const id = await workspace.createOne();
    await workspace.changeDelivery(workspace.second, LIVE);
    expect(await catchRefusal(takeDown(workspace, id))).toMatchObject({ message: "The delivery is cancelled." });
  });
});

describe("a delivery of an unknown outcome", () => {
  it("a retry of a delivery with an unknown outcome asks for a confirmation first", async () => {
    const { call, createOne, changeDelivery, second } = await setUpWorkspace();
    const id = await createOne();
    await changeDelivery(second, { state: "outcome_unknown", nextAt: null, hasOpenSend: true });
    const unconfirmed = await catchRefusal(call("posts.retry-delivery", { id, channel: second, body: {} }));
    expect(unconfirmed.message).toBe("It is unknown whether this delivery was published.");
    expect(unconfirmed.detail.hint).toContain("`confirm_not_published: true`");
    const { body } = await call("posts.retry-delivery", { id, channel: second, body: { confirm_not_published: true } });
    expect(body).toMatchObject({ channel: second, error: null });
  });
});
