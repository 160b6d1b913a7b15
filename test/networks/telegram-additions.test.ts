// Documents on Telegram with their names, and pins of live messages.
import { describe, expect, it } from "vitest";
import { telegram } from "../../src/networks/telegram/index.ts";
import { file, ledger, png, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { type Channel, channel, faultCall, publish } from "./telegram-channel.ts";

withSimulators();

const pdf = (position = 0, name: string | null = null) => ({
  ...file(new Uint8Array(new TextEncoder().encode(`%PDF-1.4 ${position}`)), {
    contentType: "application/pdf",
    position,
  }),
  kind: "document" as const,
  name,
});

describe("a document on Telegram", () => {
  it("goes out alone with its caption, and several as an album of documents", async () => {
    const alone = await publish(publication("the plan", { media: [pdf(0, 'plan "2027".pdf')] }), await channel());
    expect(alone).toMatchObject({
      text: "the plan",
      media: [{ type: "application/pdf" }],
      detail: { method: "document" },
    });
    const media = [pdf(0), pdf(1), pdf(2)];
    const album = await publish(publication("three", { media }), await channel());
    expect(album).toMatchObject({ text: "three", detail: { album: 3 } });
    expect(album.media.map(({ type }) => type)).toEqual(Array.from({ length: 3 }, () => "application/pdf"));
  });

  it.each([
    [{ spoiler: true }, ["spoiler"]],
    [{ caption_position: "above" }, ["caption_position"]],
    [{ spoiler: false, caption_position: "below", silent: true }, []],
  ])("has none of the options that Telegram ignores on it: %j", (options, refused) => {
    const check = (kind: "document" | "image") =>
      telegram.checkOptions?.(options, { postType: "feed", media: [{ kind }] }, 0).map(({ path }) => path[0]);
    expect(check("document")).toEqual(refused);
    expect(check("image")).toEqual([]);
  });

  it("cannot be in an album with photos", async () => {
    const { context } = await channel();
    const post = publication("mixed", { media: [pdf(0), png(1)] });
    const prepared = await telegram.prepare(post, context, null, async () => {});
    if (prepared.is !== "prepared") return expect.fail(prepared.is);
    expect(await telegram.publish(post, prepared.publishKey, context)).toMatchObject({ is: "rejected" });
  });
});

describe("a pin on Telegram", () => {
  const pin = telegram.additions?.pin ?? expect.fail("no pins");

  async function sendMessage(connection: Channel) {
    const { id } = await publish(publication("pin me"), connection);
    const published = { id, publishKey: {} };
    return {
      add: () => pin.add(published, { value: true }, connection.context),
      isThere: () => pin.isThere?.(published, { value: true }, connection.context),
      isPinned: async () => (await ledger(simulators, connection.handle))[0]?.detail.pinned ?? false,
    };
  }

  it("is set once the message is live, and is found after a lost answer", async () => {
    const connection = await channel();
    const { add, isThere, isPinned } = await sendMessage(connection);
    expect(await isThere()).toMatchObject({ is: "not_found" });
    await faultCall(connection.handle, "pinChatMessage", { do: "reset_after_accept" });
    expect((await add()).is).toBe("unknown");
    expect(await isThere()).toEqual({ is: "added" });
    expect(await isPinned()).toBe(true);
  });

  it("is refused in the network's words without the right to pin", async () => {
    const { add, isPinned } = await sendMessage(await channel("nopin_"));
    expect(await add()).toMatchObject({ is: "rejected", error: "permission_missing" });
    expect(await isPinned()).toBe(false);
  });

  it("is refused if the message is gone", async () => {
    const connection = await channel();
    const { id } = await publish(publication("gone"), connection);
    await fetch(`${simulators.url}/_sim/posts/telegram/${encodeURIComponent(id)}`, { method: "DELETE" });
    const answer = await pin.add({ id, publishKey: {} }, { value: true }, connection.context);
    expect(answer).toMatchObject({ is: "rejected", error: "content_refused" });
  });
});
