// @crier/client in a browser: the packed file in a page of the service's own origin, and in one of another origin.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makePng } from "../../../scripts/local/png.ts";
import { launchBrowser } from "../../support/browser.ts";
import { PATIENCE_MS } from "../../support/eventually.ts";
import { type Run, start, stopAll } from "../local/running.ts";

const root = join(import.meta.dirname, "../../..");
let folder: string;
let code: string;
let run: Run;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "crier-page-"));
  await promisify(execFile)(process.execPath, ["scripts/pack-client.ts", folder], { cwd: root });
  code = await readFile(join(folder, "dist/index.mjs"), "utf8");
  run = await start({ DEMO: "0" });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await stopAll();
  await rm(folder, { recursive: true, force: true });
});

const PAGE = "<!doctype html><title>A program</title>";

/** Opens a page of the service that has loaded the client. */
async function openServicePage(): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.route(`${run.url}/program/`, (route) => route.fulfill({ contentType: "text/html", body: PAGE }));
  await page.route(`${run.url}/program/client.mjs`, (route) =>
    route.fulfill({ contentType: "text/javascript", body: code }),
  );
  await page.goto(`${run.url}/program/`);
  return page;
}

/** Returns the result of a module script in the page. */
const runInPage = (page: Page, program: string): Promise<unknown> =>
  page.evaluate(`import("/program/client.mjs").then(async (crier) => { ${program} })`);

it("signs up, lists, uploads with progress, publishes, reads an event and exports from a page of the service", async () => {
  const page = await openServicePage();
  const picture = makePng(600, 600, 3).toString("base64");
  const outcome = await runInPage(
    page,
    `const url = location.origin;
    const { createClient, events, exported, finished, upload } = crier;
    const nobody = createClient({ url, key: null });
    const account = { email: "page@example.com", password: "correct horse" };
    const { workspaces: [{ id: workspace }] } = (await nobody.call("accounts.sign-up", { body: account })).body;
    // From here on, the browser's cookie authenticates the calls.
    const person = createClient({ url, key: null, workspace });
    const credentials = { bot_token: "123456789:" + "A".repeat(35), chat_id: "@program" };
    const { body: channel } = await person.call("channels.connect", { body: { platform: "telegram", handle: "@program", credentials } });
    const { body: { channels } } = await person.call("channels.list");
    const blob = await (await fetch("data:image/png;base64,${picture}")).blob();
    const sent = [];
    let arrived = 0;
    const progress = { sent: (bytes) => sent.push(bytes), arrived: () => arrived++ };
    const media = await upload(person, blob, { alt: "A gradient", progress });
    const { body: post } = await person.call("posts.create", { body: { text: "Hello", channels: [channel.id], media: [media] } });
    const { status } = await finished(person, post.id);
    const { body: { events: [event] } } = await person.call("events.list");
    const lines = [];
    for await (const line of exported(person)) lines.push(line.type);
    return { channels: channels.length, sent, size: blob.size, arrived, status, event: event.event, lines };`,
  );
  expect(outcome).toMatchObject({
    channels: 1,
    arrived: 1,
    status: "published",
    event: "delivery.succeeded",
    lines: ["workspace", "channel", "slots", "media", "post", "event", "audit", "audit"],
  });
  const { sent: sentBytes, size } = Object(outcome);
  expect(sentBytes.at(0)).toBe(0);
  expect(sentBytes.at(-1)).toBe(size);
});

it("reads only public data from a page of another origin", async () => {
  const server = createServer(({ url }, response) => {
    const isCode = url === "/program/client.mjs";
    response.writeHead(200, { "content-type": isCode ? "text/javascript" : "text/html" }).end(isCode ? code : PAGE);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  try {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/program/`);
    const outcome = await runInPage(
      page,
      `const client = crier.createClient({ url: "${run.url}", key: null, pause: async () => {} });
      const { body: { platforms } } = await client.call("platforms.list");
      const refused = await client.call("channels.list", { query: { limit: 1 } }).catch((error) => error.name);
      return { platforms: platforms.length, refused };`,
    );
    expect(outcome).toEqual({ platforms: 10, refused: "NoAnswer" });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
