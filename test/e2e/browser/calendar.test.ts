// The calendar by mouse, by touch and by keyboard, in a real browser against a real local run.
import { devices, type Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { expectAccessible, setApproval } from "./browsing.ts";
import { type PostBody, useDemo } from "./demo.ts";
import { createFinger, getMiddle } from "./pointer.ts";

const demo = useDemo();

const makePost = (text: string, publish_at: string) =>
  demo.makePost({ text, channels: [demo.getChannelId("telegram")], publish_at });
const getLocalTime = async ({ id }: PostBody) => (await demo.getPost(id)).publish_at_local;
const getEntry = (page: Page, { id }: PostBody) => page.locator(`.calendar [data-id="${id}"]`);
const getDay = (page: Page, date: string) => page.locator(`.calendar [data-date="${date}"]`);
const isDragged = (page: Page) => page.locator(".dragged");

describe("the calendar on a phone", () => {
  const phone = { ...devices["Pixel 7"], viewport: { width: 390, height: 844 } };

  it("drags a post to another day after a long press, and scrolls if the finger moves at once", async () => {
    const post = await makePost("By finger", "2027-05-11T09:30:00Z");
    const { page, faults, close } = await demo.visit(phone);
    await page.goto("/calendar?view=month&date=2027-05-11");
    await getEntry(page, post).waitFor();
    const finger = await createFinger(page);

    const start = await getMiddle(getEntry(page, post));
    await finger.down(start);
    for (const moved of [20, 60, 120, 180]) await finger.to({ x: start.x, y: start.y - moved });
    await eventually(async () => expect(await page.evaluate("scrollY")).toBeGreaterThan(0));
    await finger.up();
    expect(await isDragged(page).count()).toBe(0);
    expect(await getLocalTime(post)).toBe("2027-05-11T09:30:00+00:00");
    await expectAccessible(page);

    const [from, to] = [await getMiddle(getEntry(page, post)), await getMiddle(getDay(page, "2027-05-13"))];
    const scrolled = await page.evaluate("scrollY");
    await finger.down(from);
    await isDragged(page).waitFor();
    await finger.to({ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 });
    await finger.to(to);
    expect(await page.evaluate("scrollY")).toBe(scrolled);
    await finger.up();
    await page.getByText(/^Moved to Thu,? 13 May 2027, 0?9:30/).waitFor();
    expect(await getLocalTime(post)).toBe("2027-05-13T09:30:00+00:00");
    await page.getByRole("button", { name: "Undo" }).tap();
    await page.getByText("Moved back").waitFor();
    expect(await getLocalTime(post)).toBe("2027-05-11T09:30:00+00:00");
    expect(faults).toEqual([]);
    await close();
  });

  it('moves a post by "Move to ..." from the agenda', async () => {
    const post = await makePost("By its dialog", "2027-06-08T09:30:00Z");
    const { page, faults, close } = await demo.visit(phone);
    await page.goto("/calendar?date=2027-06-01");
    await page.getByRole("button", { name: "Agenda", pressed: true }).waitFor();
    await getEntry(page, post).tap();
    const dialog = page.getByRole("dialog", { name: "By its dialog" });
    await dialog.getByRole("button", { name: "Move to ..." }).tap();
    await dialog.getByLabel("Date and time").fill("2027-06-21T18:05");
    await dialog.getByRole("button", { name: "Move", exact: true }).tap();
    await page.getByText(/^Moved to Mon,? 21 Jun 2027, 18:05/).waitFor();
    await dialog.waitFor({ state: "detached" });
    await page
      .getByRole("region", { name: /^Monday,? 21 June$/ })
      .getByRole("button", { name: "18:05 By its" })
      .waitFor();
    expect(await getLocalTime(post)).toBe("2027-06-21T18:05:00+00:00");
    expect(faults).toEqual([]);
    await close();
  });
});

describe("the calendar by mouse", () => {
  it("moves a post to another day and time, cancels the drag on Escape, and opens the composer for a clicked time", async () => {
    const post = await makePost("Down the day", "2027-07-06T09:40:00Z");
    const { page, faults, close } = await demo.visit();
    await page.goto("/calendar?view=week&date=2027-07-06");
    await getEntry(page, post).waitFor();
    await expectAccessible(page);
    // A drag near the edges of the window would scroll.
    await page.evaluate("scrollTo(0, 400)");
    const from = await getMiddle(getEntry(page, post));
    const box = await getDay(page, "2027-07-08").boundingBox();
    const hour = (box?.height ?? 0) / 24;
    const to = { x: (box?.x ?? 0) + 20, y: from.y + 2 * hour };
    const drag = async (to: { x: number; y: number }) => {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 4 });
      await isDragged(page).waitFor();
    };
    // Drags down its own day, where a release would count as a click on a free time.
    await drag({ x: from.x, y: to.y });
    await page.keyboard.press("Escape");
    await isDragged(page).waitFor({ state: "detached" });
    await page.mouse.up();
    expect(await getLocalTime(post)).toBe("2027-07-06T09:40:00+00:00");

    await drag(to);
    // Times snap to quarters of an hour, and the dragged entry shows the time.
    await isDragged(page).getByText("11:45").waitFor();
    await page.mouse.up();
    await page.getByText(/^Moved to Thu,? 8 Jul 2027, 11:45/).waitFor();
    expect(await getLocalTime(post)).toBe("2027-07-08T11:45:00+00:00");
    expect(new URL(page.url()).pathname).toBe("/calendar");

    const day = await getDay(page, "2027-07-09").boundingBox();
    await page.mouse.click((day?.x ?? 0) + 20, (day?.y ?? 0) + 9.6 * hour);
    await page.waitForURL(/\/compose\?at=2027-07-09T09:30$/);
    expect(faults).toEqual([]);
    await close();
  });

  it("moves a post that is dropped in the past back, with the reason at the drop position and in a toast", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const { page, faults, close } = await demo.visit();
    await page.goto("/calendar?status=scheduled");
    const first = (await page.locator(".calendar [data-date]").first().getAttribute("data-date")) ?? "";
    const before = first === today ? `${tomorrow}T00:00:00` : `${today}T23:59:00`;
    const post = await makePost("Not back in time", `${before}Z`);
    await page.reload();
    await getEntry(page, post).dragTo(getDay(page, first));
    const reason = page.getByRole("alert").filter({ hasText: "That time has passed. Pick a later one." });
    await reason.waitFor();
    await page.getByRole("status").filter({ hasText: "Not moved. That time has passed. Pick a later one." }).waitFor();
    const [reasonBox, day] = await Promise.all([reason.boundingBox(), getDay(page, first).boundingBox()]);
    if (reasonBox === null || day === null) return expect.fail("the day or the reason is not on the page");
    const overlaps = (start: number, length: number, otherStart: number, otherLength: number) =>
      start < otherStart + otherLength && otherStart < start + length;
    expect(
      overlaps(reasonBox.x, reasonBox.width, day.x, day.width) &&
        overlaps(reasonBox.y, reasonBox.height, day.y, day.height),
    ).toBe(true);
    expect(reasonBox.y + reasonBox.height).toBeLessThanOrEqual(await page.evaluate<number>("innerHeight"));
    await getDay(page, before.slice(0, 10)).locator(`[data-id="${post.id}"]`).waitFor();
    expect(await getLocalTime(post)).toBe(`${before}+00:00`);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await reason.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await close();
  });
});

describe("the calendar by keyboard", () => {
  it("opens a post, moves it and undoes the move, and keeps the focus on it", async () => {
    const post = await makePost("By keys", "2027-08-10T09:30:00Z");
    const { page, faults, close } = await demo.visit();
    await page.goto("/calendar?date=2027-08-10");
    await getEntry(page, post).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "By keys" });
    await dialog.getByRole("button", { name: "Move to ..." }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Date and time").fill("2027-08-12T10:15");
    await page.keyboard.press("Enter");
    await page.getByText(/^Moved to Thu,? 12 Aug 2027, 10:15/).waitFor();
    await getDay(page, "2027-08-12").locator(`[data-id="${post.id}"]:focus`).waitFor();
    await page.getByRole("button", { name: "Undo" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Moved back").waitFor();
    expect(await getLocalTime(post)).toBe("2027-08-10T09:30:00+00:00");
    expect(faults).toEqual([]);
    await close();
  });

  it("lists all posts of a busy day, and returns the focus when the list is closed", async () => {
    const posts = await Promise.all(
      Array.from({ length: 7 }, (_, i) => makePost(`One of seven, ${i}`, `2027-09-14T1${i}:00:00Z`)),
    );
    const { page, faults, close } = await demo.visit();
    await page.goto("/calendar?date=2027-09-14");
    const moreButton = page.getByRole("button", { name: /^\+3 more on Tue,? 14 Sept?$/ });
    await moreButton.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: /^Tuesday,? 14 September$/ });
    await expect(dialog.getByRole("button", { name: /One of seven/ }).count()).resolves.toBe(posts.length);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.locator(".more-posts:focus").waitFor();
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "16:00 One of seven, 6" }).click();
    await page.getByRole("dialog", { name: "One of seven, 6" }).getByRole("button", { name: "Close" }).click();
    await page.locator(".more-posts:focus").waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe("an empty place in the calendar", () => {
  it("starts a post for its day or its hour, which also has a view of its own", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/calendar?view=month&date=2027-11-01");
    await page.getByRole("heading", { level: 2, name: "November 2027" }).waitFor();
    await getDay(page, "2027-11-17").click();
    await page.waitForURL(/\/compose\?at=2027-11-17T\d\d:\d\d$/);
    await page.goto("/calendar?view=month&date=2027-11-17");
    await page.getByRole("button", { name: "Day", exact: true }).click();
    await page.getByRole("heading", { level: 2, name: /^Wednesday,? 17 November 2027$/ }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Jump to a date" }).click();
    await page.getByRole("button", { name: /^Friday,? 19 November$/ }).click();
    await page.getByRole("heading", { level: 2, name: /^Friday,? 19 November 2027$/ }).waitFor();
    await getDay(page, "2027-11-19").click();
    await page.waitForURL(/\/compose\?at=2027-11-19T\d\d:[03]0$/);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("a free slot in the calendar", () => {
  it("is shown in every view, opens the composer for its time, and is replaced by the post that takes it", async () => {
    const { page, faults, close } = await demo.visit();
    const headers = { authorization: `Bearer ${demo.key}` };
    const data = { slots: [{ weekday: 2, time: "07:15", channels: null }] };
    expect((await page.request.put(`${demo.run.url}/v1/slots`, { headers, data })).status()).toBe(200);
    const query = `channels=${demo.getChannelId("telegram")}&count=2`;
    const { slots } = await demo.get<{ slots: { at_local: string }[] }>(`/v1/slots/next?${query}`);
    const date = slots[1]?.at_local.slice(0, 10) ?? "";
    const slot = page.locator(`a[href="/compose?at=${date}T07:15"]`);
    for (const view of ["month", "week", "day", "agenda"]) {
      await page.goto(`/calendar?view=${view}&date=${date}`);
      await slot.getByText("free slot on Tue").waitFor();
      await expectAccessible(page);
    }
    await slot.click();
    await page.getByRole("checkbox", { name: /^telegram/i }).check();
    await page.getByLabel("Text", { exact: true }).fill("In its slot");
    await page.getByRole("button", { name: /^Schedule for Tue .*0?7:15/ }).click();
    await page.waitForURL(/\/posts\/post_/);
    await page.goto(`/calendar?view=agenda&date=${date}`);
    await page.getByRole("button", { name: /^0?7:15 In its slot$/ }).waitFor();
    expect(await slot.count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("posts in the calendar that are not scheduled yet", () => {
  it("include drafts with a date and posts that await approval, and a draft can be moved to another day", async () => {
    const draft = await demo.makePost({
      text: "Draft with a date",
      channels: [demo.getChannelId("telegram")],
      publish_at: "2027-08-10T09:30:00Z",
      draft: true,
    });
    const { page, faults, close } = await demo.visit();
    await setApproval(page, "All posts");
    const waiting = await makePost("Waits for approval", "2027-08-12T09:30:00Z");
    expect(waiting.status).toBe("awaiting_approval");
    await setApproval(page, "None. Authors can only write drafts");

    await page.goto("/calendar?view=month&date=2027-08-01");
    await getEntry(page, waiting).getByText(", Waiting for approval").waitFor({ state: "attached" });
    await getEntry(page, draft).getByText(", Draft").waitFor({ state: "attached" });
    await expectAccessible(page);
    await getEntry(page, draft).dragTo(getDay(page, "2027-08-17"));
    await page.getByText(/^Moved to Tue,? 17 Aug 2027, 0?9:30/).waitFor();
    expect(await demo.getPost(draft.id)).toMatchObject({ status: "draft", due_at: "2027-08-17T09:30:00.000Z" });

    await page.getByRole("button", { name: "Status", exact: true }).click();
    await page.getByRole("option", { name: "Draft" }).click();
    await getEntry(page, waiting).waitFor({ state: "detached" });
    await getEntry(page, draft).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe("the thumbnails of the calendar", () => {
  it("are read in groups if more posts have one than the service reads at once", async () => {
    await makePost("One of many", "2027-04-06T09:30:00Z");
    const { page, faults, close } = await demo.visit();
    // The problems in the menu are a list of their own.
    const isList = ({ pathname, searchParams }: URL) => pathname === "/v1/posts" && !searchParams.has("attention");
    await page.route(isList, async (route) => {
      const response = await route.fetch();
      const list: { posts: PostBody[] } = await response.json();
      const copy = (post: PostBody, number: number) => {
        const name = String(number).padStart(26, "0");
        return { ...post, id: `post_${name}`, media: [`med_${name}`] };
      };
      const posts = list.posts.flatMap((post) => Array.from({ length: 60 }, (_, i) => copy(post, i)));
      await route.fulfill({ response, json: { ...list, posts } });
    });
    const answers: number[] = [];
    page.on("response", (response) => {
      if (new URL(response.url()).searchParams.has("ids")) answers.push(response.status());
    });
    await page.goto("/calendar?view=agenda&date=2027-04-06");
    await page.getByText("One of many").nth(59).waitFor();
    await eventually(() => expect(answers).toEqual([200, 200]));
    expect(faults).toEqual([]);
    await close();
  });
});
