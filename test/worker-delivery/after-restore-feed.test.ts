// The database is set back to an earlier minute (docs/operations.md): who reads the event feed misses nothing that happens then.
import { expect, it } from "vitest";
import { call, connect, finished, post, signUp } from "../support/world.ts";
import { holdBack, minuteOfAll, restoreWith } from "./restore.ts";

interface Page {
  events: { post: string | null }[];
  next: string | null;
}

it.each([
  ["with what stood before", restoreWith],
  [
    "with nothing but the instant",
    async (setBack: () => Promise<void>) => {
      await setBack();
      await holdBack(Date.now());
    },
  ],
])("a reader of the feed finds what happens after a restore behind its old cursor, %s", async (_, restore) => {
  const { key } = await signUp();
  const channel = await connect(key, "telegram");
  const publish = async (text: string) => finished(key, (await post(key, { text, channels: [channel.id] })).id);
  const read = async (cursor: string | null) =>
    (await call<Page>("GET", `/v1/events?order=oldest${cursor === null ? "" : `&cursor=${cursor}`}`, { token: key }))
      .body;
  await publish("before");
  const setBack = await minuteOfAll();
  for (const text of ["one", "two", "three"]) await publish(text);
  const { events, next } = await read(null);
  expect(events).toHaveLength(4);

  await restore(setBack);
  const { id } = await publish("after");
  expect((await read(next)).events).toMatchObject([{ post: id }]);
  expect((await read(null)).events).toHaveLength(2);
});
