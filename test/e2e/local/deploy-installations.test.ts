// Installations with other names, domains and secrets, and the resources that `npm run deploy` does not touch, against the stand-in.
import { readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import {
  MIGRATIONS,
  makeProject,
  readDeployedSecrets,
  readDeployedSettings,
  SECRETS,
  startCloud,
} from "../../support/cloudflare/installed.ts";
import { runDeploy } from "../../support/cloudflare/project.ts";
import type { Account } from "../../support/cloudflare/state.ts";
import { ROOT } from "../../support/documents/markdown.ts";

describe.concurrent("an installation", () => {
  it("keeps to its own resources at the requested location if it has another name, and does not touch the first", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const { account } = standIn;
    expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
    const first = readDeployedSecrets(account);
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
    const bound = account
      .getDeployed("shop")
      ?.bindings.map((binding) => binding.queue_name ?? binding.bucket_name ?? binding.id);
    expect(bound).toEqual(
      expect.arrayContaining(["shop", "shop-maintenance", "shop-media", account.databases[1]?.uuid]),
    );
    expect(readDeployedSettings(account, "shop")).toMatchObject({ S3_BUCKET: "shop-media" });
    for (const name of SECRETS) expect(readDeployedSecrets(account, "shop")[name]).not.toBe(first[name]);
    standIn.calls.length = 0;
    expect(await runDeploy(copy.root, standIn, shop)).toMatchObject({ code: 0 });
    expect(standIn.writes()).toEqual([]);
  });

  it("uses queues that the deploy button has renamed, and recognizes the one with dead letters", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const { account } = standIn;
    const configuration = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
    const renamed = configuration
      .replaceAll('queue = "crier"', 'queue = "first-4711"')
      .replaceAll('queue = "crier-maintenance"', 'queue = "second-4711"')
      .replaceAll('queue = "crier-dead-letters"', 'queue = "third-4711"');
    await copy.write("wrangler.toml", renamed);
    expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
    expect(account.queues.map(({ queue_name, consumers: [reader] }) => [queue_name, reader?.script])).toEqual([
      ["first-4711", "crier"],
      ["second-4711", "crier"],
      ["third-4711", "crier"],
    ]);
    expect(readDeployedSettings(account)).toMatchObject({ DEAD_LETTER_QUEUE: "third-4711" });
    expect(await runDeploy(copy.root, standIn, ["--name", "shop"])).toMatchObject({ code: 0 });
    expect(account.queues.slice(3).map(({ queue_name }) => queue_name)).toEqual([
      "shop",
      "shop-maintenance",
      "shop-dead-letters",
    ]);
    expect(readDeployedSettings(account, "shop")).toMatchObject({ DEAD_LETTER_QUEUE: "shop-dead-letters" });

    await copy.write("wrangler.toml", renamed.replace('queue = "second-4711"', 'queue = "nobody-reads-it"'));
    const refused = await runDeploy(copy.root, standIn);
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringContaining("wrangler.toml has no consumer of the queue nobody-reads-it"),
    });
  });

  it("gets one domain for the service and one for files, which later runs keep", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const { account } = standIn;
    expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
    const before = JSON.stringify(account.snapshot());
    account.domains.push({ hostname: "shop.example.com", service: "shop" });
    for (const [host, where] of [
      ["shop.example.com", "the Worker shop"],
      ["recorded.example.com", "the target of its DNS record"],
    ]) {
      const refused = await runDeploy(copy.root, standIn, ["--domain", host ?? ""]);
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(`${host} is routed to ${where}.`) });
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
    expect(readDeployedSettings(account)).toMatchObject({
      BASE_URL: "https://crier.example.com",
      MEDIA_URL: "https://files.example.com",
    });
    expect(JSON.stringify([...account.buckets])).toContain('"origins":["https://crier.example.com"]');
    expect(account.workers.get("crier")?.subdomain.enabled).toBe(false);
    standIn.calls.length = 0;
    for (const again of [domains, []]) expect(await runDeploy(copy.root, standIn, again)).toMatchObject({ code: 0 });
    expect(standIn.writes()).toEqual([]);
  });

  it("uses the given secrets, and saves a copy of generated ones", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const file = join(copy.root, "kept.json");
    await writeFile(
      file,
      JSON.stringify({ SIGNING_KEY: "a key of mine that has 32 bytes or more", X_CLIENT_SECRET: "x" }),
    );
    const run = await runDeploy(copy.root, standIn, ["--secrets", file]);
    expect(run).toMatchObject({ code: 0 });
    const savedSecrets = JSON.parse(readFileSync(file, "utf8"));
    expect(savedSecrets).toMatchObject({
      SIGNING_KEY: "a key of mine that has 32 bytes or more",
      X_CLIENT_SECRET: "x",
    });
    expect(readDeployedSecrets(standIn.account)).toEqual(savedSecrets);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // The same file sets the same secrets on another account.
    const elsewhere = await startCloud(context);
    expect(await runDeploy(copy.root, elsewhere, ["--secrets", file])).toMatchObject({ code: 0 });
    expect(readDeployedSecrets(elsewhere.account)).toEqual(savedSecrets);
  });

  it("gets no new keys after its Worker was deleted while its database has accounts", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
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
});

describe.concurrent("resources of other projects", () => {
  const expectUntouched = async (context: TestContext, prepare: (account: Account) => void, message: string) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    prepare(standIn.account);
    const before = JSON.stringify([...standIn.account.workers]);
    const run = await runDeploy(copy.root, standIn);
    expect(run).toMatchObject({ code: 1, output: expect.stringContaining(message) });
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

  it("does not touch a Worker that is not Crier's", (context) =>
    expectUntouched(context, foreign, "The account has a Worker crier that is not Crier."));
  it("does not touch a database with tables that are not Crier's", (context) =>
    expectUntouched(
      context,
      (account) => account.createDatabase("crier").sqlite.exec("CREATE TABLE shops (id)"),
      "has tables that are not Crier's",
    ));
  it("does not touch a queue with another project's consumer", (context) =>
    expectUntouched(
      context,
      (account) => {
        const consumer = { consumer_id: "c", type: "worker", script: "shop", settings: {} };
        account.createQueue("crier-maintenance").consumers.push(consumer);
      },
      "The queue crier-maintenance is consumed by shop",
    ));
});
