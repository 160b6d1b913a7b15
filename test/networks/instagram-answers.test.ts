// What Instagram's errors mean, while a container is made and when it is published.
import { describe, expect, it } from "vitest";
import { instagram } from "../../src/networks/instagram/index.ts";
import { type ConnectedAccount, faultCall, graphError, prepare, prepareKey } from "./containers.ts";
import { account, post } from "./instagram-post.ts";
import { jpeg, ledger, mp4, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();
const onInstagram = (signed: ConnectedAccount, call: string, what: object) =>
  faultCall(simulators, instagram, signed, call, what);

describe("making a container, answered", () => {
  const busy = { is: "retryable", error: "network_unavailable" };
  const quota = { is: "retryable", error: "network_quota", notBefore: expect.any(Number) };
  const media = { is: "rejected", error: "media_refused", detail: expect.stringContaining("file 1") };
  const content = { is: "rejected", error: "content_refused" };
  const permission = { is: "rejected", error: "permission_missing" };
  const again = { ...busy, retryAt: expect.any(Number) };
  it.each([
    [graphError(-1, 2207001), again],
    [graphError(-1, 2207032), again],
    [graphError(-1, 2207053), again],
    [graphError(-2, 2207003), again],
    [graphError(-2, 2207020), again],
    [graphError(1), busy],
    [graphError(2), busy],
    [graphError(1, 99, { is_transient: true }, 500), busy],
    [{ do: "status", status: 503, body: "<h1>sorry</h1>" }, busy],
    [graphError(24, 2207008), again],
    [graphError(24, 2207006), again],
    [graphError(9004, 2207052), again],
    [graphError(9004), again],
    [graphError(100, 2207052), again],
    [graphError(9007, 2207027), again],
    [graphError(100, 33), again],
    [graphError(4, 2207051), quota],
    [graphError(9, 2207042, {}, 403), quota],
    [graphError(4), quota],
    [graphError(17), quota],
    [graphError(32), quota],
    [graphError(613), quota],
    [graphError(80002), { ...quota, isOfDay: true }],
    [{ do: "status", status: 429, body: "" }, quota],
    [graphError(25, 2207050), permission],
    [graphError(190, 458, {}, 401), { is: "unauthorized" }],
    [graphError(102), { is: "unauthorized" }],
    [graphError(10), permission],
    [graphError(3), permission],
    [graphError(220), permission],
    [graphError(100, 2207023), media],
    [graphError(100, 2207028), content],
    [graphError(352, 2207026), media],
    [graphError(36000, 2207004), media],
    [graphError(36001, 2207005), media],
    [graphError(36003, 2207009), media],
    [graphError(36004, 2207010), content],
    [graphError(100, 2207040), content],
    [graphError(1, 2207057), content],
    [graphError(100, 2207081), content],
    [graphError(1, 2207082), again],
    [graphError(1, 2207077), again],
    [graphError(100), content],
    [graphError(99_999, 2207999), content],
  ])("%j is %j", async (what, outcome) => {
    const signed = await account();
    await onInstagram(signed, "media", what);
    expect(await instagram.prepare(await post([jpeg()]), signed.context, null, async () => {})).toMatchObject(outcome);
  });

  it.each([
    [graphError(9004, 2207052), 3, { is: "rejected", error: "media_refused" }],
    [graphError(24, 2207006), 1, { is: "rejected", error: "permission_missing" }],
    [graphError(-1, 2207001), 3, { is: "retryable", error: "network_unavailable" }],
  ])("%j is got over by a new try, %i times; then it is %j", async (what, times, last) => {
    const signed = await account();
    const of = await post([jpeg()]);
    await onInstagram(signed, "media", { ...what, count: times });
    expect(await prepare(instagram, of, signed)).toMatchObject({ is: "prepared" });
    await onInstagram(signed, "media", { ...what, count: times + 1 });
    const answer = await prepare(instagram, of, signed);
    expect(answer).toMatchObject(last);
    expect(answer).not.toHaveProperty("retryAt");
  });
});

describe("a container that fails", () => {
  const failing = async (status: string, count = 1) => {
    const signed = await account();
    const body = { id: "1", status_code: "ERROR", status };
    await onInstagram(signed, "ig-container", { do: "status", status: 200, body, count });
    return prepare(instagram, await post([mp4(1_000)]), signed);
  };
  const said = (subcode: number) => `Error: Media upload has failed with error code ${subcode}`;

  it.each([
    [said(2207026), "media_refused"],
    [said(2207009), "media_refused"],
    [said(2207057), "content_refused"],
  ])("as %j is refused as %s, and a file that is the cause is named", async (status, error) => {
    const ofFile = error === "media_refused" ? { detail: expect.stringMatching(/^file 1 \(med_\d+\)$/) } : {};
    expect(await failing(status)).toEqual({ is: "rejected", error, networkMessage: status, ...ofFile });
  });

  it.each([[said(2207053)], [said(2207052)], [said(2207082)], [said(2207999)], ["Error"]])(
    "as %j is made anew",
    async (status) => {
      expect(await failing(status)).toMatchObject({ is: "prepared" });
      const answer = await failing(status, 10);
      expect(["retryable", "rejected"]).toContain(answer.is);
    },
  );

  it("because its video cannot be fetched is a matter of waiting, and of a file that is no video of the file", async () => {
    const missing = publication("", { media: [{ ...mp4(1_000), url: "https://media.crier.test/nowhere" }] });
    expect(await prepare(instagram, missing, await account())).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    const image = await post([{ ...jpeg(), kind: "video", contentType: "video/mp4" }]);
    expect(await prepare(instagram, image, await account())).toMatchObject({ is: "rejected", error: "media_refused" });
  });
});

describe("publishing, answered", () => {
  it.each([
    [graphError(9, 2207042, {}, 403), { is: "retryable", error: "network_quota" }],
    [graphError(4), { is: "retryable", error: "network_quota" }],
    [graphError(80002), { is: "retryable", error: "network_quota", isOfDay: true }],
    [
      { do: "status", status: 429, body: {} },
      { is: "retryable", error: "network_quota" },
    ],
    [graphError(9007, 2207027), { is: "retryable", retryAt: expect.any(Number) }],
    [graphError(24, 2207008), { is: "retryable", retryAt: expect.any(Number) }],
    [graphError(190, 463, {}, 401), { is: "unauthorized" }],
    [graphError(25, 2207050), { is: "rejected", error: "permission_missing" }],
    [graphError(10), { is: "rejected", error: "permission_missing" }],
    [graphError(36003, 2207009), { is: "rejected", error: "media_refused" }],
    [graphError(4, 2207051), { is: "unknown" }],
    [graphError(-1, 2207001), { is: "unknown" }],
    [graphError(-2, 2207003), { is: "unknown" }],
    [graphError(1), { is: "unknown" }],
    [graphError(2, undefined, { is_transient: true }), { is: "unknown" }],
    [graphError(99_999), { is: "unknown" }],
    [graphError(100, undefined, {}, 503), { is: "unknown" }],
    [{ do: "status", status: 200, body: "" }, { is: "unknown" }],
  ])("%j is %j", async (what, outcome) => {
    const signed = await account();
    const of = await post([jpeg()]);
    const publishKey = await prepareKey(instagram, of, signed);
    await onInstagram(signed, "media_publish", what);
    expect(await instagram.publish(of, publishKey, signed.context)).toMatchObject(outcome);
    expect(await ledger(simulators, signed.handle)).toEqual([]);
  });

  it("as restricted though it went out is found to be live", async () => {
    const signed = await account();
    const of = await post([jpeg()], {}, "restricted, they said");
    const publishKey = await prepareKey(instagram, of, signed);
    await onInstagram(signed, "media_publish", { ...graphError(4, 2207051), do: "status_after_accept" });
    expect(await instagram.publish(of, publishKey, signed.context)).toMatchObject({ is: "unknown" });
    const [entry] = await ledger(simulators, signed.handle);
    expect(await instagram.reconcile?.(publishKey, signed.context)).toMatchObject({
      is: "live",
      id: entry?.id,
      url: entry?.url,
    });
  });
});
