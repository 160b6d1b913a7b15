// A report of figures: the page for people without an account.
import { describe, expect, it } from "vitest";
import { check } from "../support/after.ts";
import { testEnv } from "../support/env.ts";
import { makeKey, revoke } from "../support/keys.ts";
import { open } from "../support/oauth.ts";
import { call, connect, finished, post, signUp } from "../support/world.ts";

const today = () => new Date().toISOString().slice(0, 10);
interface Report {
  url: string;
  expires_at: string;
}
const createReport = (key: string, body: object = {}) =>
  call<Report>("POST", "/v1/reports", { token: key, body: { from: today(), to: today(), ...body } });

/** Publishes a measured post with a number of likes. */
async function publish(key: string, channel: { id: string }, text: string, likes: number, labels: string[] = []) {
  const { id } = await post(key, { text, channels: [channel.id], labels });
  await finished(key, id);
  await check(key, id);
  await testEnv.DB.prepare("UPDATE measurements SET likes = ? WHERE post_id = ?").bind(likes, id).run();
  return id;
}
const readPage = async (url: string) => open(new URL(url).pathname, null);

describe("a report", () => {
  it("shows each channel's figures and the best posts, and never a sum of two networks", async () => {
    const { key } = await signUp();
    const [bluesky, threads] = [await connect(key, "bluesky"), await connect(key, "threads")];
    await publish(key, bluesky, "Better <b>", 4_321);
    await publish(key, bluesky, "Good", 100);
    await publish(key, threads, "Elsewhere", 50);
    const earlier = await publish(key, bluesky, "Yesterday", 2_000);
    await testEnv.DB.batch(
      [
        "UPDATE posts SET due_at = due_at - 86400000 WHERE id = ?",
        "UPDATE deliveries SET published_at = published_at - 86400000 WHERE post_id = ?",
        "UPDATE measurements SET day = day - 1 WHERE post_id = ?",
      ].map((statement) => testEnv.DB.prepare(statement).bind(earlier)),
    );
    const { status, body } = await createReport(key);
    expect(status).toBe(201);
    expect(body.url).toMatch(/\/report\/[\w-]{43}$/);
    const life = Date.parse(body.expires_at) - Date.now();
    expect(life).toBeGreaterThan(7 * 86_400_000 - 60_000);
    const page = await readPage(body.url);
    expect(page.status).toBe(200);
    expect(page.headers.get("x-robots-tag")).toContain("noindex");
    expect(page.headers.get("cache-control")).toBe("no-store");
    const html = await page.text();
    expect(html).toContain("@media print");
    for (const shown of [bluesky.handle, threads.handle, "4,421", "2,000", "+121 %", "Best posts by"]) {
      expect(html).toContain(shown);
    }
    expect(html.indexOf("Better &lt;b&gt;")).toBeLessThan(html.indexOf("Good"));
    expect(html).not.toContain("Yesterday");
    expect(html).not.toContain("4,471");
  });

  it("is narrowed to channels and a label", async () => {
    const { key } = await signUp();
    const [first, second] = [await connect(key, "bluesky"), await connect(key, "bluesky")];
    await publish(key, first, "Labelled", 7, ["winter"]);
    await publish(key, first, "Unlabelled", 8);
    await publish(key, second, "Of another client", 9, ["winter"]);
    const { body } = await createReport(key, { channels: [first.id], label: "winter" });
    const html = await (await readPage(body.url)).text();
    expect(html).toContain("Labelled");
    for (const hidden of ["Unlabelled", "Of another client", second.handle]) expect(html).not.toContain(hidden);
  });

  it("shows the text of the channel that published it, not that of the post", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "bluesky");
    const { id } = await post(key, {
      text: "For other channels",
      channels: [channel.id],
      overrides: { [channel.id]: { text: "For this channel" } },
    });
    await finished(key, id);
    await check(key, id);
    await testEnv.DB.prepare("UPDATE measurements SET likes = 7 WHERE post_id = ?").bind(id).run();
    const { body } = await createReport(key);
    const html = await (await readPage(body.url)).text();
    expect(html).toContain("For this channel");
    expect(html).not.toContain("For other channels");
  });

  it("ends with the right of its creator to read, and an unknown address looks the same", async () => {
    const account = await signUp();
    const { id, key } = await makeKey(account, { scopes: ["read"] });
    const { body } = await createReport(key);
    expect(await (await readPage(body.url)).text()).toContain("No posts were published in this period.");
    await revoke(account, id);
    const neutral = async (path: string) => {
      const answer = await open(path, null);
      expect(answer.status).toBe(410);
      return (await answer.text()).replace(/nonce="[^"]+"/g, "");
    };
    expect(await neutral(new URL(body.url).pathname)).toBe(await neutral(`/report/${"x".repeat(43)}`));
  });

  it.each([
    [{ from: "2026-11-02", to: "2026-11-01" }, "invalid_range", "/to"],
    [{ from: "2025-01-01", to: "2026-02-01" }, "invalid_range", "/to"],
    [{ channels: ["ch_x"] }, "unknown_channel", "/channels/0"],
    [{ from: undefined }, "missing_field", "/from"],
    [{ colour: "red" }, "unknown_field", "/colour"],
  ])("refuses %j", async (body, error, field) => {
    const { key } = await signUp();
    expect(await createReport(key, body)).toMatchObject({ status: 422, body: { error, field } });
  });
});
