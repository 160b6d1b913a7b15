// The audit log, the list of posts and the media library: their filters, and changes to several entries at once.
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { makeJpeg } from "../../../scripts/local/jpeg.ts";
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
    await page.goto("/settings/audit");
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

describe("the media library", () => {
  it("deletes the selected files that no post needs, and names the others", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/media");
    const add = async (name: string, shade: number) => {
      const file = { name, mimeType: "image/jpeg", buffer: Buffer.from(makeJpeg(40, 40, shade)) };
      await page.getByLabel("Files to add").setInputFiles(file);
      await page.getByRole("button", { name: `Open ${name}` }).waitFor();
    };
    await add("free.jpg", 10);
    await add("used.jpg", 200);
    const { media } = await demo.get<{ media: { id: string }[] }>("/v1/media?q=used");
    await demo.makePost({
      text: "With a file",
      channels: [demo.getChannelId("telegram")],
      publish_at: "2027-11-02T09:30:00Z",
      media: media.map(({ id }) => id),
    });
    await page.getByRole("checkbox", { name: "Select used.jpg" }).check();
    await page.getByRole("checkbox", { name: "Select free.jpg" }).check();
    await page.getByRole("region", { name: "Selected files" }).getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: /^Delete/ });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("alert").filter({ hasText: "used.jpg: This file is used by" }).waitFor();
    await page.getByText("1 file deleted").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Keep" }).click();
    await page.getByRole("button", { name: "Open free.jpg" }).waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await close();
  });
});
