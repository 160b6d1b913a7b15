// `npm run screenshots`: takes the pictures for the documents from a local run with the demo: the dashboard in light and
// dark, and a terminal.
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { startSimulators } from "../simulators/server.ts";
import { launchBrowser } from "../test/support/browser.ts";
import { demoAccount, runDemo } from "./local/demo.ts";
import { simulatorState } from "./local/places.ts";
import { freePort } from "./local/ports.ts";
import { startWorker } from "./local/worker-process.ts";
import { terminalPicture } from "./terminal-picture.ts";

const FOLDER = join(import.meta.dirname, "../docs/pictures");
const SIZE = { width: 1280, height: 800 };
/** The height of a month with six weeks. */
const MONTH = { width: 1280, height: 1160 };
/** Weekly slots, so that the month view is not empty. */
const SLOTS = [
  { weekday: 1, time: "09:30", channels: null },
  { weekday: 3, time: "17:00", channels: null },
  { weekday: 4, time: "08:15", channels: null },
];

/** The name of each picture, and the steps to reach it. */
const PICTURES: Record<string, (page: Page) => Promise<void>> = {
  async composer(page) {
    await page.goto("/compose");
    for (const name of ["bluesky", "x", "telegram"])
      await page.getByRole("checkbox", { name: new RegExp(`^${name} `, "i") }).check();
    await page.getByLabel("Text", { exact: true }).fill(TEXT);
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles(join(import.meta.dirname, "local/demo.jpg"));
    await page.getByLabel(/^Alt text/).fill("Two words on a coloured ground");
    await page.getByText("Ready for 3 channels").waitFor();
  },
  async calendar(page) {
    await page.setViewportSize(MONTH);
    await page.goto("/calendar");
    await page.getByText("This post was scheduled").first().waitFor();
    await page.getByText("free slot").first().waitFor();
  },
  async post(page) {
    await page.setViewportSize(SIZE);
    await page.goto("/posts");
    await page.getByRole("link", { name: /^This post was scheduled/ }).click();
    await page.getByRole("article").first().waitFor();
  },
};
/** The commands in the terminal picture. */
const COMMANDS = [
  ["channels"],
  ["post", "Hello from the terminal #engines", "-c", "bluesky", "-c", "threads", "-c", "x", "--dry-run"],
  ["status"],
];
const TEXT = "The engine weaves algebraical patterns, just as the loom weaves flowers and leaves. #engines";

async function signIn(browser: Browser, url: string, colorScheme: "light" | "dark"): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: url, viewport: SIZE, colorScheme })).newPage();
  await page.goto("/");
  await page.getByRole("button", { name: "Sign in as the demo" }).click();
  await page.getByRole("heading", { name: "Welcome, Demo" }).waitFor();
  return page;
}

const stateFolder = await mkdtemp(join(tmpdir(), "crier-screenshots-"));
const simulators = await startSimulators({ port: await freePort(), stateFolder: simulatorState(stateFolder) });
const { email, password } = await demoAccount(stateFolder);
const worker = await startWorker({
  port: await freePort(),
  sandboxUrl: simulators.url,
  stateFolder,
  settings: { DEMO_EMAIL: email, DEMO_PASSWORD: password },
  signal: new AbortController().signal,
});
try {
  await runDemo(worker.url, simulators.url, stateFolder);
  const { key } = JSON.parse(await readFile(join(stateFolder, "demo.json"), "utf8"));
  const answer = await fetch(`${worker.url}/v1/slots`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ slots: SLOTS }),
  });
  if (!answer.ok) throw new Error(`the slots were answered with ${answer.status}`);
  await mkdir(FOLDER, { recursive: true });
  const browser = await launchBrowser();
  for (const scheme of ["light", "dark"] as const) {
    const page = await signIn(browser, worker.url, scheme);
    for (const [name, go] of Object.entries(PICTURES)) {
      await go(page);
      await page.waitForLoadState("networkidle");
      const path = join(FOLDER, `${name}-${scheme}.png`);
      await page.screenshot({ path, animations: "disabled" });
      console.log(`${path} ${Math.ceil((await stat(path)).size / 1000)} kB`);
    }
  }
  const env = { CRIER_API_KEY: key, CRIER_URL: worker.url, HOME: stateFolder, TZ: "UTC" };
  await writeFile(join(FOLDER, "terminal.svg"), await terminalPicture(COMMANDS, env));
  await browser.close();
} finally {
  await worker.stop();
  await simulators.close();
  await rm(stateFolder, { recursive: true, force: true });
}
