// The Telegram connector with its simulator, over HTTP.
import { describe, expect, it } from "vitest";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { telegram } from "../../src/networks/telegram/index.ts";
import { file, ledger, makeUnreadable, mp4, png, prepareOnce, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import {
  BOT_TOKEN,
  channel,
  computeSums,
  connectChat,
  faultCall,
  GIF,
  publish,
  rejection,
  SECRET,
} from "./telegram-channel.ts";

withSimulators();

describe("connecting a Telegram channel", () => {
  it("keeps the numeric id, because names change", async () => {
    const first = await connectChat("@by_name");
    expect(first).toMatchObject({
      is: "connected",
      handle: "@by_name",
      profileUrl: "https://t.me/by_name",
      tokenExpiresAt: null,
      credential: { chat_id: expect.stringMatching(/^-100\d+$/), username: "by_name", type: "channel" },
    });
    if (first.is !== "connected") throw new Error(first.is);
    expect(await connectChat(Number(first.accountId))).toMatchObject({ accountId: first.accountId });
  });

  it.each([
    ["a malformed token", "@fine_chat", "nonsense", "/bot_token"],
    ["a token that the network does not know", "@fine_chat", `123456789:${"x".repeat(20)}`, "/bot_token"],
    ["a chat that the bot cannot see", "@missing_chat", BOT_TOKEN, "/chat_id"],
    ["a channel in which it may not post", "@noadmin_chat", BOT_TOKEN, "/chat_id"],
  ])("names the field of %s", async (_, chat, token, field) => {
    expect(await connectChat(chat, token)).toMatchObject({
      is: "credentials_refused",
      field,
      hint: expect.any(String),
    });
  });

  it("is retryable while the network does not answer", async () => {
    await faultCall("@away_chat", "getChat", { do: "reset_before" });
    expect(await connectChat("@away_chat")).toMatchObject({ is: "retryable", error: "network_unavailable" });
    await faultCall(
      "@away_chat",
      "getChatMember",
      rejection(429, "Too Many Requests: retry after 7", { retry_after: 7 }),
    );
    expect(await connectChat("@away_chat")).toMatchObject({ is: "retryable", notBefore: expect.any(Number) });
  });
});

describe("a Telegram post", () => {
  it("is published exactly as written", async () => {
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
      expect(entry).toMatchObject({ text: "Größe", media: await computeSums([media]), detail: { method } });
    }
  });

  it("with several files is one album, in order, with the caption", async () => {
    const files = [png(0), mp4(100_000, { position: 1 }), png(2)];
    const options = { caption_position: "above", spoiler: true, parse_mode: "html" };
    const post = publication("album", { media: files, postType: "carousel", options });
    const entry = await publish(post, await channel());
    expect(entry).toMatchObject({ text: "album", media: await computeSums(files), detail: { album: 3 } });
  });

  it("in a private channel has a URL for its members", async () => {
    const { context } = await channel("private_");
    const post = publication("members");
    const outcome = await telegram.publish(post, await prepareOnce(telegram, post, context), context);
    expect(outcome).toMatchObject({ is: "live", url: expect.stringMatching(/^https:\/\/t\.me\/c\/\d+\/\d+$/) });
  });

  it("in a basic group has no URL", async () => {
    const { handle, context } = await channel();
    const result = { message_id: 7, chat: { id: -4242, type: "group", title: "Friends" } };
    await faultCall(handle, "sendMessage", { do: "status", status: 200, body: { ok: true, result } });
    const outcome = await telegram.publish(publication("hi"), {}, context);
    expect(outcome).toEqual({ is: "live", id: "-4242/7", url: null, urlState: "not_reported" });
  });

  it.each([
    [{ media: [png(0), file(GIF, { contentType: "image/gif" })] }, "media_refused"],
    [{ media: [png(0), png(1)], options: { buttons: [{ text: "x", url: "https://example.com" }] } }, "content_refused"],
  ])("is rejected before it is sent if an album cannot contain it: %j", async (fields, error) => {
    const { context } = await channel();
    const answer = await telegram.prepare(publication("no", fields), context, null, async () => {});
    expect(answer).toMatchObject({ is: "rejected", error });
  });
});

describe("sending a Telegram message", () => {
  it.each([
    [401, "Unauthorized", "token_revoked"],
    [403, "Forbidden: bot was blocked by the user", "permission_missing"],
    [400, "Bad Request: not enough rights to send photos to the chat", "permission_missing"],
    [400, "Bad Request: CHAT_SEND_PHOTOS_FORBIDDEN", "permission_missing"],
    [400, "Bad Request: PHOTO_INVALID_DIMENSIONS", "media_refused"],
    [413, "Request Entity Too Large", "media_refused"],
    [400, "Bad Request: something new", "content_refused"],
  ])("is answered with %i %s and rejected as %3$s", async (status, description, error) => {
    const { handle, context } = await channel();
    await faultCall(handle, "sendMessage", rejection(status, description));
    expect(await telegram.publish(publication("x"), {}, context)).toEqual({
      is: "rejected",
      error,
      networkMessage: description,
    });
    expect(await ledger(simulators, handle)).toEqual([]);
  });

  it("is rejected for lack of permission if the bot was kicked from the channel", async () => {
    const { context } = await channel("kicked_");
    expect(await telegram.publish(publication("x"), {}, context)).toMatchObject({
      is: "rejected",
      error: "permission_missing",
    });
  });

  it("is rejected by the network itself if the caption exceeds the limit", async () => {
    const { context } = await channel();
    const post = publication("x".repeat(1_025), { media: [png()] });
    expect(await telegram.publish(post, {}, context)).toMatchObject({ is: "rejected", error: "content_refused" });
  });

  it("waits as long as a 429 says", async () => {
    const { handle, context } = await channel();
    await faultCall(handle, "sendMessage", rejection(429, "Too Many Requests: retry after 40", { retry_after: 40 }));
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
  ])("is unknown and cannot be reconciled after %j", async (answer) => {
    const { handle, context } = await channel();
    await faultCall(handle, "sendMessage", answer);
    expect(await telegram.publish(publication("once"), {}, context)).toMatchObject({ is: "unknown" });
    expect(await ledger(simulators, handle)).toHaveLength(1);
    expect(telegram).toMatchObject({ republishAfterMs: null, publishTimeoutMs: 90_000 });
    expect(telegram.reconcile).toBeUndefined();
  });

  it("is repeated for the new id at once, with all files, if a group became a supergroup", async () => {
    const { handle, context } = await channel();
    const newChatId = -1_009_876_543_210;
    const description = "Bad Request: group chat was upgraded to a supergroup chat";
    await faultCall(handle, "sendPhoto", rejection(400, description, { migrate_to_chat_id: newChatId }));
    const photo = png();
    const outcome = await telegram.publish(publication("moved", { media: [photo] }), {}, context);
    expect(outcome).toMatchObject({ is: "live", id: expect.stringContaining(`${newChatId}/`) });
    expect(await ledger(simulators, handle)).toEqual([]);
    expect(await ledger(simulators, String(newChatId))).toMatchObject([{ media: await computeSums([photo]) }]);
  });

  it.each([
    [false, { is: "rejected", error: "media_missing" }],
    [true, { is: "retryable", error: "network_unavailable" }],
  ])("sends nothing and reports it if a file cannot be read (retry %s)", async (retry, outcome) => {
    const { handle, context } = await channel();
    const post = publication("album", { media: [png(0), makeUnreadable(png(1), retry)] });
    expect(await telegram.publish(post, {}, context)).toMatchObject({ ...outcome, detail: "file 2 cannot be read" });
    expect(await ledger(simulators, handle)).toEqual([]);
  });
});

it("sends nothing if the bucket fails while the files are sent", async () => {
  const { handle, context } = await channel();
  const broken = { ...png(), open: () => Promise.reject(new Error("internal error 10001")) };
  expect(await telegram.publish(publication("x", { media: [broken] }), {}, context)).toMatchObject({
    is: "retryable",
    error: "network_unavailable",
  });
  expect(await ledger(simulators, handle)).toEqual([]);
});

describe("rechecking a Telegram message", () => {
  it("finds the message until it is removed, and reports if it could not check", async () => {
    const { handle, context } = await channel();
    const outcome = await telegram.publish(publication("seen"), {}, context);
    if (outcome.is !== "live") throw new Error(outcome.is);
    const { id } = outcome;
    expect(await telegram.recheck({ id, publishKey: {} }, context)).toMatchObject({ is: "there" });
    await faultCall(handle, "editMessageReplyMarkup", { do: "reset_before" });
    expect(await telegram.recheck({ id, publishKey: {} }, context)).toMatchObject({ is: "unknown" });
    await faultCall(
      handle,
      "editMessageReplyMarkup",
      rejection(403, "Forbidden: bot was kicked from the channel chat"),
    );
    expect(await telegram.recheck({ id, publishKey: {} }, context)).toMatchObject({ is: "unknown" });
    await fetch(`${simulators.url}/_sim/posts/telegram/${encodeURIComponent(id)}`, { method: "DELETE" });
    expect(await telegram.recheck({ id, publishKey: {} }, context)).toEqual({ is: "gone" });
  });

  it("repeats the buttons in its call, because it would remove them otherwise", async () => {
    const { context, calls } = await channel();
    const post = publication("press", { options: { buttons: [{ text: "Go", url: "https://example.com/" }] } });
    const publishKey = await prepareOnce(telegram, post, context);
    const outcome = await telegram.publish(post, publishKey, context);
    if (outcome.is !== "live") throw new Error(outcome.is);
    await telegram.recheck({ id: outcome.id, publishKey }, context);
    const publishBody = JSON.parse(calls.at(-2)?.body ?? "");
    const recheckBody = JSON.parse(calls.at(-1)?.body ?? "");
    expect(recheckBody.reply_markup).toEqual({ inline_keyboard: [[{ text: "Go", url: "https://example.com/" }]] });
    expect(recheckBody.reply_markup).toEqual(publishBody.reply_markup);
    const before = calls.length;
    expect(await telegram.recheck({ id: outcome.id, publishKey: null }, context)).toMatchObject({ is: "unknown" });
    expect(calls).toHaveLength(before);
  });
});

it("sends the bot's token only to the network", async () => {
  const { handle, context } = await channel();
  const answers: unknown[] = [await connectChat("@missing_chat"), await connectChat("@noadmin_chat")];
  const outcome = await telegram.publish(publication("x"), {}, context);
  if (outcome.is !== "live") throw new Error(outcome.is);
  for (const answer of [
    { do: "reset_before" },
    rejection(401, "Unauthorized"),
    { do: "status", status: 500, body: "x" },
  ]) {
    await faultCall(handle, "sendMessage", answer);
    answers.push(await telegram.publish(publication("x"), {}, context));
    await faultCall(handle, "editMessageReplyMarkup", answer);
    answers.push(await telegram.recheck({ id: outcome.id, publishKey: {} }, context));
  }
  expect(JSON.stringify(answers)).not.toContain(SECRET);
});
