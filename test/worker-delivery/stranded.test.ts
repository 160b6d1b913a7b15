// One 503 on the publishing call: the delivery says what is being done about it and until when, and ends soon.
import { expect, it } from "vitest";
import { age } from "../support/lanes.ts";
import { duePost, MINUTE_MS, publishNow } from "../support/machine.ts";
import { connect, endFaults, fault, getPost, ledger, signUp } from "../support/world.ts";

const NOT_KNOWN = "It is unknown whether the post was published; check on the network before you send it again.";

async function stranded() {
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

it("says what is being done, why, when it goes on and until when", async () => {
  const { read } = await stranded();
  const delivery = await read();
  expect(delivery).toMatchObject({ status: "publishing", error: null });
  expect(delivery.hint).toMatch(
    /^The network has not confirmed whether it published the post \(.+\)\. Crier looks for the post until .+ UTC at the latest, and sends nothing twice\.$/,
  );
  expect(Date.parse(delivery.next_attempt_at ?? "")).toBeGreaterThan(Date.parse(delivery.started_at ?? ""));
});

it("ends after a quarter of an hour when the network shows no such post, and sends nothing again", async () => {
  const { channel, read, lookAfter } = await stranded();
  await lookAfter(5);
  expect(await read()).toMatchObject({ status: "publishing" });
  await lookAfter(11);
  const delivery = await read();
  expect(delivery).toMatchObject({ status: "failed", error: "outcome_unknown", next_attempt_at: null });
  expect(delivery.hint).toBe(`${NOT_KNOWN} (the timeline does not show the post)`);
  expect(await ledger(channel.handle)).toEqual([]);
});

it("is looked for longer while the network cannot be asked", async () => {
  const { channel, read, lookAfter } = await stranded();
  await fault({ platform: "x", account: channel.handle, call: "users/tweets", do: "status", status: 503, count: 9 });
  await lookAfter(5);
  await lookAfter(11);
  expect(await read()).toMatchObject({ status: "publishing" });
  await endFaults(channel.handle);
  await lookAfter(45);
  expect(await read()).toMatchObject({ status: "failed", error: "outcome_unknown" });
});

it("says that the network was asked when it gave no answer to the end", async () => {
  const { channel, read, lookAfter } = await stranded();
  await fault({ platform: "x", account: channel.handle, call: "users/tweets", do: "status", status: 503, count: 20 });
  for (const minutes of [5, 11, 45, 30]) await lookAfter(minutes);
  const delivery = await read();
  expect(delivery).toMatchObject({ status: "failed", error: "outcome_unknown" });
  expect(delivery.hint).toContain(`${NOT_KNOWN} (the network was asked and did not say: `);
});
