// `npm run deploy -- --databases 3`: creates further databases for workspaces once and keeps them, and the operator's scripts cover all of them.
import { expect, it } from "vitest";
import { MIGRATIONS, makeProject, startCloud, summarize } from "../../support/cloudflare/installed.ts";
import { runDeploy, startScript } from "../../support/cloudflare/project.ts";
import type { Account } from "../../support/cloudflare/state.ts";

const listMigrations = ({ databases }: Account) =>
  databases.map(({ name, sqlite }) => [
    name,
    sqlite.prepare("SELECT name FROM d1_migrations ORDER BY id").all().length === MIGRATIONS.length,
  ]);
const boundBy = (account: Account) =>
  (account.getDeployed("crier")?.bindings ?? [])
    .filter(({ type }) => type === "d1")
    .map(({ name, id }) => [name, account.databases.find(({ uuid }) => uuid === id)?.name])
    .sort();
const THREE = [
  ["DB", "crier"],
  ["DB_1", "crier_1"],
  ["DB_2", "crier_2"],
];

it("creates, migrates and binds further databases, and removes none", async (context) => {
  const [{ root, write }, standIn] = [await makeProject(context), await startCloud(context)];
  const { account } = standIn;
  expect(await runDeploy(root, standIn)).toMatchObject({ code: 0 });
  expect(boundBy(account)).toEqual(THREE.slice(0, 1));

  const planned = await runDeploy(root, standIn, ["--databases", "3", "--plan"]);
  expect(planned).toMatchObject({ code: 0, output: expect.stringContaining("crier_2 would be created") });
  expect(account.databases).toHaveLength(1);

  const secondRun = await runDeploy(root, standIn, ["--databases", "3"]);
  expect(secondRun).toMatchObject({ code: 0, output: expect.stringContaining("crier_2 created") });
  expect(boundBy(account)).toEqual(THREE);
  expect(listMigrations(account)).toEqual(THREE.map(([, name]) => [name, true]));

  const before = summarize(account);
  expect(await runDeploy(root, standIn)).toMatchObject({ code: 0, output: expect.stringContaining("is deployed") });
  expect(summarize(account)).toEqual(before);
  const fewer = await runDeploy(root, standIn, ["--databases", "2"]);
  expect(fewer).toMatchObject({ code: 1, output: expect.stringContaining("The Worker has 3 databases") });
  expect(summarize(account)).toEqual(before);

  // In the next release, one database refuses its migration. The others are migrated, and the code is not deployed.
  await write("migrations/9000_more.sql", "CREATE TABLE more (id TEXT PRIMARY KEY);\n");
  account.databases[1]?.sqlite.exec("CREATE TABLE more (other INTEGER)");
  const uploads = () =>
    standIn.calls.filter(({ method, path }) => method === "PUT" && path === "/workers/scripts/crier");
  const uploaded = uploads().length;
  const stopped = await runDeploy(root, standIn);
  expect(stopped).toMatchObject({ code: 1, output: expect.stringContaining("Stopped at migrations.") });
  expect(stopped.output).toContain("9000_more.sql applied to crier_2");
  expect(uploads()).toHaveLength(uploaded);
  account.databases[1]?.sqlite.exec("DROP TABLE more");
  expect(await runDeploy(root, standIn)).toMatchObject({ code: 0 });
  expect(listMigrations(account)).toEqual(THREE.map(([, name]) => [name, false]));
});

it("the doctor and the audit check each database, even if one is missing", async (context) => {
  const [{ root }, standIn] = [await makeProject(context), await startCloud(context)];
  const { account } = standIn;
  expect(await runDeploy(root, standIn, ["--databases", "3"])).toMatchObject({ code: 0 });
  const [first, second, third] = account.databases;
  if (second !== undefined) second.bytes = 8 * 1024 ** 3;
  third?.sqlite.exec("DELETE FROM d1_migrations WHERE name LIKE '0001%'");
  const doctor = await startScript(root, standIn, ["scripts/doctor.ts"]).ended;
  expect(doctor.output).toContain("crier_1: 8192.0 MB, 80 % of a database's maximum size.");
  expect(doctor.output).toContain("Not applied to crier_2: 0001_schema.sql.");

  const workspace = (home: number) =>
    `INSERT INTO workspaces (id, name, plan, created_at, home) VALUES ('ws_${home}', '', 'free', 1, ${home})`;
  for (const home of [1, 2]) first?.sqlite.exec(workspace(home));
  for (const database of [second, third]) {
    database?.sqlite.exec(`${workspace(0)}; UPDATE workspaces SET drafts = 5`);
  }
  const audit = (...args: string[]) => startScript(root, standIn, ["scripts/audit.ts", "--remote", ...args]).ended;
  const auditRun = await audit("workspaces_count_drafts");
  expect(auditRun.code).toBe(1);
  expect(auditRun.output).toMatch(/^crier\nworkspaces_count_drafts +0\ncrier_1\nworkspaces_count_drafts +1\n/);
  expect(auditRun.output.match(/drafts +1$/gm)).toHaveLength(2);
  const { output } = await audit("--json", "workspaces_count_drafts");
  expect(JSON.parse(output).map(({ database, count }: Record<string, unknown>) => [database, count])).toEqual([
    ["crier", 0],
    ["crier_1", 1],
    ["crier_2", 1],
  ]);

  account.databases.splice(1, 1);
  const incomplete = await audit("workspaces_count_drafts");
  expect(incomplete.code).toBe(2);
  expect(incomplete.output).toMatch(/crier_1: .*\ncrier_2\nworkspaces_count_drafts +1\n/s);
});

it("a workspace is moved, and its old rows are deleted after a confirmation", async (context) => {
  const [{ root }, standIn] = [await makeProject(context), await startCloud(context)];
  const { account } = standIn;
  expect(await runDeploy(root, standIn, ["--databases", "2"])).toMatchObject({ code: 0 });
  const [first, second] = account.databases;
  const id = "ws_01j8zq4xkw3vbn5m6t7y8u9i0p";
  first?.sqlite.exec(`INSERT INTO workspaces (id, name, plan, created_at, drafts) VALUES ('${id}', 'Ada', 'free', 1, 2);
    INSERT INTO usage_months (workspace_id, month, posts) VALUES ('${id}', '2026-11', 7)`);
  const moves = (...args: string[]) => startScript(root, standIn, ["scripts/move-workspace.ts", ...args]).ended;
  const rows = (sql: string) =>
    [first, second].map((database) =>
      database?.sqlite
        .prepare(sql)
        .all()
        .map((row) => ({ ...row })),
    );

  expect(await moves(id, "--to", "crier_1")).toEqual({
    code: 0,
    output: expect.stringMatching(
      /1 rows copied and compared\n.*the workspace is now in the database 1\n.*kept in the database 0/,
    ),
  });
  expect(rows("SELECT posts FROM usage_months")).toEqual([[], [{ posts: 7 }]]);
  expect(rows("SELECT name, drafts, home FROM workspaces")).toEqual([
    [{ name: "Ada", drafts: 0, home: 1 }],
    [{ name: "Ada", drafts: 2, home: 0 }],
  ]);
  expect(rows("SELECT table_name FROM kept_rows")).toEqual([[{ table_name: "usage_months" }], []]);
  expect(await moves(id, "--to", "crier_1")).toMatchObject({ code: 0 });
  expect(await moves(id, "--confirm")).toMatchObject({ code: 0 });
  expect(rows("SELECT 1 AS one FROM kept_rows UNION ALL SELECT 1 FROM moving")).toEqual([[], []]);

  expect(await moves("ws_nobody", "--to", "crier_1")).toEqual({
    code: 1,
    output: "There is no workspace ws_nobody.\n",
  });
  expect(await moves(id, "--to", "crier_7")).toMatchObject({
    code: 2,
    output: expect.stringContaining("crier, crier_1"),
  });
  expect(await moves(id)).toMatchObject({ code: 2, output: expect.stringContaining("Use --to or --confirm.") });
});
