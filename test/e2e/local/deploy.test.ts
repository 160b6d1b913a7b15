// `npm run deploy` with the real wrangler, against a stand-in of Cloudflare's API that keeps real databases.
import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getCodeVersion } from "../../../scripts/deploy/installation.ts";
import { readSettings } from "../../../src/settings.ts";
import {
  MIGRATIONS,
  makeProject,
  readDeployedSecrets,
  readDeployedSettings,
  SECRETS,
  startCloud,
} from "../../support/cloudflare/installed.ts";
import { runDeploy, startDeploy, startScript } from "../../support/cloudflare/project.ts";
import { TOKEN } from "../../support/cloudflare/server.ts";
import { ROOT } from "../../support/documents/markdown.ts";

/** Wrangler sends a migration together with the row that records it. */
const isMigration = (body: string) => /INSERT INTO .{0,3}d1_migrations/.test(body);

it("deploys this repository to an empty account, and changes nothing the second time", async (context) => {
  const standIn = await startCloud(context);
  const { account } = standIn;
  const first = await runDeploy(ROOT, standIn);
  expect(first).toMatchObject({
    code: 0,
    output: expect.stringContaining("Crier is at https://crier.crier-01234567.workers.dev"),
  });

  expect(account.databases[0]?.sqlite.prepare("SELECT name FROM d1_migrations").all()).toEqual(
    MIGRATIONS.map((name) => ({ name })),
  );
  expect([...account.buckets]).toEqual([
    [
      "crier-media",
      {
        rules: [
          {
            id: "crier-uploads",
            allowed: {
              origins: ["https://crier.crier-01234567.workers.dev"],
              methods: ["PUT"],
              headers: ["content-type"],
            },
            exposeHeaders: ["ETag"],
            maxAgeSeconds: 3600,
          },
        ],
      },
    ],
  ]);
  expect(
    account.queues.map(({ queue_name, consumers: [reader] }) => [
      queue_name,
      reader?.script,
      reader?.dead_letter_queue,
    ]),
  ).toEqual([
    ["crier", "crier", "crier-dead-letters"],
    ["crier-maintenance", "crier", "crier-dead-letters"],
    ["crier-dead-letters", "crier", undefined],
  ]);
  expect(account.workers.get("crier")).toMatchObject({ crons: ["* * * * *"], subdomain: { enabled: true } });

  const version = account.getDeployed("crier");
  expect(version?.metadata).toMatchObject({
    placement: { mode: "smart" },
    // Calls to our own hosts and to other Workers of the account arrive like those from any other place.
    compatibility_flags: ["global_fetch_strictly_public"],
    // A deploy does not abort an upload.
    code_update_strategy: { mode: "deferred", max_delay: 900 },
  });
  const main = version?.modules.get(version.main) ?? "";
  expect(main.length).toBeGreaterThan(500_000);
  expect(main.split("\n").length, "it is minified").toBeLessThan(main.length / 200);
  const settings = readSettings({ ...readDeployedSettings(account), ...readDeployedSecrets(account), MEDIA: {} });
  expect(settings).toMatchObject({ baseUrl: "https://crier.crier-01234567.workers.dev", provider: "live" });
  expect(settings.sealKeys.size).toBe(1);
  expect(Object.keys(readDeployedSecrets(account)).sort()).toEqual(SECRETS);

  const order = standIn.calls.map(({ method, path }) => `${method} ${path}`);
  const lastMigration = standIn.calls.findLastIndex(({ body }) => isMigration(body));
  const upload = order.lastIndexOf("PUT /workers/scripts/crier");
  expect(lastMigration, "migrations come before the code").toBeLessThan(upload);
  expect(order.lastIndexOf("PATCH /workers/scripts/crier/secrets-bulk"), "secrets too").toBeLessThan(upload);
  for (const secret of Object.values(readDeployedSecrets(account))) {
    expect(first.output).not.toContain(secret);
    expect(readFileSync(join(ROOT, ".wrangler/installations/crier.json"), "utf8")).not.toContain(secret);
  }
  // All steps that only a person can do, with their addresses.
  for (const line of [
    `dash.cloudflare.com/${account.id}/r2/api-tokens`,
    "npx wrangler secret put S3_SECRET_ACCESS_KEY --name crier",
    "https://crier.crier-01234567.workers.dev/v1/oauth/google/callback",
    "https://crier.crier-01234567.workers.dev/v1/channels/callback/linkedin",
  ]) {
    expect(first.output).toContain(line);
  }

  const before = structuredClone(JSON.parse(JSON.stringify(account.snapshot())));
  standIn.calls.length = 0;
  const second = await runDeploy(ROOT, standIn);
  expect(second).toMatchObject({
    code: 0,
    output: expect.stringContaining("Not set up yet: uploads, mail, sign-in, x, "),
  });
  expect(standIn.writes()).toEqual([]);
  expect(JSON.parse(JSON.stringify(account.snapshot()))).toEqual(before);
});

describe.concurrent("an installation", () => {
  it("is printed and not created with --plan", async (context) => {
    const standIn = await startCloud(context);
    const plan = await runDeploy(ROOT, standIn, ["--plan"]);
    expect(plan).toMatchObject({ code: 0, output: expect.stringContaining("Nothing was changed.") });
    for (const line of ["database     crier would be created", "0001_schema.sql", "SIGNING_KEY would be generated"]) {
      expect(plan.output).toContain(line);
    }
    expect(standIn.writes()).toEqual([]);
  });

  it("is upgraded by migrations and then code, and keeps dashboard settings, secrets and rows", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const { account } = standIn;
    expect(await runDeploy(copy.root, standIn, ["--set", "MAIL_FROM=a@example.com"])).toMatchObject({ code: 0 });
    const secrets = readDeployedSecrets(account);
    const settings = readDeployedSettings(account);
    expect(settings).toMatchObject({ MAIL_FROM: "a@example.com", DEFAULT_PLAN: "unlimited" });
    const worker = account.workers.get("crier");
    const answering = account.getDeployed("crier");
    // Changes a setting in Cloudflare's dashboard and removes the cron trigger there.
    for (const binding of answering?.bindings ?? []) if (binding.name === "DEFAULT_PLAN") binding.text = "free";
    if (worker !== undefined) worker.crons = [];

    await copy.write("migrations/9997_less.sql", "-- Contract: unused since 9.0.0.\nDROP TABLE posts;\n");
    const early = await runDeploy(copy.root, standIn);
    expect(early.output).toContain("9997_less.sql removes data that versions before 9.0.0 read, and 0.1.0+");
    expect(early.code).toBe(1);
    await rm(join(copy.root, "migrations/9997_less.sql"));

    await copy.write("migrations/9998_more.sql", "CREATE TABLE more (id TEXT);\nINSERT INTO nowhere VALUES (1);\n");
    await copy.write("src/more.ts", "// The next release.\n");
    const failed = await runDeploy(copy.root, standIn);
    expect(failed).toMatchObject({ code: 1, output: expect.stringContaining("Stopped at migrations.") });
    expect(failed.output).toContain("nowhere");
    expect(account.getDeployed("crier"), "the release before goes on").toBe(answering);

    await copy.write("migrations/9998_more.sql", "CREATE TABLE more (id TEXT);\nCREATE INDEX more_id ON more (id);\n");
    standIn.calls.length = 0;
    const upgraded = await runDeploy(copy.root, standIn);
    expect(upgraded).toMatchObject({ code: 0, output: expect.stringContaining("9998_more.sql applied") });
    expect(upgraded.output).toContain("the code or its configuration has changed, the cron trigger is missing");
    expect(readDeployedSecrets(account)).toEqual(secrets);
    expect(readDeployedSettings(account)).toEqual({
      ...settings,
      DEFAULT_PLAN: "free",
      VERSION: expect.not.stringMatching(settings.VERSION ?? ""),
    });
    expect(worker?.crons).toEqual(["* * * * *"]);
    expect(
      standIn.calls.flatMap(({ method, path, body }) =>
        method === "POST" && path.endsWith("/deployments") ? [body] : [],
      ),
    ).toEqual([expect.stringContaining('"code_update_strategy":{"mode":"deferred","max_delay":900}')]);
    const order = standIn.calls.map(({ method, path }) => `${method} ${path}`);
    expect(standIn.calls.findLastIndex(({ body }) => isMigration(body))).toBeLessThan(
      order.findIndex((call) => /^(PUT|POST) \/workers\/scripts\/crier/.test(call)),
    );
  });

  it("waits until the Worker with the new setting answers, even if only a setting has changed", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const { account } = standIn;
    const readVersion = () => readDeployedSettings(account).VERSION ?? "";
    expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
    const before = readVersion();
    standIn.staleAnswers = 3;
    const changed = await runDeploy(copy.root, standIn, ["--set", "DEFAULT_PLAN=free"]);
    expect(changed).toMatchObject({ code: 0, output: expect.stringContaining("uploaded: DEFAULT_PLAN has changed") });
    expect(standIn.staleAnswers).toBe(0);
    expect(getCodeVersion(readVersion())).toBe(getCodeVersion(before));
    // A setting that was changed by hand meanwhile stays, and the run waits for no other version.
    account.getDeployed("crier")?.bindings.push({ name: "OIDC_NAME", type: "plain_text", text: "okta" });
    const again = await runDeploy(copy.root, standIn);
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining("is deployed") });
  });

  it("is checked after the upload, and missing parts are reported", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const { account } = standIn;
    const first = await runDeploy(copy.root, standIn);
    expect(first.output).toContain("check        starts in 1 ms");
    expect(first.output).toContain("placement (smart), migrations, tables and triggers are correct");
    account.databases[0]?.sqlite.exec("DROP TRIGGER events_noticed; DROP INDEX notices_old");
    const version = account.getDeployed("crier");
    Object.assign(version?.metadata ?? {}, { placement: undefined, compatibility_flags: [] });
    const second = await runDeploy(copy.root, standIn);
    expect(second.code).toBe(1);
    expect(second.output).toContain("Stopped at check. Crier was deployed, but");
    for (const fault of [
      "the flag global_fetch_strictly_public is not set",
      "the Worker is placed anywhere, not smart",
      "crier has no trigger events_noticed",
      "crier has no index notices_old",
    ]) {
      expect(second.output).toContain(fault);
    }
  });

  it("is paused, audited, protected from sending twice, and resumed", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const { account } = standIn;
    expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
    const paused = await runDeploy(copy.root, standIn, ["--set", "PAUSED=1"]);
    expect(paused).toMatchObject({ code: 0, output: expect.stringContaining("not checked, because PAUSED is set") });
    expect(() => readSettings(readDeployedSettings(account))).toThrow("PAUSED is set");
    const ask = (...args: string[]) => startScript(copy.root, standIn, args).ended;
    expect(await ask("scripts/after-restore.ts", "--remote", "--until", "2026-11-22T10:00:00Z")).toEqual({
      code: 0,
      output: "Done. No post that was already sent will be sent again.\n",
    });
    expect(await ask("scripts/audit.ts", "--remote", "--database", "crier", "deliveries_end")).toEqual({
      code: 0,
      output: expect.stringMatching(/^deliveries_end +0\n$/),
    });
    for (const words of [["--remote"], ["--remote", "--until", "10 o'clock"], ["--until", "2026-11-22T10:00:00Z"]]) {
      expect(await ask("scripts/after-restore.ts", ...words)).toMatchObject({ code: 2 });
    }
    const on = await runDeploy(copy.root, standIn, ["--set", "PAUSED=0"]);
    expect(on).toMatchObject({ code: 0, output: expect.stringContaining("/healthz answers") });
    expect(readSettings(readDeployedSettings(account)).provider).toBe("live");
  });

  it("is deployed with wrangler's own sign-in, and stopped by Ctrl-C", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const folder = join(copy.root, "home/.config/.wrangler/config");
    await mkdir(folder, { recursive: true });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    await writeFile(
      join(folder, "default.toml"),
      `oauth_token = "${TOKEN}"\nrefresh_token = "r"\nexpiration_time = "${later}"\nscopes = []\n`,
    );
    const signedIn = { CLOUDFLARE_API_TOKEN: undefined };
    const running = startDeploy(copy.root, standIn, [], signedIn);
    standIn.faults.push({
      call: "POST /d1/database/",
      containing: "CREATE TABLE users",
      does: "drop before",
      struck: () => running.child.kill("SIGINT"),
    });
    expect(await running.ended).toEqual({
      code: 1,
      output: expect.stringContaining("Stopped. Run the command again to finish"),
    });
    const again = await runDeploy(copy.root, standIn, [], signedIn);
    expect(again.output).toContain("Crier is at");
    await rm(folder, { recursive: true });
    expect(await runDeploy(copy.root, standIn, [], signedIn)).toEqual({
      code: 1,
      output: expect.stringContaining("Run npx wrangler login, or set CLOUDFLARE_API_TOKEN"),
    });
  });
});
