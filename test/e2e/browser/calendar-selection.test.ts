// Several posts of the calendar at once, and its arrow keys.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { expectAccessible } from "./browsing.ts";
import { type PostBody, useDemo } from "./demo.ts";

const demo = useDemo();

const makePost = (text: string, publish_at: string) =>
  demo.makePost({ text, channels: [demo.getChannelId("telegram")], publish_at });
const getEntry = (page: Page, { id }: PostBody) => page.locator(`.calendar [data-id="${id}"]`);
const getBar = (page: Page) => page.getByRole("region", { name: "Selected posts" });
const expectSelected = (page: Page, count: number) =>
  eventually(async () => expect(await page.locator('.calendar [data-id][aria-pressed="true"]').count()).toBe(count));

it("posts are selected with Ctrl and Shift, moved and labelled together, and left again with Escape", async () => {
  const posts = await Promise.all(
    ["04", "05", "06"].map((day) => makePost(`Of three, ${day}`, `2027-10-${day}T09:30:00Z`)),
  );
  const [first, , last] = posts;
  if (first === undefined || last === undefined) return expect.fail("a post is missing");
  const { page, faults, close } = await demo.visit();
  await page.goto("/calendar?view=month&date=2027-10-01");
  await getEntry(page, first).click({ modifiers: ["ControlOrMeta"] });
  await getBar(page).getByText("1 selected").waitFor();
  await getEntry(page, last).click({ modifiers: ["Shift"] });
  await getBar(page).getByText("3 selected").waitFor();
  await expectSelected(page, 3);
  await expectAccessible(page);

  await getBar(page).getByRole("button", { name: "Label" }).click();
  const labelDialog = page.getByRole("dialog", { name: "Label 3 posts" });
  await labelDialog.getByLabel("Label", { exact: true }).fill("autumn");
  await labelDialog.getByRole("button", { name: "Add label" }).click();
  await page.getByText("3 posts labelled").waitFor();

  await getEntry(page, last).click({ modifiers: ["ControlOrMeta"] });
  await getEntry(page, first).click({ modifiers: ["ControlOrMeta"] });
  await getBar(page).getByRole("button", { name: "Move" }).click();
  const moveDialog = page.getByRole("dialog", { name: /^Move/ });
  await moveDialog.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByText(/posts? moved/).waitFor();
  expect((await demo.getPost(first.id)).labels).toEqual(["autumn"]);
  await page.keyboard.press("Escape");
  await getBar(page).waitFor({ state: "detached" });
  await expectSelected(page, 0);
  expect(faults).toEqual([]);
  await close();
});

it("the button Select selects by a plain press, and a refused change says why and keeps the post selected", async () => {
  const post = await makePost("Into the past", "2027-03-09T09:30:00Z");
  const { page, faults, close } = await demo.visit();
  await page.goto("/calendar?view=agenda&date=2027-03-01");
  await page.getByRole("button", { name: "Select", exact: true }).click();
  await getEntry(page, post).click();
  await getBar(page).getByRole("button", { name: "Move" }).click();
  const dialog = page.getByRole("dialog", { name: "Move 1 post" });
  await dialog.getByRole("button", { name: "To one time" }).click();
  await dialog.getByLabel("Date and time").fill("2020-01-01T10:00");
  await dialog.getByRole("button", { name: "Move", exact: true }).click();
  await getBar(page).getByRole("alert").filter({ hasText: "Into the past: That time has passed." }).waitFor();
  await expectSelected(page, 1);
  await expectAccessible(page);
  expect(faults).toEqual([]);
  await close();
});

it("arrow keys move through the days, also to those without posts, and S selects", async () => {
  const posts = await Promise.all(["03", "10"].map((day) => makePost(`By arrows, ${day}`, `2027-02-${day}T09:30:00Z`)));
  const [first, below] = posts;
  if (first === undefined || below === undefined) return expect.fail("a post is missing");
  const { page, faults, close } = await demo.visit();
  await page.goto("/calendar?view=month&date=2027-02-01");
  await getEntry(page, first).focus();
  await page.keyboard.press("s");
  await getBar(page).getByText("1 selected").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowDown");
  await page.locator(':focus[data-add="2027-02-10"], :focus[data-id]').waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.locator(":focus[data-add]").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/compose\?at=2027-02-\d\dT\d\d:\d\d$/);
  expect(faults).toEqual([]);
  await close();
});
