// The local run of a browser test, its demo account, calls to its API as the demo's workspace, and its browsers.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import type * as z from "zod";
import type { Channel } from "../../../src/contract/channels.ts";
import type { Post } from "../../../src/contract/post-shapes.ts";
import { launchBrowser } from "../../support/browser.ts";
import { eventually, PATIENCE_MS } from "../../support/eventually.ts";
import { json, type Run, start, stopAll } from "../local/running.ts";

export type PostBody = z.output<typeof Post>;
type ChannelBody = z.output<typeof Channel>;

export interface Visit {
  page: Page;
  /** Errors in the console, violations of the content security policy, and requests to other hosts. No page may have any. */
  faults: string[];
  close(): Promise<void>;
}

/** Chromium's own message about every answer with a status of 400 or above, for example a refused dry run. */
const ANSWER = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** Collects the faults of a page from now on. */
function collectFaults(page: Page, run: Run): string[] {
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !ANSWER.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "blob:" && origin !== run.url && origin !== run.simulators) faults.push(request.url());
  });
  return faults;
}

/** The demo account, and the key of its workspace. */
interface Account {
  email: string;
  password: string;
  key: string;
}
interface Started {
  run: Run;
  browser: Browser;
  account: Account;
  channels: ChannelBody[];
}

/** Starts a local run and a browser, and waits until the demo posts are live on all networks. `stopAll` ends the run. */
async function startDemo(settings: Record<string, string>): Promise<Started> {
  const run = await start(settings);
  await eventually(() => expect(run.output()).toMatch(/youtube\s+live/));
  const account: Account = JSON.parse(await readFile(join(run.state, "demo.json"), "utf8"));
  const { channels } = await json<{ channels: ChannelBody[] }>(`${run.url}/v1/channels`, account.key);
  return { run, account, channels, browser: await launchBrowser() };
}

export type Demo = ReturnType<typeof useDemo>;

/** Keeps a run for all tests of a file. `settings` is called when the run starts. */
export function useDemo(settings: () => Record<string, string> = () => ({})) {
  let running: Started | undefined;
  const started = (): Started => running ?? expect.fail("the run has not started");
  beforeAll(async () => {
    running = await startDemo(settings());
  });
  afterAll(async () => {
    await running?.browser.close();
    await stopAll();
  });

  /** Calls the API with the workspace's key. */
  const get = <Body>(path: string): Promise<Body> => json<Body>(`${started().run.url}${path}`, started().account.key);

  /** Opens a separate browser without a session. */
  async function open(options: BrowserContextOptions = {}): Promise<Visit> {
    const { browser, run } = started();
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      baseURL: run.url,
      locale: "en-GB",
      // Drawing a transition takes more time than a test spends on all else.
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    return { page, faults: collectFaults(page, run), close: () => context.close() };
  }

  return {
    get run(): Run {
      return started().run;
    },
    get browser(): Browser {
      return started().browser;
    },
    get account(): Account {
      return started().account;
    },
    get key(): string {
      return started().account.key;
    },
    /** The channels at the start of the run. */
    get channels(): ChannelBody[] {
      return started().channels;
    },
    /** The id of the demo's channel on a network. */
    getChannelId: (platform: string): string =>
      started().channels.find((channel) => channel.platform === platform)?.id ?? expect.fail(`none on ${platform}`),
    get,
    getPost: (id: string) => get<PostBody>(`/v1/posts/${id}`),
    makePost: (body: object) => json<PostBody>(`${started().run.url}/v1/posts`, started().account.key, body),
    open,
    /** Opens a separate browser that is signed in as the demo. */
    async visit(options?: BrowserContextOptions): Promise<Visit> {
      const visit = await open(options);
      await visit.page.goto("/");
      await visit.page.getByRole("button", { name: "Sign in as the demo" }).click();
      await visit.page.getByRole("heading", { name: "Welcome, Demo" }).waitFor();
      return visit;
    },
  };
}
