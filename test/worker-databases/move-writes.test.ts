// Writes of each kind of caller during a move.
import { expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { isExtensive } from "../support/sampled.ts";
import { call } from "../support/world.ts";
import { finishMove, listHomes, moveTo, openBusyWorkspace, openQueries } from "./moving.ts";

/** Prepares writes of each kind of caller, with the list that their result appears in. */
async function prepareWriters({ account, channel }: Awaited<ReturnType<typeof openBusyWorkspace>>) {
  const { key, session, workspace } = account;
  const asMember = { "x-workspace": workspace };
  const namedKey = await call<{ key: string }>("POST", `/v1/workspaces/${workspace}/keys`, {
    token: session,
    body: { name: "of a program", scopes: ["draft"] },
  });
  expect(namedKey.status).toBe(201);
  const draft = { text: "x", channels: [channel.id], draft: true };
  return [
    { list: "posts", write: () => call<Written>("POST", "/v1/posts", { token: key, body: draft }) },
    { list: "posts", write: () => call<Written>("POST", "/v1/posts", { token: namedKey.body.key, body: draft }) },
    {
      list: "posts",
      write: () => call<Written>("POST", "/v1/posts", { token: session, headers: asMember, body: draft }),
    },
    {
      list: "media",
      write: () =>
        call<Written>("POST", "/v1/media/upload-url", { token: key, body: { content_type: "image/png", bytes: 100 } }),
    },
    {
      list: "webhooks",
      write: () => call<Written>("POST", "/v1/webhooks", { token: key, body: { url: `${testEnv.RECEIVERS}/during` } }),
    },
  ];
}
interface Written {
  id?: string;
  media?: { id: string };
  webhook?: { id: string };
  error?: string;
}

it("a write at any statement of a move is stored or refused for a while, whoever makes it", async () => {
  const prepared = await openBusyWorkspace(1);
  const { account } = prepared;
  const allWriters = await prepareWriters(prepared);
  const stored: { list: string; id: string }[] = [];
  let [count, refused] = [0, 0];
  await moveTo(
    2,
    account,
    openQueries(undefined, async () => {
      if (++count % (isExtensive ? 7 : 29) !== 0) return;
      const writer =
        allWriters[stored.length + refused < allWriters.length ? stored.length + refused : count % allWriters.length];
      if (writer === undefined) return;
      const { status, body } = await writer.write();
      if (status === 503) {
        expect(body.error).toBe("workspace_moving");
        refused++;
        return;
      }
      expect(status).toBe(201);
      stored.push({ list: writer.list, id: body.id ?? body.media?.id ?? body.webhook?.id ?? "" });
    }),
  );
  expect(refused).toBeGreaterThan(allWriters.length);
  for (const { write, list } of allWriters) {
    const { status, body } = await write();
    expect(status).toBe(201);
    stored.push({ list, id: body.id ?? body.media?.id ?? body.webhook?.id ?? "" });
  }
  expect(stored.map(({ id }) => id)).not.toContain("");
  for (const [list, path] of [
    ["posts", "posts?status=draft&limit=200"],
    ["media", "media?limit=200"],
    ["webhooks", "webhooks"],
  ] as const) {
    const { body } = await call<Record<string, { id: string }[]>>("GET", `/v1/${path}`, { token: account.key });
    const ids = (body[list] ?? []).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(stored.filter((entry) => entry.list === list).map(({ id }) => id)));
    // A refused write has left nothing. The setup has created a draft, a file and an endpoint.
    expect(ids).toHaveLength(stored.filter((entry) => entry.list === list).length + 1);
  }
  expect(await listHomes(account)).toEqual([2]);
  expect(await brokenInvariants(account.workspace)).toEqual([]);
  await finishMove(account);
});
