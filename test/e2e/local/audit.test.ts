// `npm run audit` as an operator runs it, on a local database.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLocalDatabases } from "../../../scripts/local/databases.ts";
import { runScript } from "./operator-script.ts";

const ROOT = join(import.meta.dirname, "../../..");

let state: string;
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "crier-audit-"));
  expect(await run("scripts/local/migrate.ts", ROOT, state, "2")).toMatchObject({ code: 0 });
});
afterAll(() => rm(state, { recursive: true, force: true }));

const run = (...args: string[]) => runScript(args, { ...process.env, CI: "1" });
const audit = (...args: string[]) => run("scripts/audit.ts", ...args);
/** Changes one of the databases. */
async function execute(home: number, ...statements: string[]): Promise<void> {
  const { databases, dispose } = await openLocalDatabases(ROOT, state, 2);
  for (const statement of statements) await databases[home]?.prepare(statement).run();
  await dispose();
}

it("finds nothing, or prints its findings and fails", async () => {
  const question = "erased_workspaces_are_cleared";
  const localArgs = ["--local", "--persist-to", state];
  expect(await audit(...localArgs, question, "open_sends_stay_open")).toEqual({
    code: 0,
    output: expect.stringMatching(/^open_sends_stay_open +0\nerased_workspaces_are_cleared +0\n$/),
  });
  await execute(0, "INSERT INTO clearances (workspace_id, since) VALUES ('ws_forgotten', 1)");
  const failedRun = await audit(...localArgs, question);
  expect(failedRun).toMatchObject({
    code: 1,
    output: expect.stringContaining('{"workspace_id":"ws_forgotten","since":1'),
  });
  const { code, output } = await audit(...localArgs, "--json", question);
  expect({ code, findings: JSON.parse(output) }).toMatchObject({
    code: 1,
    findings: [{ name: question, count: 1, examples: [{ workspace_id: "ws_forgotten" }] }],
  });
});

it("checks workspaces page by page, and finds errors in each of them", async () => {
  const localArgs = ["--local", "--persist-to", state];
  const rows = ["ws_b", "ws_d", "ws_f"].map((id) => `('${id}', '${id}', 'free', 1)`).join(", ");
  const workspaces = `INSERT INTO workspaces (id, name, plan, created_at) VALUES ${rows}`;
  const wrong = "INSERT INTO clearances (workspace_id, since) VALUES ('ws_a', 1), ('ws_c', 1), ('ws_z', 1)";
  await execute(0, workspaces, wrong);
  const { code, output } = await audit(...localArgs, "--json", "--page", "1", "erased_workspaces_are_cleared");
  const [finding]: { examples: { workspace_id: string }[] }[] = JSON.parse(output);
  expect({ code, ids: finding?.examples.map(({ workspace_id }) => workspace_id) }).toEqual({
    code: 1,
    ids: ["ws_a", "ws_c", "ws_forgotten", "ws_z"],
  });
  expect(await audit(...localArgs, "--page", "none")).toMatchObject({ code: 2 });
});

it("checks each database that has workspaces", async () => {
  const localArgs = ["--local", "--persist-to", state];
  await execute(0, "INSERT INTO workspaces (id, name, plan, created_at, home) VALUES ('ws_x', '', 'free', 1, 1)");
  await execute(1, "INSERT INTO clearances (workspace_id, since) VALUES ('ws_beside', 1)");
  const { code, output } = await audit(...localArgs, "erased_workspaces_are_cleared");
  expect(code).toBe(1);
  expect(output).toMatch(/^crier\nerased_workspaces_are_cleared +4\n.*^crier_1\nerased_workspaces_are_cleared +1\n/ms);
  expect(output).toContain("ws_beside");
});

it.each([[[]], [["--local", "--remote"]], [["--local", "no_such_question"]], [["--locall"]]])(
  "prints its usage for the arguments %j",
  async (args) => {
    expect(await audit(...args)).toMatchObject({
      code: 2,
      output: expect.stringContaining("npm run audit -- --remote"),
    });
  },
);
