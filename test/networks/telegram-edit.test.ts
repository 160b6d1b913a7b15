// The text of a live Telegram message: what an edit keeps, and what Telegram refuses.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { telegram } from "../../src/networks/telegram/index.ts";
import { ledger, png, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { BOT_TOKEN, type Channel, channel, connectChat, publish } from "./telegram-channel.ts";

withSimulators();

const editText = telegram.editText ?? expect.fail("no edits");
const OPTIONS = { parse_mode: "none" } as const;
const BUTTONS = [{ text: "Open", url: "https://example.com" }];

async function publishWith(connection: Channel, parts: { photos?: number; buttons?: typeof BUTTONS } = {}) {
  const { photos = 0, buttons } = parts;
  const media = Array.from({ length: photos }, (_, i) => png(i));
  const options = buttons === undefined ? OPTIONS : { ...OPTIONS, buttons };
  const { id } = await publish(publication("before", { media, options }), connection);
  const publishKey: Json = buttons === undefined ? {} : { buttons };
  const published = { id, publishKey };
  const edit = (text: string, context = connection.context) =>
    editText(published, { text, files: photos, options }, context);
  return { edit, published, read: async () => (await ledger(simulators, connection.handle))[0] };
}

describe("the text of a live message", () => {
  it.each([0, 1, 3])("of a message with %i photos is replaced", async (photos) => {
    const { edit, read } = await publishWith(await channel(), { photos });
    expect(await edit("after")).toEqual({ is: "edited", publishKey: { altered: [] } });
    expect(await read()).toMatchObject({ text: "after", detail: { earlier_texts: ["before"], notes: ["Edited"] } });
  });

  it("keeps its buttons, which an edit without them would remove", async () => {
    const { edit, read } = await publishWith(await channel(), { buttons: BUTTONS });
    expect(await edit("after")).toMatchObject({ is: "edited", publishKey: { buttons: BUTTONS } });
    expect(await read()).toMatchObject({ text: "after", detail: { buttons: { inline_keyboard: [BUTTONS] } } });
  });

  it("counts as edited if Telegram says that it is not modified", async () => {
    const { edit, read } = await publishWith(await channel());
    await edit("after");
    expect(await edit("after")).toEqual({ is: "edited", publishKey: { altered: [] } });
    expect((await read())?.detail.earlier_texts).toEqual(["before"]);
  });

  it("cannot be edited without its buttons being known", async () => {
    const { published } = await publishWith(await channel());
    const { context } = await channel();
    const unknown = { ...published, publishKey: null };
    expect(await editText(unknown, { text: "after", files: 0, options: OPTIONS }, context)).toMatchObject({
      is: "rejected",
    });
  });

  it("is refused where the bot may not edit, or another bot sent the message", async () => {
    const { edit } = await publishWith(await channel("noedit_"));
    const refused = {
      is: "rejected",
      error: "content_refused",
      networkMessage: "Bad Request: message can't be edited",
    };
    expect(await edit("after")).toMatchObject(refused);
    const connection = await channel();
    const other = await connectChat(connection.handle, BOT_TOKEN.replace("123456789", "987654321"));
    if (other.is !== "connected") return expect.fail(other.is);
    const { edit: editAsOther } = await publishWith(connection);
    expect(await editAsOther("after", { ...connection.context, credential: other.credential })).toMatchObject(refused);
  });

  it("is missing once the message is deleted", async () => {
    const connection = await channel();
    const { edit, published } = await publishWith(connection);
    await telegram.takeDown?.(published, connection.context);
    expect(await edit("after")).toMatchObject({ is: "missing" });
  });

  it("of a poll has no call", async () => {
    const connection = await channel();
    const poll = { question: "Q", options: ["a", "b"], minutes: 60 };
    const { id } = await publish(publication("", { poll, options: OPTIONS }), connection);
    const edit = { text: "after", files: 0, options: OPTIONS };
    expect(await editText({ id, publishKey: {} }, edit, connection.context)).toMatchObject({
      is: "rejected",
      networkMessage: "Bad Request: there is no text in the message to edit",
    });
  });
});
