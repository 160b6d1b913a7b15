// A bug in one place, or an unexpected answer, never leaves the user with an empty page.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectAccessibleInAll } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

const WORKSPACE_TIME = /"timezone":"[^"]*"/g;

/** Changes the answers to calls of an address with `change`. */
const changeAnswers = (page: Page, path: string, change: (body: string) => string) =>
  page.route(
    (url) => url.pathname === path,
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: change(await response.text()) });
    },
  );

describe("the command palette", () => {
  it.each(["Escape", "ArrowDown", "Enter"])("leaves the page unchanged after Ctrl-K and %s", async (key) => {
    const { page, faults, close } = await demo.visit();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: /^Home/, selected: true }).waitFor();
    await page.keyboard.press(key);
    if (key === "ArrowDown") {
      await page.getByRole("option", { name: /^Calendar/, selected: true }).waitFor();
      await page.keyboard.press("Escape");
    }
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Welcome, Demo" }).waitFor();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe("an answer that the page does not expect", () => {
  it("shows that the workspace cannot be displayed, and retries when the user presses the button", async () => {
    const { page, close } = await demo.visit();
    await changeAnswers(page, "/v1/auth/me", () => "{}");
    await page.goto("/posts");
    await page.getByRole("heading", { level: 1, name: "Your workspace cannot be shown" }).waitFor();
    await expectAccessibleInAll(page);
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 1, name: "Posts" }).waitFor();
    await close();
  });

  it("leaves the menu and every page's heading in place if it is the answer of a list", async () => {
    const { page, close } = await demo.visit();
    await changeAnswers(page, "/v1/posts", () => "{}");
    for (const [path, heading] of [
      ["/", /^Welcome/],
      ["/posts", /^Posts$/],
      ["/calendar", /^Calendar$/],
      ["/approvals", /^Approvals$/],
    ] as const) {
      await page.goto(path);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await page.getByRole("alert").first().waitFor();
      await page.getByRole("navigation", { name: "Pages" }).waitFor();
    }
    await close();
  });
});

describe("a bug in the dashboard", () => {
  it("leaves the menu usable if it is in one page", async () => {
    const { page, close } = await demo.visit();
    await changeAnswers(page, "/v1/events", () => '{"events":[{}],"next":null}');
    await page.goto("/activity?show=activity");
    await page.getByRole("heading", { level: 1, name: "This page cannot be shown" }).waitFor();
    await expectAccessibleInAll(page);
    await page.getByRole("link", { name: "Channels" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Channels" }).waitFor();
    await close();
  });

  it("shows a message with a reload button and keeps unsaved text if it is in the frame", async () => {
    const { page, close } = await demo.visit();
    await page.goto("/compose");
    const text = page.getByLabel("Text", { exact: true });
    await text.fill("Not lost");
    await changeAnswers(page, "/v1/auth/me", (body) => body.replace(WORKSPACE_TIME, '"timezone":null'));
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Crier has stopped" }).waitFor();
    await expectAccessibleInAll(page);
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Reload" }).click();
    await text.waitFor();
    expect(await text.inputValue()).toBe("Not lost");
    await close();
  });
});
