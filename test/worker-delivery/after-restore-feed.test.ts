// The database is restored to an earlier minute (docs/operations.md): readers of the event feed miss no later event.
import { expect, it } from "vitest";
import { call, connect, finished, post, signUp } from "../support/world.ts";
import { holdBack, restoreWith, saveDatabase } from "./restore.ts";

interface Page {
  events: { post: string | null }[];
  next: string | null;
}

it.each([
  ["with the saved state", restoreWith],
  [
    "with only the instant of the restore",
    async (setBack: () => Promise<void>) => {
      await setBack();
      await holdBack(Date.now());
    },
  ],
])("lets a reader continue with its old cursor and find the events after a restore, %s", async (_, restore) => {
  const { key } = await signUp();
  const channel = await connect(key, "telegram");
  const publish = async (text: string) => finished(key, (await post(key, { text, channels: [channel.id] })).id);
  const read = async (cursor: string | null) =>
    (await call<Page>("GET", `/v1/events?order=oldest${cursor === null ? "" : `&cursor=${cursor}`}`, { token: key }))
      .body;
  await publish("before");
  const setBack = await saveDatabase();
  for (const text of ["one", "two", "three"]) await publish(text);
  const { events, next } = await read(null);
  expect(events).toHaveLength(4);

  await restore(setBack);
  const { id } = await publish("after");
  expect((await read(next)).events).toMatchObject([{ post: id }]);
  expect((await read(null)).events).toHaveLength(2);
});
