// Writes at the moment of a move, by every kind of caller.
import { expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { isWhole } from "../support/sampled.ts";
import { call } from "../support/world.ts";
import { busy, confirm, homesOf, moveTo, queries } from "./moving.ts";

/** Writes of every kind of caller. Each says the id that its answer has, and where it is listed. */
async function writers({ account, channel }: Awaited<ReturnType<typeof busy>>) {
  const { key, session, workspace } = account;
  const asMember = { "x-workspace": workspace };
  const named = await call<{ key: string }>("POST", `/v1/workspaces/${workspace}/keys`, {
    token: session,
    body: { name: "of a program", scopes: ["draft"] },
  });
  expect(named.status).toBe(201);
  const draft = { text: "x", channels: [channel.id], draft: true };
  return [
    { list: "posts", write: () => call<Written>("POST", "/v1/posts", { token: key, body: draft }) },
    { list: "posts", write: () => call<Written>("POST", "/v1/posts", { token: named.body.key, body: draft }) },
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

it("at each of its statements a write is kept or refused for a while, whoever makes it", async () => {
  const prepared = await busy(1);
  const { account } = prepared;
  const all = await writers(prepared);
  const kept: { list: string; id: string }[] = [];
  let [count, refused] = [0, 0];
  await moveTo(
    2,
    account,
    queries(undefined, async () => {
      if (++count % (isWhole ? 7 : 29) !== 0) return;
      const writer = all[kept.length + refused < all.length ? kept.length + refused : count % all.length];
      if (writer === undefined) return;
      const { status, body } = await writer.write();
      if (status === 503) {
        expect(body.error).toBe("workspace_moving");
        refused++;
        return;
      }
      expect(status).toBe(201);
      kept.push({ list: writer.list, id: body.id ?? body.media?.id ?? body.webhook?.id ?? "" });
    }),
  );
  expect(refused).toBeGreaterThan(all.length);
  for (const { write, list } of all) {
    const { status, body } = await write();
    expect(status).toBe(201);
    kept.push({ list, id: body.id ?? body.media?.id ?? body.webhook?.id ?? "" });
  }
  expect(kept.map(({ id }) => id)).not.toContain("");
  for (const [list, path] of [
    ["posts", "posts?status=draft&limit=200"],
    ["media", "media?limit=200"],
    ["webhooks", "webhooks"],
  ] as const) {
    const { body } = await call<Record<string, { id: string }[]>>("GET", `/v1/${path}`, { token: account.key });
    const ids = (body[list] ?? []).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(kept.filter((one) => one.list === list).map(({ id }) => id)));
    // What was refused is nowhere: `busy` has made a draft, a file and an endpoint.
    expect(ids).toHaveLength(kept.filter((one) => one.list === list).length + 1);
  }
  expect(await homesOf(account)).toEqual([2]);
  expect(await brokenInvariants(account.workspace)).toEqual([]);
  await confirm(account);
});
