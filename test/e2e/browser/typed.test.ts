// Typed text is never lost, even by an early click, a reload, a crash, an expired session, a lost network or another
// tab.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { makeJpeg } from "../../../scripts/local/jpeg.ts";
import { eventually } from "../../support/eventually.ts";
import { chooseFile, expectAccessible } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

const idIn = (url: string) => new URL(url).pathname.split("/").pop() ?? "";
const getFirstFile = async (id: string) => {
  const { media } = await demo.getPost(id);
  return demo.get<{ alt: string | null }>(`/v1/media/${media[0]}`);
};
const getTextField = (page: Page) => page.getByLabel("Text", { exact: true });

/** Starts a post for one network. */
async function begin(page: Page, text: string) {
  await page.goto("/compose");
  await page.getByRole("checkbox", { name: /^bluesky/i }).check();
  await getTextField(page).fill(text);
}
/** Adds an image, and returns the field of its alt text. */
async function addPicture(page: Page) {
  const file = { name: "square.jpg", mimeType: "image/jpeg", buffer: Buffer.from(makeJpeg(800, 800, 90)) };
  await chooseFile(page, file, () => page.getByRole("button", { name: "Add files" }).click());
  await page.getByText("Ready for 1 channel").waitFor();
  return page.getByLabel("Alt text");
}

describe("an alt text", () => {
  it("is stored before the post is created if it was typed just before the click", async () => {
    const { page, faults, close } = await demo.visit();
    const order: string[] = [];
    for (const press of ["Save draft", "Post now", /^Schedule for/]) {
      await begin(page, "A square");
      const alt = await addPicture(page);
      if (press instanceof RegExp) await page.getByLabel("When", { exact: true }).fill("2027-07-06T09:30");
      let answer = () => {};
      const answerReady = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route("**/v1/media/*", async (route) => {
        if (route.request().method() !== "PATCH") return route.continue();
        await answerReady;
        const response = await route.fetch();
        order.push("alt text");
        await route.fulfill({ response });
      });
      page.on("request", (request) => {
        const isPost = request.url().endsWith("/v1/posts") && request.method() === "POST";
        if (isPost && request.postData()?.includes("dry_run") === false) order.push("post");
      });
      const altSent = page.waitForRequest((request) => request.method() === "PATCH");
      await alt.fill("A grey square");
      await page.getByRole("button", { name: press }).click();
      await altSent;
      // All calls that the click starts at once have been started by now.
      await page.evaluate("document.title");
      answer();
      await page.waitForURL(/\/posts\/post_/);
      expect(order).toEqual(["alt text", "post"]);
      expect((await getFirstFile(idIn(page.url()))).alt).toBe("A grey square");
      page.removeAllListeners("request");
      await page.unroute("**/v1/media/*");
      order.length = 0;
    }
    expect(faults).toEqual([]);
    await close();
  });

  it("delays the post if it cannot be stored, and is still there on every page and after a reload", async () => {
    const { page, close } = await demo.visit();
    await begin(page, "Held back");
    const alt = await addPicture(page);
    await page.route("**/v1/media/*", (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.continue(),
    );
    await alt.fill("Not lost");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByRole("alert").first().waitFor();
    await expectAccessible(page);
    const { posts } = await demo.get<{ posts: object[] }>("/v1/posts?status=draft&q=Held");
    expect(posts).toEqual([]);
    await page.reload();
    expect(await page.getByLabel("Alt text").inputValue()).toBe("Not lost");
    await page.getByRole("link", { name: "Media" }).click();
    await page.getByRole("heading", { level: 1, name: "Media" }).waitFor();
    await page
      .getByRole("button", { name: /^Open / })
      .first()
      .click();
    expect(
      await page
        .getByRole("textbox", { name: /^Alt text/ })
        .first()
        .inputValue(),
    ).toBe("Not lost");
    await page.unroute("**/v1/media/*");
    await page.goto("/compose");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.waitForURL(/\/posts\/post_/);
    expect((await getFirstFile(idIn(page.url()))).alt).toBe("Not lost");
    await close();
  });

  it("is stored even if its page is closed at that moment", async () => {
    const { page, close } = await demo.visit();
    await begin(page, "Closed");
    const alt = await addPicture(page);
    await alt.fill("Typed last");
    await page.goto("/docs");
    // The browser does not always report a request that outlives its page, so the service is queried.
    await eventually(async () => {
      const { media } = await demo.get<{ media: { alt: string | null }[] }>("/v1/media?limit=100");
      expect(media.map(({ alt }) => alt)).toContain("Typed last");
    });
    await close();
  });
});

describe("the text of a post", () => {
  it("survives a reload, an expired session and a lost answer, and sending it again creates no second post", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/compose");
    await page.getByRole("checkbox", { name: /^bluesky/i }).check();
    await page.getByLabel("Text", { exact: true }).fill("Not to be lost");
    await page.reload();
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("Not to be lost");
    expect(await page.getByRole("checkbox", { name: /^bluesky/i }).isChecked()).toBe(true);

    await page.context().clearCookies();
    await page.getByLabel("Text", { exact: true }).fill("Not to be lost either");
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    await dialog.getByLabel("Password").fill(demo.account.password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("Not to be lost either");

    // The first answer is lost, and the second try uses the same idempotency key.
    let lost = 0;
    await page.route("**/v1/posts", async (route) => {
      const isReal = route.request().method() === "POST" && route.request().postData()?.includes("dry_run") === false;
      if (!isReal || lost++ > 0) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.waitForURL(/\/posts\/post_/);
    expect(lost).toBeGreaterThan(1);
    const { posts } = await demo.get<{ posts: object[] }>("/v1/posts?status=draft&q=either");
    expect(posts).toHaveLength(1);
    await page.goto("/compose");
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("");
    expect(faults.filter((fault) => !fault.includes("ERR_FAILED"))).toEqual([]);
    await close();
  });

  it("becomes a draft when the user signs out, and is removed from the browser", async () => {
    const { page, faults, close } = await demo.visit();
    await begin(page, "Before I leave");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in as the demo" }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("Before I leave");
    const { posts } = await demo.get<{ posts: { text: string; channels: string[] }[] }>("/v1/posts?status=draft");
    const saved = posts.filter(({ text }) => text === "Before I leave");
    expect(saved).toMatchObject([{ channels: [demo.getChannelId("bluesky")] }]);
    await page.getByRole("button", { name: "Sign in as the demo" }).click();
    await page.getByRole("heading", { name: "Welcome, Demo" }).waitFor();
    await page.getByRole("link", { name: "Compose" }).first().click();
    await getTextField(page).waitFor();
    expect(await getTextField(page).inputValue()).toBe("");
    expect(faults).toEqual([]);
    await close();
  });

  it("is not deleted without a question if it cannot be saved at sign-out", async () => {
    const { page, close } = await demo.visit();
    await begin(page, "Not to be lost");
    await page.route("**/v1/posts", (route) =>
      route.fulfill({ status: 402, json: { error: "plan_limit", message: "No room.", request_id: "req_1" } }),
    );
    const questions: string[] = [];
    page.on("dialog", async (dialog) => {
      questions.push(dialog.message());
      await dialog.dismiss();
    });
    await page.getByRole("button", { name: "Sign out" }).click();
    await eventually(async () => expect(questions).toEqual([expect.stringContaining("could not be saved as a draft")]));
    expect(await getTextField(page).inputValue()).toBe("Not to be lost");
    await page.goto("/auth");
    await page.getByRole("button", { name: "Use another account" }).click();
    await eventually(async () => expect(questions.at(-1)).toContain("has not been saved as a draft"));
    await page.goto("/compose");
    expect(await getTextField(page).inputValue()).toBe("Not to be lost");
    await close();
  });

  it("is shown next to a version that another user has saved meanwhile, and the user chooses", async () => {
    const post = await demo.makePost({
      text: "Before",
      channels: [demo.getChannelId("bluesky")],
      publish_at: "2027-07-07T09:30:00Z",
    });
    const { page, faults, close } = await demo.visit();
    const otherTab = await page.context().newPage();
    for (const tab of [page, otherTab]) {
      await tab.goto(`/compose?post=${post.id}`);
      await tab.getByLabel("Text", { exact: true }).waitFor();
    }
    await otherTab.getByLabel("Text", { exact: true }).fill("Theirs");
    await otherTab.getByRole("button", { name: /^Schedule for/ }).click();
    await otherTab.waitForURL(/\/posts\/post_/);
    await page.getByLabel("Text", { exact: true }).fill("Mine");
    await page.getByRole("button", { name: /^Schedule for/ }).click();
    const conflict = page.getByRole("alert", { name: /changed/ });
    await conflict.getByText("Theirs", { exact: true }).last().waitFor();
    await expectAccessible(page);
    expect((await demo.getPost(post.id)).text).toBe("Theirs");
    await conflict.getByRole("button", { name: "Keep mine" }).click();
    await page.getByRole("button", { name: /^Schedule for/ }).click();
    await page.waitForURL(/\/posts\/post_/);
    expect((await demo.getPost(post.id)).text).toBe("Mine");
    expect(faults).toEqual([]);
    await close();
  });

  it("survives a crash of the page, and waits for the next tab with a composer", async () => {
    const { page, close } = await demo.visit();
    await begin(page, "Before the crash");
    const next = await page.context().newPage();
    const crashed = page.waitForEvent("crash");
    await page.goto("chrome://crash").catch(() => {});
    await crashed;
    await next.goto("/compose");
    await getTextField(next).waitFor();
    expect(await getTextField(next).inputValue()).toBe("Before the crash");
    await next.getByRole("button", { name: "Start over" }).click();
    expect(await getTextField(next).inputValue()).toBe("");
    await close();
  });

  it("stays while the browser is offline, and is sent once it is online", async () => {
    const { page, close } = await demo.visit();
    await begin(page, "Into the void");
    await page.getByText("Ready for 1 channel").waitFor();
    await page.context().setOffline(true);
    await getTextField(page).fill("Into the void, and out");
    // The app itself retries for half a minute.
    await page.clock.install();
    await page.getByRole("button", { name: "Save draft" }).click();
    const notified = page.getByRole("alert").filter({ hasText: "Nothing you typed is lost" });
    await eventually(async () => {
      await page.clock.runFor(20_000);
      expect(await notified.count()).toBeGreaterThan(0);
    });
    expect(await getTextField(page).inputValue()).toBe("Into the void, and out");
    await expectAccessible(page);
    await page.context().setOffline(false);
    await page.clock.resume();
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.waitForURL(/\/posts\/post_/);
    expect(await demo.getPost(idIn(page.url()))).toMatchObject({ text: "Into the void, and out", status: "draft" });
    await close();
  });

  it("is kept separately for each of two tabs", async () => {
    const { page, faults, close } = await demo.visit();
    const otherTab = await page.context().newPage();
    await begin(page, "In the first tab");
    await begin(otherTab, "In the second tab");
    for (const [tab, text] of [
      [page, "In the first tab"],
      [otherTab, "In the second tab"],
    ] as const) {
      await tab.reload();
      await getTextField(tab).waitFor();
      expect(await getTextField(tab).inputValue()).toBe(text);
    }
    await otherTab.getByRole("button", { name: "Save draft" }).click();
    await otherTab.waitForURL(/\/posts\/post_/);
    await page.reload();
    await getTextField(page).waitFor();
    expect(await getTextField(page).inputValue()).toBe("In the first tab");
    await page.close();
    await otherTab.goto("/compose");
    await getTextField(otherTab).waitFor();
    expect(await getTextField(otherTab).inputValue()).toBe("In the first tab");
    expect(faults).toEqual([]);
    await close();
  });
});
