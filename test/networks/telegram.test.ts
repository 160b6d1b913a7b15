// The connector of Telegram against its simulator, over HTTP.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import type { ConnectorContext, Publication } from "../../src/networks/network.ts";
import { telegram } from "../../src/networks/telegram/index.ts";
import {
  type Call,
  fault,
  file,
  ledger,
  makeIO,
  makeUnreadable,
  mp4,
  png,
  prepareOnce,
  publication,
  unique,
} from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const SECRET = "S".repeat(35);
const BOT_TOKEN = `123456789:${SECRET}`;
const GIF = new Uint8Array(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));

const connectTo = (chat_id: string | number, bot_token = BOT_TOKEN) =>
  telegram.connect({ bot_token, chat_id }, makeIO(simulators, "telegram"));

interface Channel {
  handle: string;
  context: ConnectorContext<Json>;
  calls: Call[];
}
async function channel(prefix = "channel_"): Promise<Channel> {
  const handle = `@${unique(prefix)}`;
  const connected = await connectTo(handle);
  if (connected.is !== "connected") throw new Error(JSON.stringify(connected));
  const io = makeIO(simulators, "telegram");
  return { handle, context: { credential: connected.credential, io }, calls: io.calls };
}
const onCall = (handle: string, call: string, what: object) =>
  fault(simulators, { platform: "telegram", account: handle, call, ...what });
const rejection = (status: number, description: string, parameters?: object) => ({
  do: "status",
  status,
  body: { ok: false, error_code: status, description, parameters },
});

async function publish(post: Publication<Json>, { handle, context }: Channel) {
  const outcome = await telegram.publish(post, await prepareOnce(telegram, post, context), context);
  const entries = await ledger(simulators, handle);
  expect(entries).toHaveLength(1);
  expect(outcome).toMatchObject({ is: "live", id: entries[0]?.id, url: entries[0]?.url, urlState: "none" });
  return entries[0] ?? expect.fail("nothing was published");
}

async function sums(files: MediaFile[]) {
  return Promise.all(
    files.map(async (file) => {
      const bytes = Buffer.from(await new Response(await file.open()).arrayBuffer());
      return { bytes: file.bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
    }),
  );
}

describe("connecting", () => {
  it("keeps the numeric id, because names change", async () => {
    const first = await connectTo("@by_name");
    expect(first).toMatchObject({
      is: "connected",
      handle: "@by_name",
      profileUrl: "https://t.me/by_name",
      tokenExpiresAt: null,
      credential: { chat_id: expect.stringMatching(/^-100\d+$/), username: "by_name", type: "channel" },
    });
    if (first.is !== "connected") throw new Error(first.is);
    expect(await connectTo(Number(first.accountId))).toMatchObject({ accountId: first.accountId });
  });

  it.each([
    ["a token of no form", "@fine_chat", "nonsense", "/bot_token"],
    ["a token that the network does not know", "@fine_chat", `123456789:${"x".repeat(20)}`, "/bot_token"],
    ["a chat that the bot cannot see", "@missing_chat", BOT_TOKEN, "/chat_id"],
    ["a channel in which it may not post", "@noadmin_chat", BOT_TOKEN, "/chat_id"],
  ])("names the field of %s", async (_, chat, token, field) => {
    expect(await connectTo(chat, token)).toMatchObject({ is: "credentials_refused", field, hint: expect.any(String) });
  });

  it("is busy when the network is away", async () => {
    await onCall("@away_chat", "getChat", { do: "reset_before" });
    expect(await connectTo("@away_chat")).toMatchObject({ is: "retryable", error: "network_unavailable" });
    await onCall("@away_chat", "getChatMember", rejection(429, "Too Many Requests: retry after 7", { retry_after: 7 }));
    expect(await connectTo("@away_chat")).toMatchObject({ is: "retryable", notBefore: expect.any(Number) });
  });
});

describe("a post", () => {
  it("goes out exactly as written", async () => {
    const text = "<b>not bold</b> *nor this* & 👩‍👩‍👧\n  indented";
    const options = { link_preview: "off", buttons: [{ text: "Go", url: "https://example.com/" }] };
    const entry = await publish(publication(text, { options }), await channel());
    expect(entry).toMatchObject({
      text,
      detail: {
        preview: { is_disabled: true },
        buttons: { inline_keyboard: [[{ text: "Go", url: "https://example.com/" }]] },
      },
    });
  });

  it("with one file is a photo, a video or an animation, byte for byte", async () => {
    const files: [MediaFile, string][] = [
      [png(), "photo"],
      [mp4(300_000), "video"],
      [file(GIF, { contentType: "image/gif" }), "animation"],
    ];
    for (const [media, method] of files) {
      const entry = await publish(publication("Größe", { media: [media] }), await channel());
      expect(entry).toMatchObject({ text: "Größe", media: await sums([media]), detail: { method } });
    }
  });

  it("with several files is one album, in order, under the caption", async () => {
    const files = [png(0), mp4(100_000, { position: 1 }), png(2)];
    const options = { caption_position: "above", spoiler: true, parse_mode: "html" };
    const post = publication("album", { media: files, postType: "carousel", options });
    const entry = await publish(post, await channel());
    expect(entry).toMatchObject({ text: "album", media: await sums(files), detail: { album: 3 } });
  });

  it("in a private channel has an address for its members", async () => {
    const { context } = await channel("private_");
    const post = publication("members");
    const sent = await telegram.publish(post, await prepareOnce(telegram, post, context), context);
    expect(sent).toMatchObject({ is: "live", url: expect.stringMatching(/^https:\/\/t\.me\/c\/\d+\/\d+$/) });
  });

  it("in a basic group has none", async () => {
    const { handle, context } = await channel();
    const result = { message_id: 7, chat: { id: -4242, type: "group", title: "Friends" } };
    await onCall(handle, "sendMessage", { do: "status", status: 200, body: { ok: true, result } });
    const sent = await telegram.publish(publication("hi"), {}, context);
    expect(sent).toEqual({ is: "live", id: "-4242/7", url: null, urlState: "not_reported" });
  });

  it.each([
    [{ media: [png(0), file(GIF, { contentType: "image/gif" })] }, "media_refused"],
    [{ media: [png(0), png(1)], options: { buttons: [{ text: "x", url: "https://example.com" }] } }, "content_refused"],
  ])("that no album can hold is refused before it is sent", async (more, error) => {
    const { context } = await channel();
    const answer = await telegram.prepare(publication("no", more), context, null, async () => {});
    expect(answer).toMatchObject({ is: "rejected", error });
  });
});

describe("sending", () => {
  it.each([
    [401, "Unauthorized", "token_revoked"],
    [403, "Forbidden: bot was blocked by the user", "permission_missing"],
    [400, "Bad Request: not enough rights to send photos to the chat", "permission_missing"],
    [400, "Bad Request: CHAT_SEND_PHOTOS_FORBIDDEN", "permission_missing"],
    [400, "Bad Request: PHOTO_INVALID_DIMENSIONS", "media_refused"],
    [413, "Request Entity Too Large", "media_refused"],
    [400, "Bad Request: something new", "content_refused"],
  ])("answered %i %s is refused with %3$s", async (status, description, error) => {
    const { handle, context } = await channel();
    await onCall(handle, "sendMessage", rejection(status, description));
    expect(await telegram.publish(publication("x"), {}, context)).toEqual({
      is: "rejected",
      error,
      networkMessage: description,
    });
    expect(await ledger(simulators, handle)).toEqual([]);
  });

  it("to a channel that threw the bot out is refused for want of permission", async () => {
    const { context } = await channel("kicked_");
    expect(await telegram.publish(publication("x"), {}, context)).toMatchObject({
      is: "rejected",
      error: "permission_missing",
    });
  });

  it("a caption over the limit is refused by the network itself", async () => {
    const { context } = await channel();
    const post = publication("x".repeat(1_025), { media: [png()] });
    expect(await telegram.publish(post, {}, context)).toMatchObject({ is: "rejected", error: "content_refused" });
  });

  it("waits as long as a 429 says", async () => {
    const { handle, context } = await channel();
    await onCall(handle, "sendMessage", rejection(429, "Too Many Requests: retry after 40", { retry_after: 40 }));
    const before = Date.now();
    const answer = await telegram.publish(publication("x"), {}, context);
    if (answer.is !== "retryable") throw new Error(answer.is);
    expect(answer.notBefore).toBeGreaterThanOrEqual(before + 40_000);
    expect(answer.notBefore).toBeLessThanOrEqual(Date.now() + 40_000);
  });

  it.each([
    { do: "reset_after_accept" },
    {
      do: "status_after_accept",
      status: 500,
      body: { ok: false, error_code: 500, description: "Internal Server Error" },
    },
    { do: "status_after_accept", status: 502, body: "<h1>Bad Gateway</h1>" },
    { do: "status_after_accept", status: 200, body: { ok: true } },
    { do: "status_after_accept", status: 429, body: "<h1>Too many</h1>" },
  ])("that may be out is unsure, and nobody can tell: %j", async (what) => {
    const { handle, context } = await channel();
    await onCall(handle, "sendMessage", what);
    expect(await telegram.publish(publication("once"), {}, context)).toMatchObject({ is: "unknown" });
    expect(await ledger(simulators, handle)).toHaveLength(1);
    expect(telegram).toMatchObject({ republishAfterMs: null, publishTimeoutMs: 90_000 });
    expect(telegram.reconcile).toBeUndefined();
  });

  it("to a group that became a supergroup goes to the new id at once, with all its files", async () => {
    const { handle, context } = await channel();
    const moved = -1_009_876_543_210;
    const description = "Bad Request: group chat was upgraded to a supergroup chat";
    await onCall(handle, "sendPhoto", rejection(400, description, { migrate_to_chat_id: moved }));
    const photo = png();
    const sent = await telegram.publish(publication("moved", { media: [photo] }), {}, context);
    expect(sent).toMatchObject({ is: "live", id: expect.stringContaining(`${moved}/`) });
    expect(await ledger(simulators, handle)).toEqual([]);
    expect(await ledger(simulators, String(moved))).toMatchObject([{ media: await sums([photo]) }]);
  });

  it.each([
    [false, { is: "rejected", error: "media_missing" }],
    [true, { is: "retryable", error: "network_unavailable" }],
  ])("with a file that cannot be read sent nothing, and says so (retry %s)", async (retry, outcome) => {
    const { handle, context } = await channel();
    const post = publication("album", { media: [png(0), makeUnreadable(png(1), retry)] });
    expect(await telegram.publish(post, {}, context)).toMatchObject({ ...outcome, detail: "file 2 cannot be read" });
    expect(await ledger(simulators, handle)).toEqual([]);
  });
});

it("a bucket that fails while the files go out sent nothing either", async () => {
  const { handle, context } = await channel();
  const broken = { ...png(), open: () => Promise.reject(new Error("internal error 10001")) };
  expect(await telegram.publish(publication("x", { media: [broken] }), {}, context)).toMatchObject({
    is: "retryable",
    error: "network_unavailable",
  });
  expect(await ledger(simulators, handle)).toEqual([]);
});

describe("a later look", () => {
  it("finds the message, sees that it was removed, and knows when it saw nothing", async () => {
    const { handle, context } = await channel();
    const sent = await telegram.publish(publication("seen"), {}, context);
    if (sent.is !== "live") throw new Error(sent.is);
    const { id } = sent;
    expect(await telegram.verify({ id, publishKey: {} }, context)).toMatchObject({ is: "there" });
    await onCall(handle, "editMessageReplyMarkup", { do: "reset_before" });
    expect(await telegram.verify({ id, publishKey: {} }, context)).toMatchObject({ is: "unknown" });
    await onCall(handle, "editMessageReplyMarkup", rejection(403, "Forbidden: bot was kicked from the channel chat"));
    expect(await telegram.verify({ id, publishKey: {} }, context)).toMatchObject({ is: "unknown" });
    await fetch(`${simulators.url}/_sim/posts/telegram/${encodeURIComponent(id)}`, { method: "DELETE" });
    expect(await telegram.verify({ id, publishKey: {} }, context)).toEqual({ is: "gone" });
  });

  it("repeats the buttons, so that it does not take them away", async () => {
    const { context, calls } = await channel();
    const post = publication("press", { options: { buttons: [{ text: "Go", url: "https://example.com/" }] } });
    const publishKey = await prepareOnce(telegram, post, context);
    const sent = await telegram.publish(post, publishKey, context);
    if (sent.is !== "live") throw new Error(sent.is);
    await telegram.verify({ id: sent.id, publishKey }, context);
    const sentBody = JSON.parse(calls.at(-2)?.body ?? "");
    const lookBody = JSON.parse(calls.at(-1)?.body ?? "");
    expect(lookBody.reply_markup).toEqual({ inline_keyboard: [[{ text: "Go", url: "https://example.com/" }]] });
    expect(lookBody.reply_markup).toEqual(sentBody.reply_markup);
    const before = calls.length;
    expect(await telegram.verify({ id: sent.id, publishKey: null }, context)).toMatchObject({ is: "unknown" });
    expect(calls).toHaveLength(before);
  });
});

it("the bot's token goes to nobody but the network", async () => {
  const { handle, context } = await channel();
  const answers: unknown[] = [await connectTo("@missing_chat"), await connectTo("@noadmin_chat")];
  const sent = await telegram.publish(publication("x"), {}, context);
  if (sent.is !== "live") throw new Error(sent.is);
  for (const what of [
    { do: "reset_before" },
    rejection(401, "Unauthorized"),
    { do: "status", status: 500, body: "x" },
  ]) {
    await onCall(handle, "sendMessage", what);
    answers.push(await telegram.publish(publication("x"), {}, context));
    await onCall(handle, "editMessageReplyMarkup", what);
    answers.push(await telegram.verify({ id: sent.id, publishKey: {} }, context));
  }
  expect(JSON.stringify(answers)).not.toContain(SECRET);
});
