// Telegram's simulator publishes with every call that it accepts, and rejects calls in the network's words.
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { call, ledger, toUrl, useSimulators } from "./support/driver.ts";

useSimulators();

describe("the simulator of Telegram", () => {
  const bot = `/telegram/bot123456789:${"A".repeat(35)}`;

  it("publishes a repeated message again, because nothing identifies a repetition", async () => {
    for (let i = 0; i < 2; i++)
      expect((await call(`${bot}/sendMessage`, { chat_id: "@repeat", text: "x" })).status).toBe(200);
    expect(await ledger("@repeat")).toHaveLength(2);
  });

  it.each([
    ["sendMessage", { chat_id: "@limits", text: "" }, 400],
    ["sendMessage", { chat_id: "@limits", text: "a".repeat(4_097) }, 400],
    ["sendMessage", { chat_id: "@limits", text: "<b>x", parse_mode: "HTML" }, 400],
    ["sendMessage", { chat_id: "@missing_one", text: "x" }, 400],
    ["sendMessage", { chat_id: "@kicked_one", text: "x" }, 403],
    ["sendMediaGroup", { chat_id: "@limits", media: [] }, 400],
    ["nonsense", {}, 404],
  ])("answers %s %j with %i", async (method, body, status) => {
    expect(await call<{ ok: boolean; error_code: number }>(`${bot}/${method}`, body)).toMatchObject({
      status,
      body: { ok: false, error_code: status },
    });
    expect(await ledger("@limits")).toEqual([]);
  });

  it("accepts a photo with every byte, and rejects a photo that is too wide for its height", async () => {
    const send = async (width: number, height: number) => {
      const form = new FormData();
      form.set("chat_id", "@photos");
      form.set("caption", "c");
      form.set("photo", new Blob([new Uint8Array(makePng(width, height, 1))], { type: "image/png" }), "a.png");
      return (await fetch(toUrl(`${bot}/sendPhoto`), { method: "POST", body: form })).status;
    };
    expect(await send(40, 30)).toBe(200);
    expect(await send(410, 20)).toBe(400);
    expect((await ledger("@photos")).map(({ media }) => media[0]?.bytes)).toEqual([makePng(40, 30, 1).byteLength]);
  });
});

describe("messages on Telegram's simulator", () => {
  const bot = `/telegram/bot123456789:${"A".repeat(35)}`;
  type Message = { message_id: number; media_group_id: string; entities?: object[] };
  const send = (body: object) => call<{ result: Message }>(`${bot}/sendMessage`, body);

  it("form one entry with all files and share a group if they are an album", async () => {
    const form = new FormData();
    form.set("chat_id", "@album");
    const media = [0, 1, 2].map((i) => ({
      type: "photo",
      media: `attach://f${i}`,
      ...(i === 0 ? { caption: "c" } : {}),
    }));
    form.set("media", JSON.stringify(media));
    for (const i of [0, 1, 2]) form.set(`f${i}`, new Blob([new Uint8Array(makePng(20 + i, 20, i))]), `${i}.png`);
    const response = await fetch(toUrl(`${bot}/sendMediaGroup`), { method: "POST", body: form });
    const { result }: { result: Message[] } = await response.json();
    expect(new Set(result.map(({ media_group_id }) => media_group_id)).size).toBe(1);
    const entries = await ledger("@album");
    expect(entries).toMatchObject([{ text: "c", media: [{ type: "image/png" }, {}, {}], detail: { album: 3 } }]);
    expect(entries[0]?.url).toBe(`https://t.me/album/${result[0]?.message_id}`);
  });

  it("are rejected with a photo over 10 MB, or with a URL that answers with a page", async () => {
    const form = new FormData();
    form.set("chat_id", "@big_one");
    form.set("photo", new Blob([new Uint8Array(10 * 1024 * 1024 + 1)]), "big.png");
    const big = await fetch(toUrl(`${bot}/sendPhoto`), { method: "POST", body: form });
    expect(await big.json()).toMatchObject({ error_code: 400, description: "Bad Request: file is too big" });
    for (const [photo, description] of [
      [toUrl("/"), "wrong type of the web page content"],
      [toUrl("/none"), "failed to get HTTP URL content"],
      ["nothing", "wrong file identifier/HTTP URL specified"],
    ])
      expect((await call(`${bot}/sendPhoto`, { chat_id: "@big_one", photo })).body.description).toContain(description);
    expect(await ledger("@big_one")).toEqual([]);
  });

  it("are limited by their text without markup, and keep the markup as entities", async () => {
    const html = { chat_id: "@markup", parse_mode: "HTML", text: `<b>${"a".repeat(4_095)}</b>&lt;` };
    expect((await send(html)).body.result.entities).toEqual([{ type: "bold", offset: 0, length: 4_095 }]);
    expect((await ledger("@markup"))[0]?.text).toBe(`${"a".repeat(4_095)}<`);
    expect((await send({ chat_id: "@markup", parse_mode: "MarkdownV2", text: "*a* \\." })).status).toBe(200);
    for (const text of ["a.", "*a", "[a](b"])
      expect((await send({ chat_id: "@markup", parse_mode: "MarkdownV2", text })).status).toBe(400);
  });

  it("depend on the bot's rights, which follow from the channel's name", async () => {
    const getMember = (chat_id: string) => call<{ result: object }>(`${bot}/getChatMember`, { chat_id, user_id: 1 });
    expect((await getMember("@open_one")).body.result).toMatchObject({
      status: "administrator",
      can_post_messages: true,
    });
    expect((await getMember("@noadmin_one")).body.result).toMatchObject({ status: "member" });
    expect((await send({ chat_id: "@noadmin_one", text: "x" })).status).toBe(400);
    expect((await call(`/telegram/bot12:x/getMe`)).status).toBe(401);
    expect((await call(`/telegram/botx/getMe`)).status).toBe(404);
    await send({ chat_id: "@private_one", text: "x" });
    const { result } = (await call<{ result: { id: number } }>(`${bot}/getChat?chat_id=@private_one`)).body;
    expect((await ledger(String(result.id)))[0]?.url).toMatch(/^https:\/\/t\.me\/c\/\d{10}\/1$/);
  });

  it("lose their keyboard if the rechecking call does not repeat it", async () => {
    const reply_markup = { inline_keyboard: [[{ text: "Go", url: "https://example.com/" }]] };
    const { message_id } = (await send({ chat_id: "@buttons", text: "x", reply_markup })).body.result;
    const probe = (fields: object) =>
      call(`${bot}/editMessageReplyMarkup`, { chat_id: "@buttons", message_id, ...fields });
    expect((await probe({ reply_markup })).body.description).toContain("message is not modified");
    expect((await probe({})).status).toBe(200);
    const withoutButtons = { reply_markup: { inline_keyboard: [] } };
    expect((await probe(withoutButtons)).body.description).toContain("message is not modified");
    expect((await ledger("@buttons"))[0]?.detail.buttons).toBeNull();
  });

  it("can be rechecked with a call that reports whether a message exists", async () => {
    const { message_id } = (await send({ chat_id: "@probe", text: "x" })).body.result;
    const probe = async () => (await call(`${bot}/editMessageReplyMarkup`, { chat_id: "@probe", message_id })).body;
    expect((await probe()).description).toContain("message is not modified");
    expect((await call(`${bot}/deleteMessage`, { chat_id: "@probe", message_id })).status).toBe(200);
    expect((await probe()).description).toContain("message to edit not found");
    expect((await ledger("@probe"))[0]?.deleted).toBe(true);
  });
});
