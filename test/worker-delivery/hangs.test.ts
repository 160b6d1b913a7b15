// A network that does not answer: what has not left has no send intent, and is not called unknown.

import { afterEach, expect, it, vi } from "vitest";
import { PUBLISH_TIMEOUT_MS } from "../../src/networks/telegram/publish.ts";
import { tomorrow } from "../support/dates.ts";
import { eventually } from "../support/eventually.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS } from "../support/machine.ts";
import { networksVia, ownPublisher } from "../support/own-publisher.ts";
import { watchTimers } from "../support/timers.ts";
import { connect, finished, getPost, ledger, post, signUp } from "../support/world.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("of six posts two hang: the others have no send intent, are tried later, and none of them is unknown", async () => {
  const { key, workspace } = await signUp();
  const posts: { id: string; channel: string; handle: string }[] = [];
  for (let i = 0; i < 6; i++) {
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: `post ${i}`, channels: [channel.id], publish_at: tomorrow() });
    // In the order of their making.
    await age(id, DAY_MS + 10_000 - i * 1_000);
    posts.push({ id, channel: channel.id, handle: channel.handle });
  }
  const other = await connect(key, "bluesky");
  const elsewhere = await post(key, { text: "elsewhere", channels: [other.id], publish_at: tomorrow() });
  await age(elsewhere.id, DAY_MS);
  const delivery = async (id: string) => (await getPost(key, id)).deliveries[0] ?? expect.fail("no delivery");

  // The network's time limits end when the test says so.
  const timers = watchTimers();
  let hanging = 0;
  const world = networksVia((url, act, init) => {
    if (!url.includes("telegram")) return act();
    hanging++;
    return new Promise((_, fail) => init?.signal?.addEventListener("abort", () => fail(init.signal?.reason)));
  });
  const first = (await ownPublisher(workspace, posts[0]?.channel ?? "", { world })).work();
  await eventually(() => expect(hanging).toBe(2));
  // Another network does not wait for it.
  expect((await finished(key, elsewhere.id)).status).toBe("published");
  expect(hanging).toBe(2);
  for (const [i, { id }] of posts.entries()) expect((await delivery(id)).attempts, `post ${i}`).toBe(i < 2 ? 1 : 0);

  timers.ring(PUBLISH_TIMEOUT_MS);
  await first;
  expect(hanging).toBe(2);
  for (const [i, { id }] of posts.entries()) {
    expect(await delivery(id), `post ${i}`).toMatchObject(
      i < 2
        ? { status: "failed", error: "outcome_unknown", attempts: 1 }
        : { status: "retrying", error: "network_unavailable", attempts: 0 },
    );
  }

  vi.restoreAllMocks();
  for (const { id } of posts) await age(id, 60_000);
  await (await ownPublisher(workspace, posts[0]?.channel ?? "")).work();
  for (const [i, { id, handle }] of posts.entries()) {
    if (i >= 2) expect(await delivery(id), `post ${i}`).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(handle), `post ${i}`).toHaveLength(i < 2 ? 0 : 1);
  }
  expect(await brokenInvariants(workspace)).toEqual([]);
});
