// `npm run smoke` against a local run. Checks that are not possible here are skipped with a reason.
import { once } from "node:events";
import { mkdtemp, rm, truncate } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { QUESTIONS } from "../../../scripts/smoke/analytics.ts";
import { runCommand } from "../../../scripts/smoke/commands.ts";
import { computeTotpCode, getTotpStep } from "../../../src/adapters/totp.ts";
import { startCloud } from "../../support/cloudflare/installed.ts";
import { TOKEN } from "../../support/cloudflare/server.ts";
import { runScript } from "./operator-script.ts";
import { end, json, start, stopAll } from "./running.ts";

afterAll(stopAll);

const smoke = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  runScript(["scripts/smoke.ts", ...args], { PATH: process.env.PATH, ...env });

/** The state of each check, by its name. */
const readStates = (output: string) =>
  Object.fromEntries(
    [...output.matchAll(/^(ok|failed|skipped) +(.{24}) /gm)].map(([, state, name = ""]) => [name.trim(), state]),
  );

it("passes on a local run, names the skipped checks, and leaves nothing behind", async () => {
  const endpoint = createServer((_request, response) => response.end());
  endpoint.listen(0, "127.0.0.1");
  await once(endpoint, "listening");
  const { port } = endpoint.address() as AddressInfo;
  const run = await start({ DEMO: "0" });
  const smokeArgs = ["--url", run.url, "--ahead", "2", "--webhook", `http://127.0.0.1:${port}/`, "--deploy", "exit 0"];
  const { code, output } = await smoke(smokeArgs);
  expect(readStates(output), output).toEqual({
    health: "ok",
    "sign-up": "ok",
    "sign-in": "ok",
    "upload address": "ok",
    "upload, wrong length": "ok",
    "upload, wrong type": "ok",
    upload: "ok",
    "upload, preflight": "skipped",
    "upload, expired": "skipped",
    "read, HEAD": "ok",
    "read, a range": "ok",
    "upload of 10 MB": "ok",
    "upload of 101 MB": "skipped",
    "upload of 512 MB": "skipped",
    "import of 500 rows": "ok",
    webhook: "ok",
    channel: "ok",
    "post at once": "ok",
    "post 2 s ahead": "ok",
    "image, converted": "ok",
    "deploy during an upload": "ok",
    "backup and restore": "skipped",
    "object let go": "skipped",
    ...Object.fromEntries(QUESTIONS.map(({ subject }) => [`analytics, ${subject}`, "skipped"])),
    end: "ok",
  });
  expect(output).toContain("18 passed, 0 failed, 13 skipped");
  expect(code).toBe(0);

  // With an existing account, it creates a workspace and deletes only that.
  const account = { email: "operator@example.com", password: "correct horse battery" };
  const { token } = await json<{ token: string }>(`${run.url}/v1/auth/signup`, undefined, account);
  const again = await smoke([...smokeArgs, "--channel", "/nowhere.json"], {
    SMOKE_EMAIL: account.email,
    SMOKE_PASSWORD: account.password,
  });
  expect(again, "a file that is not there").toMatchObject({ code: 2 });
  const asOperator = await smoke(smokeArgs, { SMOKE_EMAIL: account.email, SMOKE_PASSWORD: account.password });
  expect(readStates(asOperator.output), asOperator.output).toMatchObject({ "sign-up": "skipped", end: "ok" });
  const { workspaces } = await json<{ workspaces: object[] }>(`${run.url}/v1/auth/me`, token);
  expect(workspaces).toHaveLength(1);
  endpoint.close();

  // An account with a second factor needs a code, too.
  const factorRequest = { kind: "totp", password: account.password };
  const factor = await json<{ id: string; secret: string }>(`${run.url}/v1/auth/factors`, token, factorRequest);
  const appCode = await computeTotpCode(factor.secret, getTotpStep(Date.now()));
  const path = `${run.url}/v1/auth/factors/${factor.id}/confirm`;
  const { recovery_codes: codes } = await json<{ recovery_codes: string[] }>(path, token, { code: appCode });
  const signIn = { SMOKE_EMAIL: account.email, SMOKE_PASSWORD: account.password };
  const withoutCode = await smoke(["--url", run.url], signIn);
  expect(withoutCode.output).toMatch(/^failed +sign-in .*SMOKE_CODE/m);
  const withCode = await smoke(["--url", run.url, "--ahead", "2"], { ...signIn, SMOKE_CODE: codes[0] });
  expect(readStates(withCode.output), withCode.output).toMatchObject({ "sign-in": "ok", end: "ok" });
});

it("restores the backup of a deployment, and reads Cloudflare's analytics", async (context) => {
  const standIn = await startCloud(context);
  standIn.account.analytics.set("d1StorageAdaptiveGroups", [{ max: { databaseSizeBytes: 8e9 } }]);
  const env = {
    CLOUDFLARE_API_BASE_URL: standIn.url,
    CLOUDFLARE_API_TOKEN: TOKEN,
    CLOUDFLARE_ACCOUNT_ID: standIn.account.id,
  };
  const folder = await mkdtemp(join(tmpdir(), "crier-smoke-"));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "crier.backup");
  const before = await start({});
  await end(before);
  await runCommand(process.execPath, ["scripts/backup.ts", file, "--local", "--persist-to", before.state]);
  const { url } = await start({ DEMO: "0" });
  const args = ["--url", url, "--ahead", "1", "--backup", file, "--analytics"];
  const { code, output } = await smoke(args, env);
  expect(code, output).toBe(1);
  expect(readStates(output)).toMatchObject({
    "backup and restore": "ok",
    "analytics, Worker": "ok",
    "analytics, database size": "failed",
    "object let go": "ok",
    end: "ok",
  });
  // A truncated file is not accepted as a backup.
  await truncate(file, 1_000);
  const cut = await smoke(args.slice(0, -1), env);
  expect(readStates(cut.output), cut.output).toMatchObject({ "backup and restore": "failed", end: "ok" });
});

it("does not create the first account of a deployment, which is the operator's", async () => {
  const health = {
    status: "ok",
    provider: "live",
    version: "1",
    publishes: [],
    warnings: [],
    unavailable_databases: [],
  };
  const requests: string[] = [];
  const deployment = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...health, scheduler: { overdue: 0, oldest_overdue_seconds: 0 } }));
  });
  deployment.listen(0, "127.0.0.1");
  await once(deployment, "listening");
  const { port } = deployment.address() as AddressInfo;
  const { code, output } = await smoke(["--url", `http://127.0.0.1:${port}`]);
  expect(code).toBe(1);
  expect(output).toContain("set SMOKE_EMAIL and SMOKE_PASSWORD to an account");
  expect(requests).not.toContain("POST /v1/auth/signup");
  deployment.close();
});

it("prints its usage, and ends with 2 if no service answers", async () => {
  for (const args of [[], ["--url", "nonsense"], ["--url", "http://127.0.0.1:1", "--ahead", "soon"], ["--loud"]]) {
    expect(await smoke(args)).toMatchObject({ code: 2, output: expect.stringContaining("npm run smoke -- --url") });
  }
  const { code, output } = await smoke(["--url", "http://127.0.0.1:1"]);
  expect(code).toBe(2);
  expect(output).toContain("failed   health");
});
