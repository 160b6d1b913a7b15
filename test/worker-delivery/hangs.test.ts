// If a network does not answer, a delivery that has not been sent has no send intent, and its outcome is not unknown.

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

it("retries the four posts behind two that hang, because they have no send intent and are not unknown", async () => {
  const { key, workspace } = await signUp();
  const posts: { id: string; channel: string; handle: string }[] = [];
  for (let i = 0; i < 6; i++) {
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: `post ${i}`, channels: [channel.id], publish_at: tomorrow() });
    // Posts are due in the order in which they were created.
    await age(id, DAY_MS + 10_000 - i * 1_000);
    posts.push({ id, channel: channel.id, handle: channel.handle });
  }
  const otherChannel = await connect(key, "bluesky");
  const otherPost = await post(key, { text: "elsewhere", channels: [otherChannel.id], publish_at: tomorrow() });
  await age(otherPost.id, DAY_MS);
  const getDelivery = async (id: string) => (await getPost(key, id)).deliveries[0] ?? expect.fail("no delivery");

  // The test decides when the network's time limits end.
  const timers = watchTimers();
  let hanging = 0;
  const world = networksVia((url, act, init) => {
    if (!url.includes("telegram")) return act();
    hanging++;
    return new Promise((_, fail) => init?.signal?.addEventListener("abort", () => fail(init.signal?.reason)));
  });
  const publishing = (await ownPublisher(workspace, posts[0]?.channel ?? "", { world })).work();
  await eventually(() => expect(hanging).toBe(2));
  // Another network does not wait for the hanging calls.
  expect((await finished(key, otherPost.id)).status).toBe("published");
  expect(hanging).toBe(2);
  for (const [i, { id }] of posts.entries()) expect((await getDelivery(id)).attempts, `post ${i}`).toBe(i < 2 ? 1 : 0);

  timers.ring(PUBLISH_TIMEOUT_MS);
  await publishing;
  expect(hanging).toBe(2);
  for (const [i, { id }] of posts.entries()) {
    expect(await getDelivery(id), `post ${i}`).toMatchObject(
      i < 2
        ? { status: "failed", error: "outcome_unknown", attempts: 1 }
        : { status: "retrying", error: "network_unavailable", attempts: 0 },
    );
  }

  vi.restoreAllMocks();
  for (const { id } of posts) await age(id, 60_000);
  await (await ownPublisher(workspace, posts[0]?.channel ?? "")).work();
  for (const [i, { id, handle }] of posts.entries()) {
    if (i >= 2) expect(await getDelivery(id), `post ${i}`).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(handle), `post ${i}`).toHaveLength(i < 2 ? 0 : 1);
  }
  expect(await brokenInvariants(workspace)).toEqual([]);
});
