// `npm run bench:calendar`: how long the dashboard's calendar keeps the browser busy in a month with many posts, by user action. A
// real browser at its full speed against a local worker.
//   --posts 1000   posts in the shown month
//   --rounds 5     each in a new page
//   --width 1280   width of the page
//   --url ...      an existing local run
//   --profile ...  a folder for a CPU profile of each step of the last round (`.cpuprofile`)
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, CDPSession, Locator, Page } from "playwright-core";
import { freePort } from "../../scripts/local/ports.ts";
import { startWorker } from "../../scripts/local/worker-process.ts";
import { startSimulators } from "../../simulators/server.ts";
import { launchBrowser } from "../support/browser.ts";
import { median } from "./lateness.ts";

const { values } = parseArgs({
  options: {
    posts: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    width: { type: "string", default: "1280" },
    url: { type: "string" },
    profile: { type: "string" },
  },
});
const POSTS = Number(values.posts);
const ROUNDS = Number(values.rounds);
const IMPORTED_AT_ONCE = 100;
/** A step is over after the page has been idle for this long. */
const QUIET_MS = 400;

const now = new Date();
/** Next month, because posts are in the future. The browser's clock is set to it. */
const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
const monthEnd = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 1));
const BROWSER_AHEAD_MS = month.getTime() + 9.4 * 86_400_000 - now.getTime();

/** Signs up, and returns a page that is signed in to a workspace with the posts. */
async function prepare(browser: Browser, url: string): Promise<string> {
  const page = await browser.newPage({ baseURL: url });
  const account = { email: `calendar-${Date.now()}@crier.example`, password: "correct horse battery" };
  const send = async (path: string, body: object | string, type = "application/json") => {
    const headers = { "content-type": type, origin: url };
    const answer = await page.request.post(path, { headers, data: body });
    const answerBody = await answer.json();
    if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${JSON.stringify(answerBody).slice(0, 300)}`);
    return answerBody;
  };
  const { token, workspaces } = await send("/v1/auth/signup", account);
  const { key } = await (
    await page.request.get(`/v1/workspaces/${workspaces[0].id}/key`, { headers: { authorization: `Bearer ${token}` } })
  ).json();
  const headers = { authorization: `Bearer ${key}` };
  const connected = await page.request.post("/v1/channels", {
    headers,
    data: {
      platform: "telegram",
      handle: "@calendar",
      credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: "@calendar" },
    },
  });
  const { id: channel } = await connected.json();
  const step = (monthEnd.getTime() - month.getTime()) / POSTS;
  for (let first = 0; first < POSTS; first += IMPORTED_AT_ONCE) {
    const rows = Array.from({ length: Math.min(IMPORTED_AT_ONCE, POSTS - first) }, (_, i) => {
      const publish_at = new Date(month.getTime() + Math.floor((first + i) * step)).toISOString();
      const text = `Post ${first + i}: the engine weaves patterns, just as the loom weaves leaves`;
      return JSON.stringify({ text, channels: [channel], publish_at });
    });
    const answer = await page.request.post("/v1/posts/import", {
      headers: { ...headers, "content-type": "application/x-ndjson" },
      data: `${rows.join("\n")}\n`,
    });
    const { created } = await answer.json();
    if (created !== rows.length) throw new Error(`${answer.status()} ${(await answer.text()).slice(0, 600)}`);
  }
  // The browser is signed in after the sign-up.
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: /^Welcome/ }).waitFor();
  const state = join(folder, "browser.json");
  await page.context().storageState({ path: state });
  await page.context().close();
  return state;
}

/** The cost of one step: its longest task, and the time of all tasks, scripts and layout on the page's thread. */
interface Cost {
  longest: number;
  tasks: number;
  script: number;
  layout: number;
}
type Round = Map<string, Cost>;

/** Runs in the page: collects tasks of 50 ms or more, and moves the clock. */
const WATCH = `
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
  {
    const Real = Date;
    globalThis.Date = class Date extends Real {
      constructor(...given) { if (given.length === 0) super(Real.now() + ${BROWSER_AHEAD_MS}); else super(...given); }
      static now() { return Real.now() + ${BROWSER_AHEAD_MS}; }
    };
  }
`;

async function metrics(cdp: CDPSession): Promise<Record<string, number>> {
  const answer = await cdp.send("Performance.getMetrics");
  return Object.fromEntries(answer.metrics.map(({ name, value }) => [name, value * 1_000]));
}

async function waitUntilQuiet(page: Page, cdp: CDPSession): Promise<void> {
  await page.waitForLoadState("networkidle");
  for (let before = -1; ; ) {
    const { TaskDuration = 0 } = await metrics(cdp);
    if (before >= 0 && TaskDuration - before < QUIET_MS / 20) return;
    before = TaskDuration;
    await page.waitForTimeout(QUIET_MS);
  }
}

async function runRound(browser: Browser, url: string, storageState: string, profile: string | null): Promise<Round> {
  const width = Number(values.width);
  const viewport = { width, height: 900 };
  const context = await browser.newContext({ baseURL: url, viewport, storageState });
  await context.addInitScript(WATCH);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Performance.enable");
  await cdp.send("Profiler.enable");
  await cdp.send("Profiler.setSamplingInterval", { interval: 200 });
  const round: Round = new Map();
  let before = await metrics(cdp);

  const step = async (name: string, act: () => Promise<unknown>) => {
    if (profile !== null) await cdp.send("Profiler.start");
    await act();
    await waitUntilQuiet(page, cdp);
    if (profile !== null) {
      const { profile: recorded } = await cdp.send("Profiler.stop");
      await writeFile(join(profile, `${name.replaceAll(" ", "-")}.cpuprofile`), JSON.stringify(recorded));
    }
    const after = await metrics(cdp);
    const longest: number = await page.evaluate("Math.max(0, ...longTasks.splice(0))");
    const spent = (metric: string) => (after[metric] ?? 0) - (before[metric] ?? 0);
    const layout = spent("LayoutDuration") + spent("RecalcStyleDuration");
    round.set(name, { longest, tasks: spent("TaskDuration"), script: spent("ScriptDuration"), layout });
    before = after;
  };

  const press = (name: string) => page.locator(".calendar button", { hasText: new RegExp(`^${name}$`) }).click();
  const events = page.locator(".calendar .event");
  const scroll = async () => {
    await page.mouse.move(width / 2, 500);
    for (const direction of [1, -1]) {
      for (let i = 0; i < 20; i++) {
        await page.mouse.wheel(0, direction * 400);
        await page.waitForTimeout(30);
      }
    }
  };
  const drag = async (entry: Locator, target: Locator, name: string) => {
    await entry.scrollIntoViewIfNeeded();
    const [from, to] = [await entry.boundingBox(), await target.boundingBox()];
    if (from === null || to === null) throw new Error("there is nothing to drag");
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await step(`${name}: drag start`, () =>
      page.mouse.move(from.x + from.width / 2 + 6, from.y + from.height / 2 + 6, { steps: 3 }),
    );
    await step(`${name}: drag over`, () =>
      page.mouse.move(to.x + to.width / 2, to.y + Math.min(to.height / 2, 60), { steps: 12 }),
    );
    await step(`${name}: drop`, async () => {
      await page.mouse.up();
      await page.getByText(/^Moved to/).waitFor();
    });
    await step(`${name}: undo`, async () => {
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("Moved back").waitFor();
    });
    await page.getByText("Moved back").waitFor({ state: "detached" });
    await step(`(${name}: wait)`, () => Promise.resolve());
  };
  const getDay = (day: number) => new Date(month.getTime() + day * 86_400_000).toISOString().slice(0, 10);
  const cell = (day: number) => page.locator(`[data-date="${getDay(day)}"]`).first();

  await step("load", async () => {
    await page.goto("/calendar");
    await events.first().waitFor();
  });
  if (width < 768) {
    await step("agenda: scroll", scroll);
    await step("view month", () => press("Month"));
  }
  await step("month: scroll", scroll);
  await drag(page.locator(`[data-date="${getDay(8)}"] .event`).first(), cell(10), "month");
  await step("view week", () => press("Week"));
  await step("week: scroll", scroll);
  await step("view agenda", () => press("Agenda"));
  await step("agenda: scroll again", scroll);
  await step("view month again", () => press("Month"));
  const pressNavigation = (name: RegExp) => page.getByRole("button", { name }).first().click();
  await step("next month", () => pressNavigation(/^next/i));
  await step("month before", () => pressNavigation(/^prev/i));
  await context.close();
  return round;
}

const folder = await mkdtemp(join(tmpdir(), "crier-calendar-"));
const simulators = await startSimulators({ port: 0 });
const browser = await launchBrowser();
let stop: () => Promise<void> = () => Promise.resolve();
try {
  let { url } = values;
  if (url === undefined) {
    const worker = await startWorker({ port: await freePort(), sandboxUrl: simulators.url, stateFolder: folder });
    stop = () => worker.stop();
    url = worker.url;
  }
  const state = await prepare(browser, url);
  if (values.profile !== undefined) await mkdir(values.profile, { recursive: true });
  const rounds: Round[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const isLast = i === ROUNDS - 1;
    rounds.push(await runRound(browser, url, state, isLast && values.profile !== undefined ? values.profile : null));
  }
  console.log(
    `${POSTS} posts in a month, a page ${values.width} wide, ${ROUNDS} rounds; in ms; 0: no task of 50 ms or more`,
  );
  console.log(
    "| step | longest task: median | maximum | all tasks: median | script | layout |\n|---|---|---|---|---|---|",
  );
  for (const name of rounds[0]?.keys() ?? []) {
    if (name.startsWith("(")) continue;
    const costs = rounds.flatMap((results) => results.get(name) ?? []);
    const getMedian = (getValue: (cost: Cost) => number) => Math.round(median(costs.map(getValue)));
    const maximum = Math.round(Math.max(...costs.map(({ longest }) => longest)));
    console.log(
      `| ${name} | ${getMedian(({ longest }) => longest)} | ${maximum} | ${getMedian(({ tasks }) => tasks)} | ${getMedian(({ script }) => script)} | ${getMedian(({ layout }) => layout)} |`,
    );
  }
} finally {
  await browser.close();
  await stop();
  await simulators.close();
  await rm(folder, { recursive: true, force: true });
}
