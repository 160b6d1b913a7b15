// Every page of the dashboard in every state: full, loading, empty, failed and refused.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  expectAccessible,
  expectAccessibleInAll,
  expectAccessibleInOne,
  expectPlainWords,
  LOOK_COUNTS,
  untilLoaded,
} from "./browsing.ts";
import { signInAs, signUpAs, useDemoWithMail } from "./people.ts";

const { demo, addMember } = useDemoWithMail();

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
  ...["workspace", "members", "keys", "webhooks", "agents", "audit", "notifications", "account", "security"].map(
    (section) => `/settings/${section}`,
  ),
];

/** Checks each page once it is in the expected state: full pages in all looks, other pages in one. Returns the number of checks. */
async function checkPages(
  page: Page,
  pages: string[],
  isReady: () => Promise<unknown>,
  state: "full" | "other" = "other",
): Promise<number> {
  let looks = 0;
  for (const [turn, path] of pages.entries()) {
    await page.goto(path);
    await page.locator("h1").waitFor();
    await isReady();
    await expectPlainWords(page);
    await (state === "full" ? expectAccessibleInAll(page) : expectAccessibleInOne(page, turn));
    looks += state === "full" ? LOOK_COUNTS.all : LOOK_COUNTS.one;
  }
  return looks;
}

describe.concurrent("every page, narrow and wide, light and dark, and at 400 %", () => {
  it("is accessible when it is full", async () => {
    const { page, faults, close } = await demo.visit();
    const { posts } = await demo.get<{ posts: { id: string }[] }>("/v1/posts?status=published&limit=1");
    const pages = [...PAGES, `/posts/${posts[0]?.id}`, `/compose?copy=${posts[0]?.id}`];
    expect(await checkPages(page, pages, () => untilLoaded(page), "full")).toBe(22 * LOOK_COUNTS.all);
    expect(faults).toEqual([]);
    await close();
  });

  it("is accessible and says so while it is loading", async () => {
    const { page, faults, close } = await demo.visit();
    let answer = () => {};
    const answerReady = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/v1/**", async (route) => {
      if (!route.request().url().endsWith("/v1/auth/me")) await answerReady;
      await route.continue().catch(() => {});
    });
    // These pages show data that is already known.
    const pagesWithData = [
      "/compose",
      "/posts",
      "/calendar",
      "/import",
      "/settings/account",
      "/settings/notifications",
    ];
    const looks = await checkPages(page, PAGES, async () => {
      const path = new URL(page.url()).pathname;
      if (!pagesWithData.includes(path)) await page.getByText(": loading").first().waitFor({ state: "attached" });
    });
    expect(looks).toBe(20 * LOOK_COUNTS.one);
    answer();
    expect(faults).toEqual([]);
    await close();
  });

  it("describes its future content when it is empty", async () => {
    const empty = { email: "empty@example.com", password: "correct horse battery staple" };
    const { page, faults, close } = await signUpAs(demo, empty);
    expect(await checkPages(page, PAGES, () => untilLoaded(page))).toBe(20 * LOOK_COUNTS.one);
    expect(faults).toEqual([]);
    await close();
  });

  it("shows a message when there is no answer", async () => {
    const { page, faults, close } = await demo.visit();
    await page.route("**/v1/**", (route) =>
      route.request().url().endsWith("/v1/auth/me") ? route.continue() : route.abort(),
    );
    // The local run sends no mail, so it has no notifications.
    const pagesWithoutReads = ["/import", "/settings/account", "/settings/notifications"];
    const looks = await checkPages(page, PAGES, async () => {
      if (!pagesWithoutReads.includes(new URL(page.url()).pathname)) await page.getByRole("alert").first().waitFor();
    });
    expect(looks).toBe(20 * LOOK_COUNTS.one);
    expect(faults.filter((fault) => !fault.includes("ERR_FAILED"))).toEqual([]);
    await close();
  });

  it("names the role that may open it when it is refused", async () => {
    const viewer = { email: "viewer@example.com", password: "correct horse battery staple" };
    const { workspace } = await addMember(viewer, "viewer");
    const { page, faults, close } = await signInAs(demo, viewer, workspace.name);
    await page.getByText("Viewer ·").waitFor();
    const roleMessage = page.getByText(/^Only .*(owners) can .+\. You're a viewer\.$/);
    // A viewer reads these pages, and manages their own account.
    const open = ["/", "/calendar", "/posts", "/activity", "/analytics"];
    const ownSettings = ["agents", "notifications", "account", "security"].map((section) => `/settings/${section}`);
    const looks = await checkPages(page, [...PAGES, "/posts/post_00000000000000000000000000"], async () => {
      await untilLoaded(page);
      const { pathname } = new URL(page.url());
      if (pathname.startsWith("/posts/")) return page.getByRole("alert").waitFor();
      const isRefused = (await roleMessage.count()) > 0;
      expect({ pathname, isRefused }).toEqual({ pathname, isRefused: ![...open, ...ownSettings].includes(pathname) });
    });
    expect(looks).toBe(21 * LOOK_COUNTS.one);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("the pages outside the dashboard, at three widths, light and dark, and at 400 %", () => {
  it("are accessible, and link to one another", async () => {
    const { page, faults, close } = await demo.open();
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
    await close();
  });
});

describe("the pages of the networks, at three widths, light and dark, and at 400 %", () => {
  it("are accessible, and link back", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto(demo.run.simulators);
    await page.getByRole("article").first().waitFor();
    await expectAccessibleInAll(page);
    await page.getByRole("link", { name: "Back to Crier" }).click();
    await page.getByRole("heading", { name: "Welcome, Demo" }).waitFor();
    // The consent pages of these networks have different forms.
    for (const platform of ["linkedin", "facebook", "tiktok", "youtube"]) {
      await page.goto("/channels");
      await page.getByRole("button", { name: new RegExp(`^Connect ${platform}\\b`, "i") }).click();
      await page.waitForURL((url) => url.origin === demo.run.simulators);
      await expectAccessibleInAll(page);
      await page.getByRole("button", { name: /^(Deny|Cancel)$/ }).click();
      await page.waitForURL((url) => url.origin === demo.run.url);
      await page.getByRole("alert").waitFor();
    }
    expect(faults).toEqual([]);
    await close();
  });
});

/**
 * Removes operations that consist of the same kinds of elements as earlier ones, because axe applies the same rules
 * to them.
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
  it("is accessible", async () => {
    const { page, faults, close } = await demo.open();
    await page.goto("/docs");
    // Checks the name of every operation before most of them are removed.
    const names = await page.locator("main .operation h3").allTextContents();
    expect(names.filter((name) => name.trim() === "")).toEqual([]);
    await page.locator(".operation:not(.laid)").first().waitFor({ state: "detached" });
    await page.setViewportSize({ width: 412, height: 823 });
    await expectAccessible(page, ["target-size"]);
    const { all: totalCount, left: remainingCount } = await page.evaluate<{ all: number; left: number }>(
      LEAVE_ONE_OF_EACH,
    );
    expect(totalCount).toBeGreaterThan(100);
    expect(remainingCount).toBeLessThan(20);
    await expectAccessibleInAll(page);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("a call from the documentation of the API", () => {
  it("is found by its words, and uses the session of the signed-in user", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/docs");
    await page.getByLabel("Search calls and fields").fill("get post deliveries");
    await page.getByRole("navigation").getByRole("link", { name: "Get a post with its deliveries" }).click();
    const section = '[id="posts.list"]';
    const call = page.locator(section);
    await call.getByRole("button", { name: "Try it" }).click();
    await call.getByLabel("Without a key: as demo@crier.example, in").selectOption({ label: "Demo" });
    await call.getByRole("button", { name: "Send GET" }).click();
    await call.getByText("200 OK").waitFor();
    await call.getByRole("figure").filter({ hasText: '"posts": [' }).last().waitFor();
    await expectAccessible(page, ["label", "select-name", "color-contrast"], section);
    expect(faults).toEqual([]);
    await close();
  });
});
