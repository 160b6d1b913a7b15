// `npm run backup`, `restore`, `before-restore` and `after-restore` as an operator runs them, on a deployment with two databases.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { makeProject, startCloud } from "../../support/cloudflare/installed.ts";
import { runDeploy, startScript } from "../../support/cloudflare/project.ts";
import { dumpRows, fillOddly } from "../../support/odd-rows.ts";

async function folder({ onTestFinished }: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "crier-backup-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

it("a deployment is backed up only while it is paused, and restored into another account", async (context) => {
  const [{ root }, old, fresh] = [await makeProject(context), await startCloud(context), await startCloud(context)];
  const file = join(await folder(context), "crier.backup");
  const asks = (standIn: typeof old, script: string, ...args: string[]) =>
    startScript(root, standIn, [`scripts/${script}.ts`, ...args, "--remote"]).ended;
  expect(await runDeploy(root, old, ["--databases", "2"])).toMatchObject({ code: 0 });
  expect(await asks(old, "backup", file)).toMatchObject({
    code: 1,
    output: expect.stringContaining("Crier is not paused"),
  });
  expect(await runDeploy(root, old, ["--set", "PAUSED=1"])).toMatchObject({ code: 0 });
  for (const { sqlite } of old.account.databases) fillOddly(sqlite, 3);
  expect(await asks(old, "backup", file)).toMatchObject({ code: 0, output: expect.stringContaining("crier_1: ") });
  expect(await asks(old, "backup", file)).toMatchObject({
    code: 1,
    output: expect.stringContaining("already exists"),
  });

  expect(await runDeploy(root, fresh, ["--set", "PAUSED=1"])).toMatchObject({ code: 0 });
  expect(await asks(fresh, "restore", file)).toMatchObject({
    code: 1,
    output: expect.stringContaining("npm run deploy -- --databases 2"),
  });
  expect(await runDeploy(root, fresh, ["--databases", "2"])).toMatchObject({ code: 0 });
  expect(await asks(fresh, "restore", file, "--stayed-paused")).toMatchObject({
    code: 0,
    output: expect.stringContaining("Restored."),
  });
  const rows = ({ account }: typeof old) => account.databases.map(({ sqlite }) => dumpRows(sqlite));
  expect(rows(fresh)).toEqual(rows(old));
  expect(await asks(fresh, "restore", file, "--stayed-paused")).toMatchObject({
    code: 1,
    output: expect.stringContaining("crier is not empty"),
  });
});

it("after-restore stops everything again that was stopped before a database was restored", async (context) => {
  const [{ root }, standIn] = [await makeProject(context), await startCloud(context)];
  const file = join(await folder(context), "stands");
  const asks = (script: string, ...args: string[]) =>
    startScript(root, standIn, [`scripts/${script}.ts`, ...args, "--remote"]).ended;
  expect(await runDeploy(root, standIn, ["--databases", "2", "--set", "PAUSED=1"])).toMatchObject({ code: 0 });
  const [accounts, further] = standIn.account.databases.map(({ sqlite }) => sqlite);
  for (const [home, db] of [further, accounts].entries())
    db?.exec(`INSERT INTO workspaces (id, name, plan, created_at, home) VALUES ('ws_1', '', 'free', 1, ${home});
      INSERT INTO channels (workspace_id, id, platform, handle, credential, created_at, updated_at)
      VALUES ('ws_1', 'ch_1', 'telegram', '@a', 'sealed', 1, 1)`);
  further?.exec("UPDATE channels SET removed_at = 2, credential = NULL");
  expect(await asks("before-restore", file)).toMatchObject({
    code: 0,
    output: expect.stringContaining("after-restore"),
  });
  further?.exec("UPDATE channels SET removed_at = NULL, credential = 'sealed'");

  expect(await asks("after-restore", file)).toEqual({
    code: 0,
    output: expect.stringContaining("crier_1: 1 channels stopped again"),
  });
  const channels = (db: typeof accounts) =>
    db
      ?.prepare(
        "SELECT credential, removed_at IS NULL AS stands, feed_from > 1 AS is_raised FROM channels JOIN workspaces",
      )
      .get();
  expect({ ...channels(further) }).toEqual({ credential: null, stands: 0, is_raised: 1 });
  expect({ ...channels(accounts) }).toEqual({ credential: "sealed", stands: 1, is_raised: 1 });
  expect(further?.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'stood_before'").get()).toBeUndefined();

  for (const args of [[], [file, "--until", "2026-11-22T10:00:00Z"], ["--until", "ten o'clock"]])
    expect(await asks("after-restore", ...args)).toMatchObject({ code: 2 });
  expect(await asks("restore", file)).toMatchObject({ code: 2, output: expect.stringContaining("is not a backup") });
});
