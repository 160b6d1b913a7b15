// Each method of each object that works for a workspace finds the workspace's database itself, also after a move.
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { confirmMove, moveWorkspace } from "../../scripts/move/move.ts";
import type { Query } from "../../scripts/query.ts";
import type { PublisherRpc, WebhookDispatcherRpc } from "../../src/env.ts";
import { signUpIn } from "../support/databases.ts";
import { DATABASES, testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { age, getPublisher } from "../support/lanes.ts";
import { DAY_MS } from "../support/machine.ts";
import { type Account, type ChannelBody, call, connect, finished, post, unique } from "../support/world.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

interface Scene {
  account: Account;
  channel: ChannelBody;
}

const databases: Query[] = DATABASES.map((db) => async (sql, ...params) => {
  const statement = db.prepare(sql).bind(...params);
  return (await statement.all<Record<string, unknown>>()).results;
});
const moveOptions = { databases, tell: () => {}, letReadsEnd: async () => {} };
async function move({ workspace }: Account, target: number): Promise<void> {
  await moveWorkspace({ workspace, target, ...moveOptions });
  await confirmMove({ workspace, ...moveOptions });
}

async function publish({ account, channel }: Scene): Promise<string> {
  const { id } = await post(account.key, { text: "here", channels: [channel.id] });
  expect(await finished(account.key, id)).toMatchObject({ status: "published" });
  return id;
}

/** Uses each method of a publisher for a workspace, wherever its rows are. */
const PUBLISHER: Record<
  Exclude<keyof PublisherRpc, keyof Rpc.DurableObjectBranded | "isAtWork">,
  (scene: Scene) => Promise<void>
> = {
  async arm(scene) {
    await publish(scene);
  },
  async followUp(scene) {
    const id = await publish(scene);
    const { workspace, key } = scene.account;
    await age(id, DAY_MS);
    const { stub, lane } = await getPublisher(workspace, scene.channel.id);
    await stub.followUp(lane, { kind: "after_publish", channel: scene.channel.id, posts: [id] });
    await eventually(async () => {
      const { body } = await call<{ deliveries: { checked_at: string | null }[] }>("GET", `/v1/posts/${id}`, {
        token: key,
      });
      expect(body.deliveries[0]?.checked_at).toBeTruthy();
    });
  },
  async lookUp({ account: { key } }) {
    const { id } = await connect(key, "pinterest");
    for (const query of ["", "?refresh=true"]) {
      const path = `/v1/channels/${id}/options/board${query}`;
      const { status, body } = await call<{ options: { value: string }[] }>("GET", path, { token: key });
      expect(status).toBe(200);
      expect(body.options.map(({ value }) => value)).toEqual(["101", "102"]);
    }
  },
  async clear({ account, channel }) {
    const { stub } = await getPublisher(account.workspace, channel.id);
    await stub.clear();
    expect(await runDurableObjectAlarm(stub)).toBe(false);
  },
};

/** Uses each method of the dispatcher of an endpoint. */
const DISPATCHER: Record<
  Exclude<keyof WebhookDispatcherRpc, keyof Rpc.DurableObjectBranded>,
  (scene: Scene) => Promise<void>
> = {
  async wake(scene) {
    const name = unique("hook");
    const address = `${testEnv.RECEIVERS}/_/${name}`;
    await fetch(address, { method: "PUT", body: "[]" });
    await call("POST", "/v1/webhooks", { token: scene.account.key, body: { url: `${testEnv.RECEIVERS}/${name}` } });
    await publish(scene);
    await eventually(async () => expect(await (await fetch(address)).json()).not.toEqual([]));
  },
};

const METHODS = { ...PUBLISHER, ...DISPATCHER };

describe.each(Object.entries(METHODS))("%s", (_, act) => {
  it.each([0, 1, 2])("the method works for a workspace in the database %i", async (home) => {
    const account = await signUpIn(home);
    await act({ account, channel: await connect(account.key, "telegram") });
  });

  it("the method works for a workspace that has moved since the object was last used", async () => {
    const account = await signUpIn(1);
    const scene = { account, channel: await connect(account.key, "telegram") };
    await act(scene);
    await move(account, 2);
    await act(scene);
  });
});
