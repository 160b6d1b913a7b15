// A person at the dashboard of a local run, and what must be true of every page that they see.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { launchBrowser } from "../../support/browser.ts";
import { eventually } from "../../support/eventually.ts";
import { type Run, start } from "../local/running.ts";

export interface Visit {
  page: Page;
  /** What no page may do: errors in the console, breaches of the policy, requests to other hosts. */
  faults: string[];
  close(): Promise<void>;
}

/** What Chromium itself says of every answer of 400 and above, as a refused dry run is. */
const ANSWER = /^Failed to load resource: the server responded with a status of 4\d\d/;

interface Account {
  email: string;
  password: string;
  key: string;
}
export const demoOf = async ({ state }: Run): Promise<Account> =>
  JSON.parse(await readFile(join(state, "demo.json"), "utf8"));

/** A local run whose demo is live on all networks, the key of that, and a browser. `stopAll` ends the run. */
export async function startDemo(settings: Record<string, string> = {}) {
  const run = await start(settings);
  await eventually(() => expect(run.output()).toMatch(/youtube\s+live/));
  const { key } = await demoOf(run);
  return { run, key, browser: await launchBrowser() };
}

/** Opens a browser of its own, signed in as the demo. */
export async function visit(browser: Browser, run: Run, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, baseURL: run.url, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !ANSWER.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "blob:" && origin !== run.url && origin !== run.simulators) faults.push(request.url());
  });
  await page.goto("/");
  await page.getByRole("button", { name: "Sign in as the demo" }).click();
  await page.getByRole("heading", { name: "Welcome, Demo" }).waitFor();
  return { page, faults, close: () => context.close() };
}

/** Nothing that a person with another way to read or to press would stumble over. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
  ).toEqual([]);
  expect(await page.locator("h1").count()).toBe(1);
  expect(await page.locator("main").count()).toBe(1);
}
