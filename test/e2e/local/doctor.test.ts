// `npm run doctor` of an installation as its operator runs it, against the stand-in for Cloudflare's API.
import { expect, it, type TestContext } from "vitest";
import { APP_PAGES } from "../../../scripts/deploy/to-do.ts";
import type { Finding } from "../../../scripts/doctor/examine.ts";
import { startSimulators } from "../../../simulators/server.ts";
import { S3_KEY } from "../../support/cloudflare/buckets.ts";
import { makeProject, readDeployedSecrets, startCloud } from "../../support/cloudflare/installed.ts";
import { runDeploy, startScript } from "../../support/cloudflare/project.ts";
import { TOKEN } from "../../support/cloudflare/server.ts";
import { type ReceivedMail, startMailServer } from "../../support/mail-server.ts";

async function installForTest(context: TestContext) {
  const [copy, standIn] = [await makeProject(context), await startCloud(context)];
  expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
  standIn.calls.length = 0;
  const doctor = (args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
    startScript(copy.root, standIn, ["scripts/doctor.ts", ...args], env).ended;
  const readFindings = async (): Promise<Finding[]> => JSON.parse((await doctor(["--json"])).output).findings;
  return { copy, standIn, account: standIn.account, doctor, readFindings };
}

it("finds no problem after a deploy, lists the remaining steps, and changes nothing", async (context) => {
  const { standIn, account, doctor, readFindings } = await installForTest(context);
  const { code, output } = await doctor();
  expect(code).toBe(0);
  expect(output).toMatch(/^✓ health +https:\/\/crier\.crier-01234567\.workers\.dev answers, version 0\.1\.0\+/m);
  expect(output).toContain("→ npx wrangler secret put LINKEDIN_CLIENT_ID --name crier");
  expect(output).toContain("https://crier.crier-01234567.workers.dev/v1/channels/callback/linkedin");
  for (const secret of Object.values(readDeployedSecrets(account))) expect(output).not.toContain(secret);
  const states = Object.groupBy(await readFindings(), ({ state }) => state);
  expect(states.failed ?? []).toEqual([]);
  expect(states.warning?.map(({ check }) => check).slice(0, 3)).toEqual(["uploads", "mail", "sign-in"]);
  expect(standIn.writes()).toEqual([]);
});

it("says for each problem how to fix it", async (context) => {
  const { copy, standIn, account, readFindings } = await installForTest(context);
  const [database] = account.databases;
  if (database !== undefined) database.bytes = 8 * 1024 ** 3;
  database?.sqlite.exec("DELETE FROM d1_migrations WHERE name LIKE '0001%'");
  for (const bucket of account.buckets.values()) bucket.rules = [];
  const [queue, mails] = account.queues;
  if (queue !== undefined) queue.oldestAt = Date.now() - 3_600_000;
  mails?.consumers.splice(0);
  account.workers.get("crier")?.crons.splice(0);
  const answering = account.getDeployed("crier");
  if (answering === undefined) throw new Error("nothing is deployed");
  answering.bindings = answering.bindings.filter(({ name }) => name !== "SIGNING_KEY");
  for (const binding of answering.bindings) if (binding.name === "DEFAULT_PLAN") binding.text = "gold";
  for (const binding of answering.bindings) if (binding.name === "S3_BUCKET") binding.text = "pictures";
  standIn.overdue = 2;
  standIn.warnings = [{ code: "database_fills", message: "The database DB_1 is 71 % full; full, it takes no posts." }];
  standIn.unavailable = ["DB_1"];
  await copy.write("src/more.ts", "// The next release.\n");

  const findings = (await readFindings()).filter(({ state }) => state !== "ok");
  const report = findings.map(({ check, state, message, fix }) => `${state} ${check}: ${message} -> ${fix}`).join("\n");
  for (const line of [
    "failed settings: DEFAULT_PLAN must be `free`, `pro` or `unlimited`.",
    "failed secrets: SIGNING_KEY missing. -> npm run deploy",
    "warning database: 8192.0 MB, 80 % of a database's maximum size. -> docs/operations.md",
    "warning migrations: Not applied: 0001_schema.sql. -> npm run deploy",
    "failed bucket: Missing: uploads from https://crier.crier-01234567.workers.dev would be allowed. -> npm run deploy",
    "failed uploads: S3_BUCKET is pictures, but the Worker reads crier-media, so uploaded files are never found. -> npm run deploy -- --set S3_BUCKET=crier-media",
    "warning queues: crier: 7 waiting, the oldest for 60 min.",
    "failed worker: the Worker does not consume the queue crier-maintenance. -> npm run deploy",
    "failed worker: the cron trigger is missing. -> npm run deploy",
    "warning worker: The deployed version differs from this checkout. -> npm run deploy",
    "warning health: The database DB_1 is 71 % full; full, it takes no posts. -> docs/operations.md, When D1 is full",
    "failed health: DB_1 does not answer, so its workspaces have to wait. -> Check the Worker's log",
    "warning health: 2 deliveries are overdue, the oldest by 120 s. -> run npm run audit",
  ]) {
    expect(report).toContain(line);
  }
});

it("tests the bucket's key if the operator has a copy of it, and calls the bucket as a browser does", async (context) => {
  const { copy, account, doctor } = await installForTest(context);
  const answering = account.getDeployed("crier");
  for (const name of Object.keys(S3_KEY)) answering?.bindings.push({ name, type: "secret_text", text: "set" });
  const uploads = async (env: NodeJS.ProcessEnv, args: string[] = []) =>
    (await doctor(args, env)).output.split("\n").filter((line) => /^. uploads /.test(line));
  const browser = "✓ uploads    Browsers can upload from https://crier.crier-01234567.workers.dev.";
  expect(await uploads({})).toEqual([
    browser,
    expect.stringMatching(/^✓ uploads +The bucket's key is set but cannot be read/),
  ]);
  const works = "✓ uploads    The bucket's key can write, read and delete.";
  expect(await uploads(S3_KEY)).toEqual([browser, works]);
  await copy.write("secrets.json", JSON.stringify(S3_KEY));
  expect(await uploads({}, ["--secrets", "secrets.json"])).toEqual([browser, works]);
  const wrong = { ...S3_KEY, S3_SECRET_ACCESS_KEY: "another-secret" };
  for (const bucket of account.buckets.values()) bucket.rules = [];
  const { code, output } = await doctor([], wrong);
  expect(code).toBe(1);
  expect(output).toContain(
    "The bucket's key does not work: writing was answered with status 403 SignatureDoesNotMatch.",
  );
  expect(output).toContain(
    "✗ uploads    Browsers cannot upload from https://crier.crier-01234567.workers.dev: the bucket answers 403.",
  );
  expect(output).not.toContain("another-secret");
});

it("tests each network's app that can be tested without a user, with the operator's copy of its secrets", async (context) => {
  const { copy, account, doctor } = await installForTest(context);
  const simulators = await startSimulators({ port: 0 });
  context.onTestFinished(() => simulators.close());
  const platforms = Object.keys(APP_PAGES);
  const app = (secret: string) =>
    Object.fromEntries(
      platforms.flatMap((platform) => [
        [`${platform.toUpperCase()}_CLIENT_ID`, `app-of-${platform}`],
        [`${platform.toUpperCase()}_CLIENT_SECRET`, secret],
      ]),
    );
  const answering = account.getDeployed("crier");
  for (const name of Object.keys(app(""))) answering?.bindings.push({ name, type: "secret_text", text: "set" });
  const SIMULATORS_URL = simulators.url;
  const runReport = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const { findings }: { findings: Finding[] } = JSON.parse(
      (await doctor([...args, "--json"], { SIMULATORS_URL, ...env })).output,
    );
    const ofApps = findings.filter(({ check }) => platforms.includes(check));
    return Object.fromEntries(ofApps.map(({ check, ...finding }) => [check, finding]));
  };
  const unread = await runReport([]);
  expect(unread.x?.message).toMatch(
    /^An app is configured, but its secret cannot be read here\. .* Requirements: redirect address https:/,
  );
  await copy.write("secrets.json", JSON.stringify(app("right")));
  const right = await runReport(["--secrets", "secrets.json"]);
  const untried = ["instagram", "pinterest"];
  for (const platform of platforms) {
    expect(right[platform]?.state).toBe("ok");
    expect(right[platform]?.message).toMatch(
      untried.includes(platform)
        ? /^An app is configured; it cannot be tested without a user\./
        : /, and the network accepts it\./,
    );
  }
  const wrong = await runReport([], app("wrong"));
  for (const platform of platforms) {
    expect([platform, wrong[platform]?.state]).toEqual([platform, untried.includes(platform) ? "ok" : "failed"]);
    if (untried.includes(platform)) continue;
    const name = platform.toUpperCase();
    expect(wrong[platform]?.message).toMatch(/^The network rejects the app: 40\d /);
    expect(wrong[platform]?.fix).toContain(`${APP_PAGES[platform]} (`);
    expect(wrong[platform]?.fix).toContain(`\nnpx wrangler secret put ${name}_CLIENT_SECRET --name crier`);
  }
  const fault = { platform: "x", call: "oauth2/token", do: "status", status: 503, body: {} };
  await fetch(`${SIMULATORS_URL}/_sim/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fault),
  });
  expect((await runReport([], app("right"))).x).toMatchObject({
    state: "warning",
    message: expect.stringContaining("whether the network accepts it: 503"),
  });
});

it("sends a mail with the installation's settings, and prints the server's answer", async (context) => {
  const { account, doctor } = await installForTest(context);
  const server = await startMailServer();
  context.onTestFinished(() => server.close());
  const { host } = new URL(server.smtpUrl);
  const tried = async (env: NodeJS.ProcessEnv) => {
    const { code, output } = await doctor(["--mail", "me@example.com"], env);
    return { code, lines: output.split("\n").filter((line) => line.includes(" mail  ")) };
  };
  expect((await tried({})).lines).toContainEqual(
    expect.stringMatching(/^✗ mail +No email is sent, because MAIL_FROM is not set/),
  );
  const bindings = account.getDeployed("crier")?.bindings ?? [];
  bindings.push({ name: "MAIL_FROM", type: "plain_text", text: "crier@example.com" });
  expect((await tried({})).lines).toContainEqual(
    expect.stringMatching(/^✗ mail +No email is sent, because SMTP_URL is not set/),
  );
  bindings.push({ name: "EMAIL", type: "send_email" });
  expect((await tried({})).lines).toContainEqual(expect.stringMatching(/^! mail .* it was not tested\.$/));
  bindings.push({ name: "SMTP_URL", type: "secret_text", text: "set" });
  expect(await tried({})).toEqual({
    code: 0,
    lines: [expect.stringMatching(/^! mail +SMTP_URL is set but cannot be read here/)],
  });
  expect(await tried({ SMTP_URL: server.smtpUrl })).toEqual({
    code: 0,
    lines: [
      expect.stringContaining(`✓ mail       ${host} accepted an email from crier@example.com to me@example.com: 250 `),
    ],
  });
  const { mails }: { mails: ReceivedMail[] } = await (await fetch(`${server.readUrl}?to=me@example.com`)).json();
  expect(mails).toMatchObject([
    { from: "crier@example.com", to: ["me@example.com"], subject: "Test email from Crier" },
  ]);
  const wrong = server.smtpUrl.replace(/:[^:@]+@/, ":another-password@");
  const { code, lines } = await tried({ SMTP_URL: wrong });
  expect(code).toBe(1);
  expect(lines).toEqual([
    expect.stringMatching(
      /^✗ mail +\S+ did not accept an email from .*: Signing in was refused by the mail server: 535 /,
    ),
  ]);
  expect(lines.join()).not.toContain("another-password");
  for (const encrypts of ["when asked", "always"] as const) {
    const { smtpUrl, close } = await startMailServer({ encrypts });
    context.onTestFinished(close);
    const [refused] = (await tried({ SMTP_URL: smtpUrl })).lines;
    expect(refused).toMatch(/^✗ mail +\S+ did not accept an email from .*: .*certificate/);
    const trusting = { SMTP_URL: smtpUrl, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    expect((await tried(trusting)).lines).toEqual([expect.stringMatching(/^✓ mail .*: 250 /)]);
  }
  await server.close();
  expect((await tried({ SMTP_URL: server.smtpUrl })).lines).toEqual([expect.stringContaining("ECONNREFUSED")]);
});

it("reports a missing installation and missing rights, and prints its usage", async (context) => {
  const { doctor } = await installForTest(context);
  expect(await doctor(["--name", "shop"])).toEqual({
    code: 1,
    output: expect.stringMatching(/Crier is not deployed as shop .*\n +→ npm run deploy -- --name shop\n$/),
  });
  const refused = await doctor([], { CLOUDFLARE_API_TOKEN: `${TOKEN}-of-yesterday` });
  expect(refused).toEqual({
    code: 1,
    output: expect.stringMatching(/^✗ sign-in .*\n +→ The token is wrong, has expired/),
  });
  expect(await doctor(["--everything"])).toMatchObject({ code: 2, output: expect.stringContaining("npm run doctor") });
});
