// No page shows words for programs, in any state of a post and for every problem that the demo can cause in the composer.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { makeJpeg } from "../../../scripts/local/jpeg.ts";
import { eventually } from "../../support/eventually.ts";
import { json } from "../local/running.ts";
import { chooseFile, expectPlainWords, setApproval, untilLoaded } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

const LATER = "2027-05-04T09:30:00Z";

/** Posts that fail on Telegram: alone, or beside Bluesky, where they are live. */
async function makeFailures(): Promise<string[]> {
  await json(`${demo.run.simulators}/_sim/faults`, undefined, {
    ...{ platform: "telegram", call: "sendMessage", count: 2, do: "status", status: 400 },
    body: { ok: false, error_code: 400, description: "Bad Request: chat not found" },
  });
  const [bluesky, telegram] = [demo.getChannelId("bluesky"), demo.getChannelId("telegram")];
  const posts: string[] = [];
  for (const [text, channels, status] of [
    ["It failed", [telegram], "failed"],
    ["It half failed", [bluesky, telegram], "partially_published"],
  ] as const) {
    const { id } = await demo.makePost({ text, channels });
    await eventually(async () => expect((await demo.getPost(id)).status).toBe(status));
    posts.push(id);
  }
  return posts;
}

it("a post has no words for programs in any of its states", async () => {
  const { page, faults, close } = await demo.visit();
  const channels = [demo.getChannelId("bluesky")];
  const failures = await makeFailures();
  const { posts } = await demo.get<{ posts: { id: string }[] }>("/v1/posts?status=published&limit=1");
  const draft = await demo.makePost({ text: "A draft", draft: true, channels });
  const scheduled = await demo.makePost({ text: "Scheduled", channels, publish_at: LATER });
  const cancelled = await demo.makePost({ text: "Cancelled", channels, publish_at: LATER });
  await fetch(`${demo.run.url}/v1/posts/${cancelled.id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${demo.key}` },
  });
  await setApproval(page, "All posts");
  const waiting = await demo.makePost({ text: "Waiting", channels, publish_at: LATER });
  for (const path of [
    ...[...failures, posts[0]?.id, draft.id, scheduled.id, cancelled.id, waiting.id].map((id) => `/posts/${id}`),
    ...["/", "/posts", "/calendar", "/activity", "/approvals", "/slots"],
  ]) {
    await page.goto(path);
    await untilLoaded(page);
    await expectPlainWords(page);
  }
  await setApproval(page, "None. Authors can only write drafts");
  expect(faults).toEqual([]);
  await close();
});

const addFile = (page: Page, name: string, width: number, height: number) =>
  chooseFile(page, { name, mimeType: "image/jpeg", buffer: Buffer.from(makeJpeg(width, height)) }, () =>
    page.locator(".files").getByRole("button", { name: "Add files", exact: true }).click(),
  );

it("no problem in the composer has words for programs", async () => {
  const { page, faults, close } = await demo.visit();
  await page.goto("/compose");
  await page.getByRole("button", { name: "Select all" }).click();
  const text = page.getByLabel("Text", { exact: true });
  const state = page.getByText(/^\d+ things? to fix$/);
  // Each step breaks other rules: options, files, texts, their parts, shapes of images, threads and times.
  const steps = [
    () => text.fill("Too little for most networks"),
    () => text.fill(`${"#tag ".repeat(40)}${"@someone ".repeat(60)}`),
    () => text.fill(`${"long ".repeat(14_000)}<b>`),
    () => text.fill("Fine"),
    () => addFile(page, "tall.jpg", 400, 2_400),
    () => addFile(page, "wide.jpg", 4_800, 120),
    async () => {
      await page.getByRole("button", { name: "Add part" }).click();
      await page.getByLabel("Text of part 2").fill("x".repeat(6_000));
    },
    () => page.getByLabel("When", { exact: true }).fill("2020-01-01T09:30"),
    () => page.getByLabel("When", { exact: true }).fill("2035-01-01T09:30"),
  ];
  for (const step of steps) {
    await step();
    await page.getByText("Checking", { exact: true }).waitFor({ state: "detached" });
    await state.waitFor();
    await expectPlainWords(page);
  }
  expect(faults).toEqual([]);
  await close();
});
