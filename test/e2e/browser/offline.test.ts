// The app works offline: its pages open, it says once that it is offline, and it continues by itself.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { expectAccessibleInAll } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

/** The names in the menu, and the headings of the pages. */
const PAGES: Record<string, string> = {
  Compose: "Compose",
  Calendar: "Calendar",
  Posts: "Posts",
  Approvals: "Approvals",
  Inbox: "Inbox",
  Channels: "Channels",
  Media: "Media",
  Analytics: "Analytics",
  Automation: "Slots",
};
/** The beginnings of the names of the pages' files. */
const CHUNKS = ["compose", "calendar", "posts", "approvals", "channels", "slots", "media", "inbox", "analytics"];

const menuLink = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name });

/** Signs in as the demo with a browser that is never idle, so it loads the file of a page only when the page is opened. */
async function visitWithoutPreloading() {
  const visit = await demo.open();
  const { page } = visit;
  await page.addInitScript("window.requestIdleCallback = () => 0;");
  await page.goto("/");
  await page.getByRole("button", { name: "Sign in as the demo" }).click();
  await page.getByRole("heading", { name: "Welcome, Demo" }).waitFor();
  return visit;
}

it("every page of the menu opens offline, with one notice at the top", async () => {
  const { page, close } = await demo.visit();
  await eventually(async () => {
    const files = await page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)");
    const missing = CHUNKS.filter((chunk) => !files.some((file) => file.includes(`/assets/${chunk}-`)));
    expect(missing).toEqual([]);
  });
  await page.context().setOffline(true);
  const notice = page.getByRole("status").filter({ hasText: "You are offline." });
  for (const [name, heading] of Object.entries(PAGES)) {
    await menuLink(page, name).click();
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    expect(await notice.count()).toBe(1);
  }
  await expectAccessibleInAll(page);
  await menuLink(page, "Inbox").click();
  await page.context().setOffline(false);
  await notice.waitFor({ state: "detached" });
  await page.getByRole("region", { name: "Problems" }).getByText("No problems").waitFor();
  await close();
});

it("a page that was not loaded before shows a notice next to the menu, and opens by itself once the browser is online", async () => {
  const { page, close } = await visitWithoutPreloading();
  await page.context().setOffline(true);
  await menuLink(page, "Analytics").click();
  await page.getByRole("heading", { level: 1, name: "This page is not loaded yet" }).waitFor();
  await expectAccessibleInAll(page);
  await page.getByRole("button", { name: "Try again" }).click();
  await menuLink(page, "Home").click();
  await page.getByRole("heading", { name: "Welcome, Demo" }).waitFor();
  await menuLink(page, "Analytics").click();
  await page.getByRole("heading", { level: 1, name: "This page is not loaded yet" }).waitFor();
  await page.context().setOffline(false);
  await page.getByRole("heading", { level: 1, name: "Analytics" }).waitFor();
  await close();
});

it("a link out of the app waits for the network and does not replace the app", async () => {
  const { page, close } = await demo.visit();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: /^Account: / }).click();
  await page.getByRole("menuitem", { name: "API" }).click();
  await page.getByRole("status").filter({ hasText: "This link works when you are back online." }).waitFor();
  await page.getByRole("heading", { name: "Welcome, Demo" }).waitFor();
  await page.context().setOffline(false);
  await page.getByRole("button", { name: /^Account: / }).click();
  await page.getByRole("menuitem", { name: "API" }).click();
  await page.waitForURL("**/docs");
  await close();
});

it("a text that is changed offline is not shown as valid until it has been checked", async () => {
  const { page, close } = await demo.visit();
  await page.goto("/compose");
  await page.getByRole("checkbox", { name: /^bluesky/i }).check();
  const text = page.getByLabel("Text", { exact: true });
  await text.fill("Short enough");
  await page.getByText("Ready for 1 channel").waitFor();
  await page.context().setOffline(true);
  await text.fill("Too long. ".repeat(40));
  await page.getByText("Not checked: you're offline.").waitFor();
  expect(await page.getByText("Ready for 1 channel").count()).toBe(0);
  await page.context().setOffline(false);
  await page.getByText("1 thing to fix").waitFor();
  await close();
});

it("an action that is clicked offline is shown as waiting, and is done once the browser is online", async () => {
  const { page, close } = await demo.visit();
  await page.goto("/settings/workspace");
  await page.getByLabel("Name", { exact: true }).fill("Renamed offline");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Save name and time zone" }).click();
  await page.getByText("Your changes are saved when you are back online.").waitFor();
  await page.context().setOffline(false);
  await page.getByText("Name and time zone saved").waitFor();
  await page.getByRole("button", { name: "Workspace: Renamed offline" }).waitFor();
  await close();
});
