// What ends posts and deliveries while something else happens to them, and what is noted of it.
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
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

type Workspace = Awaited<ReturnType<typeof workspaceOfTwo>>;
const LIVE = { state: "live", netPostId: "5/1", publishedAt: NOW, nextAt: null } as const;
const PARTS = JSON.stringify([{ id: "77", url: null, urlState: "none", at: 1, attempts: 1 }]);
const readActs = async (workspaceId: string) =>
  await db.select().from(workspaceAudit).where(eq(workspaceAudit.workspaceId, workspaceId));

describe("a post that changes while it is cancelled", () => {
  /** Reads for a cancellation, lets `meanwhile` happen, and carries the cancellation out. */
  async function overtaken(
    made: object,
    meanwhile: (workspace: Workspace & { id: string }) => Promise<unknown>,
    { scopes, ifMatch, approval = "none" }: { scopes?: Scope[]; ifMatch?: string; approval?: "none" | "authors" } = {},
  ) {
    const workspace = await workspaceOfTwo({ workspace: { approval } });
    const { ctx, workspaceId, create, keyCaller } = workspace;
    const { body } = await create(made, approval === "none" ? {} : { scopes: ["draft"] });
    const id = String(body.id);
    const raw = { params: { id }, query: {}, body: undefined, idempotencyKey: null };
    const input = parseInput(operations["posts.remove"], { ...raw, ...(ifMatch === undefined ? {} : { ifMatch }) });
    const found = await ask(db, removePost.read(ctx, db, workspaceId, input));
    await meanwhile({ ...workspace, id });
    const caller: Caller = keyCaller("key_1", scopes === undefined ? {} : { scopes });
    return { ...workspace, id, cancel: () => removePost.run(ctx, inWorkspace(caller), input, found) };
  }

  it("is cancelled as it is by then, whoever edited it", async () => {
    const { cancel, readPosts } = await overtaken({}, ({ call, id }) =>
      call("posts.update", { id, body: { text: "better" } }),
    );
    expect(await cancel()).toMatchObject({ status: 200, body: { status: "cancelled", text: "better" } });
    expect(await readPosts()).toMatchObject([{ status: "cancelled", text: "better" }]);
  });

  it("is not cancelled for a caller who names the revision that they read", async () => {
    const edited = (workspace: Workspace & { id: string }) =>
      workspace.call("posts.update", { id: workspace.id, body: { text: "better" } });
    const scheduled = await overtaken({}, edited, { ifMatch: '"1"' });
    expect(await refusal(scheduled.cancel())).toMatchObject({ status: 412, code: "post_changed" });
    expect(await scheduled.readPosts()).toMatchObject([{ status: "scheduled", cancelledAt: null }]);
    const draft = await overtaken({ draft: true }, edited, { ifMatch: '"1"' });
    expect(await refusal(draft.cancel())).toMatchObject({ status: 412, code: "post_changed" });
    expect(await draft.readPosts()).toHaveLength(1);
  });

  it("is discarded where it has become a draft, and cancelled where a draft was released", async () => {
    const pulled = await overtaken({}, ({ call, id }) => call("posts.update", { id, body: { draft: true } }));
    expect(await pulled.cancel()).toMatchObject({ status: 204 });
    expect(await pulled.readPosts()).toEqual([]);
    const released = await overtaken({ draft: true }, ({ call, id }) =>
      call("posts.update", { id, body: { draft: false } }),
    );
    expect(await released.cancel()).toMatchObject({ status: 200 });
    expect(await released.readPosts()).toMatchObject([{ status: "cancelled" }]);
  });

  it("needs the right to publish once it was approved, which its writer does not have", async () => {
    const approve = ({ call, readPosts, id }: Workspace & { id: string }) =>
      readPosts().then(([post]) =>
        call("posts.approve", { id, body: { rev: 1, content_tag: post?.contentTag ?? "" } }),
      );
    const writer = await overtaken({}, approve, { scopes: ["draft"], approval: "authors" });
    expect(await refusal(writer.cancel())).toMatchObject({ code: "scope_missing" });
    expect(await writer.readDeliveries()).toMatchObject([{ state: "pending" }, { state: "pending" }]);
    const publisher = await overtaken({}, approve, { approval: "authors" });
    expect(await publisher.cancel()).toMatchObject({ status: 200, body: { status: "cancelled" } });
  });

  it("is gone for all who cancel or discard it at once but the first", async () => {
    const draft = await overtaken({ draft: true }, ({ call, id }) => call("posts.remove", { id }));
    expect(await refusal(draft.cancel())).toMatchObject({ status: 404 });
    const scheduled = await overtaken({}, ({ call, id }) => call("posts.remove", { id }));
    expect(await scheduled.cancel()).toMatchObject({ status: 200, body: { status: "cancelled" } });
    const erased = await overtaken({}, ({ id }) => db.delete(posts).where(eq(posts.id, id)));
    expect(await refusal(erased.cancel())).toMatchObject({ status: 404 });
  });

  it("is not cancelled once all of it has gone out", async () => {
    const { cancel, readPosts } = await overtaken({}, async ({ changeDelivery, id, first, second }) => {
      for (const channel of [first, second]) await changeDelivery(channel, LIVE);
      await db.update(posts).set({ status: "published" }).where(eq(posts.id, id));
    });
    const late = await refusal(cancel());
    expect([late.code, late.message]).toEqual(["post_finished", "The post is published."]);
    expect(await readPosts()).toMatchObject([{ cancelledAt: null }]);
  });

  it("is cancelled by nobody who may neither draft nor publish", async () => {
    const waits = await overtaken({}, async () => {}, { scopes: ["read"], approval: "authors" });
    expect(await refusal(waits.cancel())).toMatchObject({ code: "scope_missing" });
    expect(await waits.readPosts()).toMatchObject([{ status: "awaiting_approval" }]);
  });
});

describe("a take-down", () => {
  const takeDown = (workspace: Workspace, id: string) =>
    workspace.call("posts.take-down", { id, channel: workspace.second });

  it("is noted in the audit log, with the delivery, its account and its post", async () => {
    const workspace = await workspaceOfTwo();
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

  it("is of what is out of a thread that stopped, and of nothing else that failed", async () => {
    const workspace = await workspaceOfTwo();
    const id = await workspace.createOne();
    const failed = { state: "failed", error: "content_refused", nextAt: null } as const;
    await workspace.changeDelivery(workspace.second, failed);
    expect(await refusal(takeDown(workspace, id))).toMatchObject({ message: "The delivery is failed." });
    await workspace.changeDelivery(workspace.second, { ...failed, parts: PARTS, publishedAt: NOW });
    expect((await takeDown(workspace, id)).status).toBe(202);
    await workspace.changeDelivery(workspace.second, { state: "cancelled", parts: PARTS });
    expect(await refusal(takeDown(workspace, id))).toMatchObject({ code: "delivery_not_live" });
    expect(workspace.followed).toHaveLength(1);
  });

  it("that is refused shows the words of the network, or ours where there are none", async () => {
    const refusedWith = async (columns: { detail: string | null; networkMessage: string | null }) => {
      const workspace: Workspace = await workspaceOfTwo({
        outside: {
          pause: async () => workspace.changeTakedown(workspace.second, { state: "failed", ...columns }),
        },
      });
      const id = await workspace.createOne();
      await workspace.changeDelivery(workspace.second, LIVE);
      return refusal(takeDown(workspace, id));
    };
    const answered = await refusedWith({ detail: "it was not taken down", networkMessage: "Too late" });
    expect([answered.message, answered.detail.networkMessage]).toEqual(["It was not taken down", "Too late"]);
    const silent = await refusedWith({ detail: null, networkMessage: null });
    expect(silent.message).not.toBe("");
    expect(silent.detail.networkMessage).toBeUndefined();
  });

  it("of a delivery that ends meanwhile says what it is", async () => {
    const workspace: Workspace = await workspaceOfTwo({
      outside: {
        pause: async () => workspace.changeDelivery(workspace.second, { state: "cancelled" }),
      },
    });
    const id = await workspace.createOne();
    await workspace.changeDelivery(workspace.second, LIVE);
    expect(await refusal(takeDown(workspace, id))).toMatchObject({ message: "The delivery is cancelled." });
  });
});

describe("a delivery of an unknown outcome", () => {
  it("that is retried says what to look for first", async () => {
    const { call, createOne, changeDelivery, second } = await workspaceOfTwo();
    const id = await createOne();
    await changeDelivery(second, { state: "outcome_unknown", nextAt: null, hasOpenSend: true });
    const unconfirmed = await refusal(call("posts.retry-delivery", { id, channel: second, body: {} }));
    expect(unconfirmed.message).toBe("It is unknown whether this delivery was published.");
    expect(unconfirmed.detail.hint).toContain("`confirm_not_published: true`");
    const { body } = await call("posts.retry-delivery", { id, channel: second, body: { confirm_not_published: true } });
    expect(body).toMatchObject({ channel: second, error: null });
  });
});
