// The page with every component of the dashboard, which only local runs have, and the frame of all pages.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { expectAccessible, expectAccessibleInAll } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

async function openGallery() {
  const visit = await demo.open();
  await visit.page.goto("/gallery");
  await visit.page.getByRole("heading", { level: 1, name: "Gallery" }).waitFor();
  return visit;
}

const getTheme = (page: Page) => page.evaluate("getComputedStyle(document.documentElement).colorScheme");

it("shows every component accessibly in every width and theme", async () => {
  const { page, faults, close } = await openGallery();
  await expectAccessibleInAll(page);
  expect(faults).toEqual([]);
  await close();
});

it("keeps the chosen theme, and shows it before any script has run", async () => {
  const { page, faults, close } = await openGallery();
  await page.getByRole("button", { name: "Dark", exact: true }).click();
  expect(await getTheme(page)).toBe("dark");
  await page.goto("/auth");
  expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
  await page.goto("/gallery");
  await page.getByRole("button", { name: "System", exact: true }).click();
  await page.goto("/auth");
  expect(await page.locator("html").getAttribute("data-theme")).toBe(null);
  expect(faults).toEqual([]);
  await close();
});

it("opens and closes a menu by keyboard, and returns the focus to its button", async () => {
  const { page, faults, close } = await openGallery();
  const button = page.getByRole("button", { name: "More actions" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menu", { name: "More actions" }).waitFor();
  const focused = () => page.evaluate("document.activeElement?.textContent");
  await eventually(async () => expect(await focused()).toBe("Duplicate"));
  await expectAccessible(page);
  await page.keyboard.press("ArrowUp");
  expect(await focused()).toBe("Delete");
  await page.keyboard.press("l");
  expect(await focused()).toBe("Light");
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "hidden" });
  await button.and(page.locator(":focus")).waitFor();
  await button.click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("status").filter({ hasText: "Deleted" }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

it("finds an option of a long list by its first letters", async () => {
  const { page, faults, close } = await openGallery();
  const field = page.getByRole("combobox", { name: "Time zone" });
  await field.click();
  await field.fill("new y");
  await page.getByRole("option", { name: "America/New York" }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  expect(await field.inputValue()).toBe("America/New York");
  await field.fill("nowhere at all");
  await page.getByText("No results").waitFor();
  await page.keyboard.press("Escape");
  expect(await field.inputValue()).toBe("America/New York");
  expect(faults).toEqual([]);
  await close();
});

it("creates a workspace from the list of workspaces, and opens it", async () => {
  const { page, faults, close } = await demo.visit();
  await page.getByRole("button", { name: "Workspace: Demo" }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "New workspace" }).click();
  const dialog = page.getByRole("dialog", { name: "New workspace" });
  await dialog.getByLabel("Name", { exact: true }).fill("Harbour & Sons");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create workspace" }).click();
  await page.getByRole("button", { name: "Workspace: Harbour & Sons" }).waitFor();
  expect(faults).toEqual([]);
  await close();
});
