// `npm run deploy` with the real wrangler, against a stand-in of Cloudflare's API that keeps real databases.
import { readFileSync, statSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { readSettings } from "../../../src/env.ts";
import { cloud, MIGRATIONS, project, SECRETS, secretsOf, settingsOf } from "../../support/cloudflare/installed.ts";
import { runDeploy, startDeploy, startScript } from "../../support/cloudflare/project.ts";
import { TOKEN } from "../../support/cloudflare/server.ts";
import type { Account } from "../../support/cloudflare/state.ts";
import { ROOT } from "../../support/documents/markdown.ts";

it("deploys what this repository is onto an account with nothing in it, and changes nothing the second time", async (context) => {
  const standIn = await cloud(context);
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

  const version = account.answering("crier");
  expect(version?.metadata.placement).toEqual({ mode: "smart" });
  const main = version?.modules.get(version.main) ?? "";
  expect(main.length).toBeGreaterThan(500_000);
  expect(main.split("\n").length, "it is minified").toBeLessThan(main.length / 200);
  const settings = readSettings({ ...settingsOf(account), ...secretsOf(account), MEDIA: {} });
  expect(settings).toMatchObject({ baseUrl: "https://crier.crier-01234567.workers.dev", provider: "live" });
  expect(settings.sealKeys.size).toBe(1);
  expect(Object.keys(secretsOf(account)).sort()).toEqual(SECRETS);

  const order = standIn.calls.map(({ method, path }) => `${method} ${path}`);
  const lastMigration = order.findLastIndex((call) => call.endsWith("/query"));
  const upload = order.lastIndexOf("PUT /workers/scripts/crier");
  expect(lastMigration, "migrations come before the code").toBeLessThan(upload);
  expect(order.lastIndexOf("PATCH /workers/scripts/crier/secrets-bulk"), "secrets too").toBeLessThan(upload);
  for (const secret of Object.values(secretsOf(account))) {
    expect(first.output).not.toContain(secret);
    expect(readFileSync(join(ROOT, ".wrangler/installations/crier.json"), "utf8")).not.toContain(secret);
  }
  // Everything that only a person can do, with its place.
  for (const said of [
    `dash.cloudflare.com/${account.id}/r2/api-tokens`,
    "npx wrangler secret put S3_SECRET_ACCESS_KEY --name crier",
    "https://crier.crier-01234567.workers.dev/v1/oauth/google/callback",
    "https://crier.crier-01234567.workers.dev/v1/channels/callback/linkedin",
  ]) {
    expect(first.output).toContain(said);
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
  it("of another name has everything of its own, where it was asked for, and leaves the first alone", async (context) => {
    const copy = await project(context);
    const standIn = await cloud(context);
    const { account } = standIn;
    expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
    const first = secretsOf(account);
    const before = JSON.stringify(account.workers.get("crier"));
    const shop = ["--name", "shop", "--database-location", "weur"];
    const second = await runDeploy(copy.root, standIn, shop);
    expect(second).toMatchObject({
      code: 0,
      output: expect.stringContaining("https://shop.crier-01234567.workers.dev"),
    });
    expect(second.output).toContain("npx wrangler secret put X_CLIENT_ID --name shop");
    expect(JSON.stringify(account.workers.get("crier"))).toBe(before);
    expect(account.databases.map(({ name, location }) => [name, location])).toEqual([
      ["crier", undefined],
      ["shop", "weur"],
    ]);
    expect([...account.buckets.keys()]).toEqual(["crier-media", "shop-media"]);
    expect(account.queues.slice(3).map(({ queue_name, consumers: [reader] }) => [queue_name, reader?.script])).toEqual([
      ["shop", "shop"],
      ["shop-maintenance", "shop"],
      ["shop-dead-letters", "shop"],
    ]);
    const bound = account.answering("shop")?.bindings.map((one) => one.queue_name ?? one.bucket_name ?? one.id);
    expect(bound).toEqual(
      expect.arrayContaining(["shop", "shop-maintenance", "shop-media", account.databases[1]?.uuid]),
    );
    expect(settingsOf(account, "shop")).toMatchObject({ S3_BUCKET: "shop-media" });
    for (const name of SECRETS) expect(secretsOf(account, "shop")[name]).not.toBe(first[name]);
    standIn.calls.length = 0;
    expect(await runDeploy(copy.root, standIn, shop)).toMatchObject({ code: 0 });
    expect(standIn.writes()).toEqual([]);
  });

  it("that is only planned is told, and nothing of it is made", async (context) => {
    const standIn = await cloud(context);
    const plan = await runDeploy(ROOT, standIn, ["--plan"]);
    expect(plan).toMatchObject({ code: 0, output: expect.stringContaining("Nothing was changed.") });
    for (const said of ["database     crier would be made", "0001_accounts.sql", "SIGNING_KEY would be made"]) {
      expect(plan.output).toContain(said);
    }
    expect(standIn.writes()).toEqual([]);
  });

  it("is upgraded: migrations, then code; settings of the dashboard, secrets and rows stay", async (context) => {
    const copy = await project(context);
    const standIn = await cloud(context);
    const { account } = standIn;
    expect(await runDeploy(copy.root, standIn, ["--set", "MAIL_FROM=a@example.com"])).toMatchObject({ code: 0 });
    const secrets = secretsOf(account);
    const settings = settingsOf(account);
    expect(settings).toMatchObject({ MAIL_FROM: "a@example.com", DEFAULT_PLAN: "unlimited" });
    const worker = account.workers.get("crier");
    const answering = account.answering("crier");
    // As somebody changes it in the dashboard, and takes the cron trigger away.
    for (const one of answering?.bindings ?? []) if (one.name === "DEFAULT_PLAN") one.text = "free";
    if (worker !== undefined) worker.crons = [];

    await copy.write("migrations/9997_less.sql", "-- Contract: unused since 9.0.0.\nDROP TABLE posts;\n");
    const early = await runDeploy(copy.root, standIn);
    expect(early.output).toContain("9997_less.sql takes away what versions before 9.0.0 read, and 0.1.0+");
    expect(early.code).toBe(1);
    await rm(join(copy.root, "migrations/9997_less.sql"));

    await copy.write("migrations/9998_more.sql", "CREATE TABLE more (id TEXT);\nINSERT INTO nowhere VALUES (1);\n");
    await copy.write("src/more.ts", "// The next release.\n");
    const failed = await runDeploy(copy.root, standIn);
    expect(failed).toMatchObject({ code: 1, output: expect.stringContaining("Stopped at migrations.") });
    expect(failed.output).toContain("nowhere");
    expect(account.answering("crier"), "the release before goes on").toBe(answering);

    await copy.write("migrations/9998_more.sql", "CREATE TABLE more (id TEXT);\nCREATE INDEX more_id ON more (id);\n");
    standIn.calls.length = 0;
    const upgraded = await runDeploy(copy.root, standIn);
    expect(upgraded).toMatchObject({ code: 0, output: expect.stringContaining("9998_more.sql applied") });
    expect(upgraded.output).toContain("the code or its configuration has changed, its cron trigger is not set");
    expect(secretsOf(account)).toEqual(secrets);
    expect(settingsOf(account)).toEqual({
      ...settings,
      DEFAULT_PLAN: "free",
      VERSION: expect.not.stringMatching(settings.VERSION ?? ""),
    });
    expect(worker?.crons).toEqual(["* * * * *"]);
    const order = standIn.calls.map(({ method, path }) => `${method} ${path}`);
    expect(order.findLastIndex((call) => call.endsWith("/query"))).toBeLessThan(
      order.findIndex((call) => /^(PUT|POST) \/workers\/scripts\/crier/.test(call)),
    );
  });

  it("is paused, asked, kept from sending twice, and goes on", async (context) => {
    const copy = await project(context);
    const standIn = await cloud(context);
    const { account } = standIn;
    expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
    const paused = await runDeploy(copy.root, standIn, ["--set", "PAUSED=1"]);
    expect(paused).toMatchObject({ code: 0, output: expect.stringContaining("not asked: PAUSED is set") });
    expect(() => readSettings(settingsOf(account))).toThrow("PAUSED is set");
    const ask = (...args: string[]) => startScript(copy.root, standIn, args).ended;
    expect(await ask("scripts/after-restore.ts", "--remote", "--until", "2026-11-22T10:00:00Z")).toEqual({
      code: 0,
      output:
        "0 deliveries may have been sent: they are looked for\n" +
        "0 first comments may have been sent: they are not sent again\n",
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
    expect(readSettings(settingsOf(account)).provider).toBe("live");
  });

  it("gets a domain of its own, and files another; later runs keep them", async (context) => {
    const copy = await project(context);
    const standIn = await cloud(context);
    const { account } = standIn;
    expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
    const before = JSON.stringify(account.snapshot());
    account.domains.push({ hostname: "shop.example.com", service: "shop" });
    for (const [host, where] of [
      ["shop.example.com", "the Worker shop"],
      ["recorded.example.com", "what its DNS record says"],
    ]) {
      const refused = await runDeploy(copy.root, standIn, ["--domain", host ?? ""]);
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(`${host} leads to ${where}.`) });
    }
    account.domains.length = 0;
    expect(JSON.stringify(account.snapshot()), "nothing has moved").toBe(before);
    const domains = ["--domain", "crier.example.com", "--media-domain", "files.example.com"];
    const run = await runDeploy(copy.root, standIn, domains);
    expect(run).toMatchObject({ code: 0, output: expect.stringContaining("Crier is at https://crier.example.com ") });
    expect(account.domains).toEqual([
      { hostname: "crier.example.com", service: "crier" },
      { hostname: "files.example.com", service: "crier" },
    ]);
    expect(settingsOf(account)).toMatchObject({
      BASE_URL: "https://crier.example.com",
      MEDIA_URL: "https://files.example.com",
    });
    expect(JSON.stringify([...account.buckets])).toContain('"origins":["https://crier.example.com"]');
    expect(account.workers.get("crier")?.subdomain.enabled).toBe(false);
    standIn.calls.length = 0;
    for (const again of [domains, []]) expect(await runDeploy(copy.root, standIn, again)).toMatchObject({ code: 0 });
    expect(standIn.writes()).toEqual([]);
  });

  it("keeps the secrets that it is given, and keeps a copy of those that it makes", async (context) => {
    const copy = await project(context);
    const standIn = await cloud(context);
    const file = join(copy.root, "kept.json");
    await writeFile(
      file,
      JSON.stringify({ SIGNING_KEY: "a key of mine that has 32 bytes or more", X_CLIENT_SECRET: "x" }),
    );
    const run = await runDeploy(copy.root, standIn, ["--secrets", file]);
    expect(run).toMatchObject({ code: 0 });
    const kept = JSON.parse(readFileSync(file, "utf8"));
    expect(kept).toMatchObject({ SIGNING_KEY: "a key of mine that has 32 bytes or more", X_CLIENT_SECRET: "x" });
    expect(secretsOf(standIn.account)).toEqual(kept);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // The same file makes the same secrets on another account.
    const elsewhere = await cloud(context);
    expect(await runDeploy(copy.root, elsewhere, ["--secrets", file])).toMatchObject({ code: 0 });
    expect(secretsOf(elsewhere.account)).toEqual(kept);
  });

  it("whose Worker was deleted gets no new keys while its database has accounts", async (context) => {
    const copy = await project(context);
    const standIn = await cloud(context);
    const { account } = standIn;
    const [database] = [account.createDatabase("crier")];
    for (const file of MIGRATIONS) database.sqlite.exec(readFileSync(join(ROOT, "migrations", file), "utf8"));
    database.sqlite.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE, applied_at TEXT)");
    for (const file of MIGRATIONS) database.sqlite.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(file);
    database.sqlite.exec("INSERT INTO users (id, email, created_at) VALUES ('u', 'a@example.com', 1)");
    const run = await runDeploy(copy.root, standIn);
    expect(run).toMatchObject({
      code: 1,
      output: expect.stringContaining("The database has accounts, but the Worker has no SEAL_KEYS"),
    });
    expect(run.output).toContain("npx wrangler secret put SEAL_KEYS --name crier");
    expect(account.workers.size).toBe(0);
  });

  it("is deployed by who is signed in with wrangler, and stopped by Ctrl-C", async (context) => {
    const copy = await project(context);
    const standIn = await cloud(context);
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
      output: expect.stringContaining("Stopped. Run it again to finish"),
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

describe.concurrent("what belongs to something else is left alone", () => {
  const left = async (context: TestContext, prepare: (account: Account) => void, says: string) => {
    const copy = await project(context);
    const standIn = await cloud(context);
    prepare(standIn.account);
    const before = JSON.stringify([...standIn.account.workers]);
    const run = await runDeploy(copy.root, standIn);
    expect(run).toMatchObject({ code: 1, output: expect.stringContaining(says) });
    expect(run.output).toContain("npm run deploy -- --name another-name");
    expect(JSON.stringify([...standIn.account.workers])).toBe(before);
  };
  const foreign = (account: Account) =>
    account.workers.set("crier", {
      tag: "t",
      versions: [
        {
          id: "v",
          bindings: [],
          main: "index.js",
          modules: new Map([["index.js", "export default {}"]]),
          metadata: {},
        },
      ],
      deployed: "v",
      crons: [],
      subdomain: { enabled: true, previews_enabled: false },
    });

  it("a Worker", (context) => left(context, foreign, "The account has a Worker crier that is not Crier."));
  it("a database", (context) =>
    left(
      context,
      (account) => account.createDatabase("crier").sqlite.exec("CREATE TABLE shops (id)"),
      "has tables that are not Crier's",
    ));
  it("a queue", (context) =>
    left(
      context,
      (account) => {
        const consumer = { consumer_id: "c", type: "worker", script: "shop", settings: {} };
        account.createQueue("crier-maintenance").consumers.push(consumer);
      },
      "The queue crier-maintenance is read by shop",
    ));
});
