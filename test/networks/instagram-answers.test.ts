// The meaning of Instagram's errors, while a container is created and when it is published.
import { describe, expect, it } from "vitest";
import { instagram } from "../../src/networks/instagram/index.ts";
import { type ConnectedAccount, faultCall, graphError, prepare, prepareKey } from "./containers.ts";
import { account, post } from "./instagram-post.ts";
import { jpeg, ledger, mp4, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();
const onInstagram = (connection: ConnectedAccount, call: string, answer: object) =>
  faultCall(simulators, instagram, connection, call, answer);

describe("creating an Instagram container", () => {
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
  ])("is answered with %j and ends as %j", async (answer, outcome) => {
    const connection = await account();
    await onInstagram(connection, "media", answer);
    expect(await instagram.prepare(await post([jpeg()]), connection.context, null, async () => {})).toMatchObject(
      outcome,
    );
  });

  it.each([
    [graphError(9004, 2207052), 3, { is: "rejected", error: "media_refused" }],
    [graphError(24, 2207006), 1, { is: "rejected", error: "permission_missing" }],
    [graphError(-1, 2207001), 3, { is: "retryable", error: "network_unavailable" }],
  ])("succeeds after %j up to %i times, and then ends as %j", async (graphAnswer, times, last) => {
    const connection = await account();
    const newPost = await post([jpeg()]);
    await onInstagram(connection, "media", { ...graphAnswer, count: times });
    expect(await prepare(instagram, newPost, connection)).toMatchObject({ is: "prepared" });
    await onInstagram(connection, "media", { ...graphAnswer, count: times + 1 });
    const answer = await prepare(instagram, newPost, connection);
    expect(answer).toMatchObject(last);
    expect(answer).not.toHaveProperty("retryAt");
  });
});

describe("an Instagram container that fails", () => {
  const prepareFailing = async (status: string, count = 1) => {
    const connection = await account();
    const body = { id: "1", status_code: "ERROR", status };
    await onInstagram(connection, "ig-container", { do: "status", status: 200, body, count });
    return prepare(instagram, await post([mp4(1_000)]), connection);
  };
  const buildStatus = (subcode: number) => `Error: Media upload has failed with error code ${subcode}`;

  it.each([
    [buildStatus(2207026), "media_refused"],
    [buildStatus(2207009), "media_refused"],
    [buildStatus(2207057), "content_refused"],
  ])("with the status %j is rejected as %s, and a file that caused it is named", async (status, error) => {
    const fileDetail = error === "media_refused" ? { detail: expect.stringMatching(/^file 1 \(med_\d+\)$/) } : {};
    expect(await prepareFailing(status)).toEqual({ is: "rejected", error, networkMessage: status, ...fileDetail });
  });

  it.each([[buildStatus(2207053)], [buildStatus(2207052)], [buildStatus(2207082)], [buildStatus(2207999)], ["Error"]])(
    "with the status %j is created again",
    async (status) => {
      expect(await prepareFailing(status)).toMatchObject({ is: "prepared" });
      const answer = await prepareFailing(status, 10);
      expect(["retryable", "rejected"]).toContain(answer.is);
    },
  );

  it("is retryable if its video cannot be fetched, and rejected if the file is no video", async () => {
    const missing = publication("", { media: [{ ...mp4(1_000), url: "https://media.crier.test/nowhere" }] });
    expect(await prepare(instagram, missing, await account())).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    const image = await post([{ ...jpeg(), kind: "video", contentType: "video/mp4" }]);
    expect(await prepare(instagram, image, await account())).toMatchObject({ is: "rejected", error: "media_refused" });
  });
});

describe("publishing an Instagram container", () => {
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
  ])("is answered with %j and leads to the outcome %j", async (answer, outcome) => {
    const connection = await account();
    const newPost = await post([jpeg()]);
    const publishKey = await prepareKey(instagram, newPost, connection);
    await onInstagram(connection, "media_publish", answer);
    expect(await instagram.publish(newPost, publishKey, connection.context)).toMatchObject(outcome);
    expect(await ledger(simulators, connection.handle)).toEqual([]);
  });

  it('is found live after an answer of "restricted" if the post was published nevertheless', async () => {
    const connection = await account();
    const newPost = await post([jpeg()], {}, "restricted, they said");
    const publishKey = await prepareKey(instagram, newPost, connection);
    await onInstagram(connection, "media_publish", { ...graphError(4, 2207051), do: "status_after_accept" });
    expect(await instagram.publish(newPost, publishKey, connection.context)).toMatchObject({ is: "unknown" });
    const [entry] = await ledger(simulators, connection.handle);
    expect(await instagram.reconcile?.(publishKey, connection.context)).toMatchObject({
      is: "live",
      id: entry?.id,
      url: entry?.url,
    });
  });
});
