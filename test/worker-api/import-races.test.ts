// Rows that were valid when the file was checked, but could no longer be written a moment later.
import { expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { formatMonth } from "../../src/domain/instant.ts";
import { SCOPES } from "../../src/domain/roles.ts";
import { importPosts } from "../../src/operations/posts/import/import.ts";
import { ask } from "../../src/store/db/batch.ts";
import { testEnv } from "../support/env.ts";
import { call, uploadImage } from "../support/world.ts";
import { listPosts, localTimeInDays, openWorkspace } from "./imported.ts";

type Account = Awaited<ReturnType<typeof openWorkspace>>;

/**
 * Starts an import, which pauses after its reads. Returns a function that finishes it and gives the violations of each
 * row.
 */
async function startImport({ workspace }: Account, text: string) {
  const ctx = compose(testEnv, () => {});
  const db = ctx.databaseOf(workspace);
  const input = {
    params: undefined,
    query: { dry_run: false, partial: true },
    body: { type: "text/csv" as const, text },
    idempotencyKey: null,
  };
  const first = await ask(db, importPosts.read(ctx, db, workspace, input));
  return async () => {
    const caller = {
      kind: "key" as const,
      keyId: "key_1",
      name: "Key",
      workspaceId: workspace,
      scopes: SCOPES,
      channels: null,
      budget: null,
    };
    const { body } = await importPosts.run(ctx, caller, input, first);
    return (body?.rows ?? expect.fail("no rows")).map(({ violations, post }) => ({
      violations,
      isWritten: post !== null,
    }));
  };
}

it("a file that is deleted during an import is named by row and column, and the other rows are written", async () => {
  const account = await openWorkspace();
  const picture = await uploadImage(account);
  const finishImport = await startImport(
    account,
    `text,channels,publish_at,media\nWith it,telegram,${localTimeInDays(1)},${picture.id}\nWithout,telegram,${localTimeInDays(1)},`,
  );
  expect((await call("DELETE", `/v1/media/${picture.id}`, { token: account.key })).status).toBe(204);
  expect(await finishImport()).toEqual([
    {
      isWritten: false,
      violations: [expect.objectContaining({ code: "unknown_media", field: "/media/0", column: "media" })],
    },
    { isWritten: true, violations: [] },
  ]);
  expect(await listPosts(account.key)).toHaveLength(1);
});

it.each([
  ["the month's last post", `telegram,${localTimeInDays(1)},`, "posts_per_month"],
  ["the last draft", "telegram,,true", "drafts"],
])(
  "%s that another call takes during an import is reported as the plan's limit, with its name",
  async (_what, cells, limit) => {
    const account = await openWorkspace();
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace).run();
    const finishImport = await startImport(account, `text,channels,publish_at,draft\nLate,${cells}`);
    await testEnv.DB.batch([
      testEnv.DB.prepare("UPDATE workspaces SET drafts = 100 WHERE id = ?").bind(account.workspace),
      testEnv.DB.prepare(
        "INSERT INTO usage_months (workspace_id, month, posts) VALUES (?1, ?2, 30) ON CONFLICT DO UPDATE SET posts = 30",
      ).bind(account.workspace, formatMonth(Date.now())),
    ]);
    const [row] = await finishImport();
    expect(row).toMatchObject({ isWritten: false, violations: [{ code: "plan_limit" }] });
    expect(row?.violations[0]?.message).toContain(` of ${limit}; `);
    expect(await listPosts(account.key)).toEqual([]);
  },
);
