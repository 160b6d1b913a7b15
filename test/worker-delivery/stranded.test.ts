// The publish call is answered with 503. The delivery says what Crier is doing about it and until when, and ends soon.
import { expect, it } from "vitest";
import { age } from "../support/lanes.ts";
import { duePost, MINUTE_MS, publishNow } from "../support/machine.ts";
import { connect, endFaults, fault, getPost, ledger, signUp } from "../support/world.ts";

const UNKNOWN_HINT = "It is unknown whether the post was published; check on the network before you send it again.";

async function createStranded() {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  await fault({ platform: "x", account: channel.handle, call: "tweets/create", do: "status", status: 503, body: {} });
  const { id } = await duePost(account, channel);
  await publishNow(account.workspace, channel.id);
  const read = async () => (await getPost(account.key, id)).deliveries[0] ?? expect.fail("no delivery");
  const lookAfter = async (minutes: number) => {
    await age(id, minutes * MINUTE_MS);
    await publishNow(account.workspace, channel.id);
  };
  return { account, channel, id, read, lookAfter };
}

it("tells the state, the reason, the next attempt and the time limit", async () => {
  const { read } = await createStranded();
  const delivery = await read();
  expect(delivery).toMatchObject({ status: "publishing", error: null });
  expect(delivery.hint).toMatch(
    /^The network has not confirmed whether it published the post \(.+\)\. Crier looks for the post until .+ UTC at the latest, and sends nothing twice\.$/,
  );
  expect(Date.parse(delivery.next_attempt_at ?? "")).toBeGreaterThan(Date.parse(delivery.started_at ?? ""));
});

it("ends after a quarter of an hour if the network shows no such post, and sends nothing again", async () => {
  const { channel, read, lookAfter } = await createStranded();
  await lookAfter(5);
  expect(await read()).toMatchObject({ status: "publishing" });
  await lookAfter(11);
  const delivery = await read();
  expect(delivery).toMatchObject({ status: "failed", error: "outcome_unknown", next_attempt_at: null });
  expect(delivery.hint).toBe(`${UNKNOWN_HINT} (the timeline does not show the post)`);
  expect(await ledger(channel.handle)).toEqual([]);
});

it("reconciles longer while the network cannot be asked", async () => {
  const { channel, read, lookAfter } = await createStranded();
  await fault({ platform: "x", account: channel.handle, call: "users/tweets", do: "status", status: 503, count: 9 });
  await lookAfter(5);
  await lookAfter(11);
  expect(await read()).toMatchObject({ status: "publishing" });
  await endFaults(channel.handle);
  await lookAfter(45);
  expect(await read()).toMatchObject({ status: "failed", error: "outcome_unknown" });
});

it("tells that the network was asked if it never answered", async () => {
  const { channel, read, lookAfter } = await createStranded();
  await fault({ platform: "x", account: channel.handle, call: "users/tweets", do: "status", status: 503, count: 20 });
  for (const minutes of [5, 11, 45, 30]) await lookAfter(minutes);
  const delivery = await read();
  expect(delivery).toMatchObject({ status: "failed", error: "outcome_unknown" });
  expect(delivery.hint).toContain(`${UNKNOWN_HINT} (the network was asked and did not say: `);
});
