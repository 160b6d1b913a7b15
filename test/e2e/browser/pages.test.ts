// Every page of the dashboard in every state that it can be in: full, loading, empty, failed, refused.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { json, type Run, stopAll } from "../local/running.ts";
import {
  demoOf,
  expectAccessible,
  expectAccessibleInAll,
  expectAccessibleInSome,
  faultsOf,
  LOOKS,
  visit,
} from "./browsing.ts";
import { openBrowser, signInAs, startWithMail } from "./people.ts";

type Started = Awaited<ReturnType<typeof startWithMail>>;

let run: Run;
let browser: Browser;
let key: string;
let started: Started;

beforeAll(async () => {
  started = await startWithMail();
  ({ run, browser, key } = started);
});
afterAll(async () => {
  await browser?.close();
  await stopAll();
  await started?.closeMail();
});

const PAGES = [
  "/",
  "/compose",
  "/calendar",
  "/posts",
  "/channels",
  "/slots",
  "/approvals",
  "/media",
  "/activity",
  "/analytics",
  "/import",
  ...["workspace", "members", "keys", "webhooks", "agents", "notifications", "account"].map(
    (part) => `/settings/${part}`,
  ),
];

/** Looks at each page once it is as it shall be: a full one in all sizes and colours, the others in some. Counts. */
async function lookAtAll(
  page: Page,
  pages: string[],
  isReady: () => Promise<unknown>,
  state: "full" | "other" = "other",
): Promise<number> {
  let looks = 0;
  for (const path of pages) {
    await page.goto(path);
    await page.locator("h1").waitFor();
    await isReady();
    await (state === "full" ? expectAccessibleInAll : expectAccessibleInSome)(page);
    looks += state === "full" ? LOOKS.all : LOOKS.some;
  }
  return looks;
}
const isLoaded = (page: Page) => async () => {
  await page.waitForLoadState("networkidle");
  expect(await page.getByRole("status").filter({ hasText: "is loading" }).count()).toBe(0);
};

describe.concurrent("every page, light and dark, at all widths and at 400 %", () => {
  it("full, has nothing that somebody stumbles over", async () => {
    const { page, faults, close } = await visit(browser, run);
    const { posts } = await json<{ posts: { id: string }[] }>(`${run.url}/v1/posts?status=published&limit=1`, key);
    const pages = [...PAGES, `/posts/${posts[0]?.id}`, `/compose?copy=${posts[0]?.id}`];
    expect(await lookAtAll(page, pages, isLoaded(page), "full")).toBe(20 * LOOKS.all);
    expect(faults).toEqual([]);
    await close();
  });

  it("loading, says so and stands where it will stand", async () => {
    const { page, faults, close } = await visit(browser, run);
    let answer = () => {};
    const held = new Promise<void>((settle) => {
      answer = settle;
    });
    await page.route("**/v1/**", async (route) => {
      if (!route.request().url().endsWith("/v1/auth/me")) await held;
      await route.continue().catch(() => {});
    });
    // These show what is known already.
    const known = ["/compose", "/posts", "/calendar", "/import", "/settings/account"];
    const looks = await lookAtAll(page, PAGES, async () => {
      const path = new URL(page.url()).pathname;
      if (!known.includes(path)) await page.getByText("is loading").first().waitFor({ state: "attached" });
    });
    expect(looks).toBe(18 * LOOKS.some);
    answer();
    expect(faults).toEqual([]);
    await close();
  });

  it("empty, says what there will be", async () => {
    const page = await openBrowser(browser, run.url);
    const faults = faultsOf(page, run);
    await page.goto("/auth/sign-up");
    await page.getByLabel("Email").fill("empty@example.com");
    await page.getByLabel("Password").fill("correct horse battery staple");
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByRole("heading", { name: /^Welcome/ }).waitFor();
    expect(await lookAtAll(page, PAGES, isLoaded(page))).toBe(18 * LOOKS.some);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("without an answer, says so in its place", async () => {
    const { page, faults, close } = await visit(browser, run);
    await page.route("**/v1/**", (route) =>
      route.request().url().endsWith("/v1/auth/me") ? route.continue() : route.abort(),
    );
    const looks = await lookAtAll(page, PAGES, async () => {
      if (new URL(page.url()).pathname !== "/import") await page.getByRole("alert").first().waitFor();
    });
    expect(looks).toBe(18 * LOOKS.some);
    expect(faults.filter((fault) => !fault.includes("ERR_FAILED"))).toEqual([]);
    await close();
  });

  it("refused, says who may", async () => {
    const viewer = { email: "viewer@example.com", password: "correct horse battery staple" };
    const { email, password } = await demoOf(run);
    const owner = await started.sessionOf("login", { email, password });
    const person = await started.sessionOf("signup", viewer);
    const { workspaces } = await json<{ workspaces: { id: string; name: string }[] }>(`${run.url}/v1/auth/me`, owner);
    const { id = "", name = "" } = workspaces[0] ?? {};
    const { invitation } = await started.call<{ invitation: { id: string } }>(
      "POST",
      `/v1/workspaces/${id}/members`,
      owner,
      { email: viewer.email },
    );
    const { text } = await started.mailTo(viewer.email, "/invitation?token=");
    const token = /token=([\w-]{43})/.exec(text)?.[1];
    await started.call("POST", `/v1/invitations/${invitation.id}/accept`, person, { token });
    const page = await signInAs(browser, run.url, viewer, name);
    const faults = faultsOf(page, run);
    await page.getByText("viewer ·").waitFor();
    const why = page.getByText(/^Only an? (author|publisher|owner) may .+\. Your role here is viewer\.$/);
    // They read what everybody may read, and keep their own account.
    const open = ["/", "/calendar", "/posts", "/activity", "/analytics"];
    const own = ["agents", "notifications", "account"].map((part) => `/settings/${part}`);
    const looks = await lookAtAll(page, [...PAGES, "/posts/post_00000000000000000000000000"], async () => {
      await page.waitForLoadState("networkidle");
      const { pathname } = new URL(page.url());
      if (pathname.startsWith("/posts/")) return page.getByRole("alert").waitFor();
      const isRefused = (await why.count()) > 0;
      expect({ pathname, isRefused }).toEqual({ pathname, isRefused: ![...open, ...own].includes(pathname) });
    });
    expect(looks).toBe(19 * LOOKS.some);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe("the pages outside, at three widths, light and dark, and at 400 %", () => {
  it("have nothing that somebody stumbles over, and lead to one another", async () => {
    const page = await openBrowser(browser, run.url);
    const faults = faultsOf(page, run);
    const pages = [
      "/",
      "/auth",
      "/auth?error=access_denied",
      "/auth/sign-up",
      "/auth/forgot",
      "/auth/reset?token=none",
      "/auth/verify?token=none",
      "/invitation?token=none",
      "/review/none",
      "/unsubscribe/none",
      "/connect/none",
      "/oauth/authorize",
    ];
    for (const path of pages) {
      await page.goto(path);
      await expectAccessibleInAll(page);
      expect(await page.getByRole("link").count(), path).toBeGreaterThan(0);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe("the pages of the networks, at three widths, light and dark, and at 400 %", () => {
  it("have nothing that somebody stumbles over, and lead back", async () => {
    const { page, faults, close } = await visit(browser, run);
    await page.goto(run.simulators);
    await page.getByRole("article").first().waitFor();
    await expectAccessibleInAll(page);
    await page.getByRole("link", { name: "Back to Crier" }).click();
    await page.getByRole("heading", { name: "Welcome, Demo" }).waitFor();
    // Each of these has a consent page with a form of its own.
    for (const platform of ["linkedin", "facebook", "tiktok", "youtube"]) {
      await page.goto("/channels");
      await page.getByRole("button", { name: new RegExp(`^Connect ${platform}\\b`, "i") }).click();
      await page.getByRole("button", { name: `Continue to ${platform}` }).click();
      await page.waitForURL(/\/connect\//);
      await page.getByRole("button", { name: `Continue to ${platform}` }).click();
      await page.waitForURL((url) => url.origin === run.simulators);
      await expectAccessibleInAll(page);
      await page.getByRole("button", { name: /^(Deny|Cancel)$/ }).click();
      await page.waitForURL((url) => url.origin === run.url);
      await page.getByRole("alert").waitFor();
    }
    expect(faults).toEqual([]);
    await close();
  });
});

/**
 * Leaves of the operations those that have an element which none before them has: the others are made of the same, and axe
 * asks of each element what it asks of its like.
 */
const LEAVE_ONE_OF_EACH = `(() => {
  const kinds = (section) =>
    [...section.querySelectorAll("*")].map((one) => [one.parentElement, one].map((it) => it.tagName + "." + it.className).join(" > "));
  const known = new Set();
  const all = document.querySelectorAll("main .operation");
  for (const section of all) {
    const fresh = kinds(section).filter((kind) => !known.has(kind));
    if (fresh.length === 0) section.remove();
    for (const kind of fresh) known.add(kind);
  }
  return { all: all.length, left: document.querySelectorAll("main .operation").length };
})()`;

describe("the documentation of the API, on a phone, wide, and at 400 %", () => {
  it("has nothing that somebody stumbles over", async () => {
    const page = await openBrowser(browser, run.url);
    const faults = faultsOf(page, run);
    await page.goto("/docs");
    // Every operation by its name, before most of them go.
    const names = await page.locator("main .operation h3").allTextContents();
    expect(names.filter((name) => name.trim() === "")).toEqual([]);
    await page.locator(".operation:not(.laid)").first().waitFor({ state: "detached" });
    await page.setViewportSize({ width: 412, height: 823 });
    await expectAccessible(page, ["target-size"]);
    const { all, left } = await page.evaluate<{ all: number; left: number }>(LEAVE_ONE_OF_EACH);
    expect(all).toBeGreaterThan(100);
    expect(left).toBeLessThan(20);
    await expectAccessibleInSome(page);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe("a call from the documentation of the API", () => {
  it("is found by its words, and made by the session of who is signed in", async () => {
    const { page, faults, close } = await visit(browser, run);
    await page.goto("/docs");
    await page.getByLabel("Search calls and fields").fill("one post deliveries");
    await page.getByRole("navigation").getByRole("link", { name: "One post with its deliveries" }).click();
    const call = page.locator('[id="posts.list"]');
    await call.getByRole("button", { name: "Try it" }).click();
    await call.getByLabel("Without a key: as demo@crier.example, in").selectOption({ label: "Demo" });
    await call.getByRole("button", { name: "Send GET" }).click();
    await call.getByText("200 OK").waitFor();
    await call.getByRole("figure").filter({ hasText: '"posts": [' }).last().waitFor();
    await expectAccessible(page, ["label", "select-name", "color-contrast"]);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("the activity", () => {
  it("shows what went out within three seconds, without a press, and by whom", async () => {
    const { page, faults, close } = await visit(browser, run);
    await page.clock.install();
    await page.goto("/activity");
    const rows = page.getByRole("region", { name: "Events" }).getByRole("listitem");
    await rows.first().waitFor();
    const { channels } = await json<{ channels: { id: string; platform: string }[] }>(`${run.url}/v1/channels`, key);
    const to = channels.filter(({ platform }) => platform === "bluesky").map(({ id }) => id);
    // From here on the page has the time that it is given.
    await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
    const post = await json<{ id: string }>(`${run.url}/v1/posts`, key, { text: "News", channels: to });
    await eventually(async () => {
      const feed = await json<{ events: object[] }>(`${run.url}/v1/events?post=${post.id}`, key);
      expect(feed.events).toHaveLength(1);
    });
    const look = page.waitForRequest(/\/v1\/events\?/, { timeout: 5_000 });
    await page.clock.runFor(3_000);
    await look;
    await page.clock.resume();
    const row = rows.filter({ has: page.locator(`a[href="/posts/${post.id}"]`) });
    await row.getByText("by Workspace key").waitFor();
    await expectAccessible(page);

    const by = page.getByRole("combobox", { name: "By" });
    await by.selectOption({ label: "Workspace key" });
    await page.getByRole("link", { name: "Their posts" }).click();
    await page.locator(`a[href="/posts/${post.id}"]`).first().waitFor();
    await page.getByRole("link", { name: "What they did" }).click();
    await row.waitFor();
    await expectAccessible(page);
    expect(faults).toEqual([]);
    await close();
  });
});
