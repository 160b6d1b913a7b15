// The audit log and the list of posts, with their filters.
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { expectAccessible } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

describe("the audit log", () => {
  it("shows an owner who did what and from where, filters the entries, and downloads the filtered ones", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/settings/keys");
    await page.getByLabel("Name", { exact: true }).fill("Reports");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("button", { name: "I have saved it" }).click();
    await page.getByRole("link", { name: "Audit log" }).click();
    const log = page.getByRole("region", { name: "Audit log" });
    await log.getByText("Created a key: Reports, read").waitFor();
    await log
      .getByText(/Demo · from .+/)
      .first()
      .waitFor();
    await log.getByText("Signed in: ").first().waitFor();
    await expectAccessible(page);

    await page.getByLabel("Action").selectOption("Created a key");
    await expect.poll(() => log.getByRole("listitem").count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("act")).toBe("key.created");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download as CSV" }).click(),
    ]);
    const csv = await readFile(await file.path(), "utf8");
    expect(csv.trim().split("\r\n")).toEqual([
      expect.stringMatching(/^id,at,act,/),
      expect.stringContaining("Reports"),
    ]);

    await page.getByLabel("Action").selectOption("Declined an invitation");
    await page.getByText("No entries match these filters").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Show all" }).click();
    await log.getByText("Created a key: Reports, read").waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe("the list of posts", () => {
  it("forgets the words of a search when its filters are cleared", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/posts?q=words+of+no+post");
    const field = page.getByRole("searchbox", { name: "Search posts" });
    expect(await field.inputValue()).toBe("words of no post");
    await page.getByRole("button", { name: "Clear all" }).click();
    await eventually(async () => expect(await field.inputValue()).toBe(""));
    expect(new URL(page.url()).search).toBe("");
    expect(faults).toEqual([]);
    await close();
  });
});
