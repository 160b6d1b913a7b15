// Instagram: every shape of a post, its options, and what its errors mean.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import type { MediaFile, Publication } from "../../src/networks/network.ts";
import { connected, graphError, ioWithClock, onCall, prepare, readyToken, type Signed } from "./containers.ts";
import { hosted, jpeg, ledger, mp4, png, publication, sumOf, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const DAY_MS = 86_400_000;
const account = () => connected(simulators, instagram);
const host = (files: MediaFile[]) => Promise.all(files.map((file) => hosted(simulators, file)));
const onInstagram = (signed: Signed, call: string, what: object) => onCall(simulators, instagram, signed, call, what);
const post = async (files: MediaFile[], more: Partial<Publication<Json>> = {}, text = "") =>
  publication(text, { ...more, media: await host(files) });
const story = { postType: "story" } as const;

async function publish(of: Publication<Json>, signed: Signed) {
  const outcome = await instagram.publish(of, await readyToken(instagram, of, signed), signed.context);
  expect(outcome).toMatchObject({ is: "live", urlState: "none" });
  const entries = await ledger(simulators, signed.handle);
  expect(entries).toHaveLength(1);
  expect(outcome).toMatchObject({ id: entries[0]?.id, url: entries[0]?.url });
  return entries[0] ?? expect.fail("nothing was published");
}

describe("a post", () => {
  it("of an image goes out as it is written, byte for byte, with its alt text and all that belongs to it", async () => {
    const text = 'Grüß 👩‍👩‍👧 & "so" <b>+ %20</b>\n\n@alice #crier https://example.com/ä?a=1&b=2';
    const image = jpeg(0, "grey & plain");
    const options = { collaborators: ["alice", "bob"], location_id: "1234567890123456789", ai_generated: true };
    const entry = await publish(await post([image], { options }, text), await account());
    expect(entry).toMatchObject({
      text,
      url: expect.stringContaining("/p/"),
      media: [{ ...(await sumOf(image)), type: "image/jpeg", alt: "grey & plain" }],
      detail: {
        media_type: "IMAGE",
        collaborators: '["alice","bob"]',
        location_id: options.location_id,
        is_ai_generated: "true",
      },
    });
  });

  it.each(["feed", "reel"] as const)("of a video is a reel that is in the feed, as a %s", async (postType) => {
    const video = mp4(300_000);
    const entry = await publish(await post([video], { postType }, "moving"), await account());
    expect(entry).toMatchObject({
      text: "moving",
      url: expect.stringContaining("/reel/"),
      media: [await sumOf(video)],
      detail: { media_type: "REELS", share_to_feed: "true" },
    });
  });

  it.each([
    ["manual", "MANUAL"],
    ["performance", "SS_PERFORMANCE"],
  ])("of a reel has its cover, its place and its trial: %s", async (trial_reel, graduation_strategy) => {
    const options = { share_to_feed: false, thumb_offset_ms: 1_500, trial_reel };
    const entry = await publish(await post([mp4(1_000)], { postType: "reel", options }), await account());
    expect(entry.detail).toMatchObject({
      share_to_feed: "false",
      thumb_offset: "1500",
      trial_params: JSON.stringify({ graduation_strategy }),
    });
  });

  it.each([jpeg(0, "unused"), mp4(2_000)])("of one file is a story, without text: $contentType", async (file) => {
    const entry = await publish(await post([file], story), await account());
    expect(entry).toMatchObject({
      text: "",
      url: expect.stringContaining("/stories/"),
      media: [{ ...(await sumOf(file)), alt: null }],
      detail: { media_type: "STORIES" },
    });
  });

  it("of ten files is a carousel in their order, images and videos mixed, with the caption once", async () => {
    const files = Array.from({ length: 10 }, (_, i) =>
      i % 4 === 3 ? mp4(1_000 + i, { position: i }) : jpeg(i, i === 5 ? null : `image ${i}`),
    );
    const options = { location_id: "1", ai_generated: true };
    const entry = await publish(await post(files, { postType: "carousel", options }, "all #ten"), await account());
    expect(entry).toMatchObject({ text: "all #ten", detail: { media_type: "CAROUSEL", is_ai_generated: "true" } });
    const sums = await Promise.all(files.map(sumOf));
    expect(entry.media).toMatchObject(
      files.map(({ kind, alt }, i) => ({ ...sums[i], alt: kind === "image" ? alt : null })),
    );
  });

  it.each([
    ["share_to_feed", false, [jpeg()], "feed"],
    ["thumb_offset_ms", 0, [jpeg(), mp4(1_000)], "carousel"],
    ["trial_reel", "manual", [mp4(1_000)], "story"],
    ["collaborators", ["alice"], [jpeg()], "story"],
    ["location_id", "1", [mp4(1_000)], "story"],
  ] as const)(
    "whose option %s does not go with it is refused before anything is asked",
    async (name, value, media, postType) => {
      const signed = await account();
      const of = publication("", { media: [...media], postType, options: { [name]: value } as Json });
      expect(await prepare(instagram, of, signed)).toMatchObject({
        is: "rejected",
        error: "content_refused",
        detail: expect.stringContaining(`\`${name}\``),
      });
      expect(signed.calls).toEqual([]);
    },
  );

  it("too long, or with an image that is none of its kind, is refused by the network itself", async () => {
    const long = await post([jpeg()], {}, "x".repeat(2_201));
    expect(await prepare(instagram, long, await account())).toMatchObject({ is: "rejected", error: "content_refused" });
    const wide = await post([{ ...png(0), contentType: "image/jpeg" }]);
    expect(await prepare(instagram, wide, await account())).toMatchObject({ is: "rejected", error: "media_refused" });
  });
});

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
    [graphError(9007, 2207027), again],
    [graphError(100, 33), again],
    [graphError(4, 2207051), quota],
    [graphError(9, 2207042, {}, 403), quota],
    [graphError(4), quota],
    [graphError(17), quota],
    [graphError(32), quota],
    [graphError(613), quota],
    [graphError(80002), quota],
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
    const detail = error === "media_refused" ? expect.stringMatching(/^file 1 \(med_\d+\): Error: Media/) : status;
    expect(await failing(status)).toEqual({ is: "rejected", error, detail });
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
    [graphError(80002), { is: "retryable", error: "network_quota" }],
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
    const publishHandle = await readyToken(instagram, of, signed);
    await onInstagram(signed, "media_publish", what);
    expect(await instagram.publish(of, publishHandle, signed.context)).toMatchObject(outcome);
    expect(await ledger(simulators, signed.handle)).toEqual([]);
  });

  it("as restricted though it went out is found to be live", async () => {
    const signed = await account();
    const of = await post([jpeg()], {}, "restricted, they said");
    const publishHandle = await readyToken(instagram, of, signed);
    await onInstagram(signed, "media_publish", { ...graphError(4, 2207051), do: "status_after_accept" });
    expect(await instagram.publish(of, publishHandle, signed.context)).toMatchObject({ is: "unknown" });
    const [entry] = await ledger(simulators, signed.handle);
    expect(await instagram.reconcile?.(publishHandle, signed.context)).toMatchObject({
      is: "live",
      id: entry?.id,
      url: entry?.url,
    });
  });
});

describe("a published post", () => {
  it.each([
    ["an image", jpeg(), "feed", ["views", "reach", "likes", "comments", "saves", "shares"]],
    ["a reel", mp4(1_000), "reel", ["views", "reach", "likes", "comments", "saves", "shares"]],
    ["a story", jpeg(), "story", ["views", "reach", "comments", "shares"]],
  ] as const)("%s has the metrics that are counted for it", async (_, file, postType, names) => {
    const signed = await account();
    const of = await post([file], { postType });
    const publishHandle = await readyToken(instagram, of, signed);
    const outcome = await instagram.publish(of, publishHandle, signed.context);
    const id = outcome.is === "live" ? outcome.id : "";
    expect(await instagram.readMetrics?.({ id, handle: publishHandle }, signed.context)).toEqual({
      is: "read",
      metrics: Object.fromEntries(names.map((name) => [name, expect.any(Number)])),
    });
  });

  it("that is a story ends after a day; before, its removal tells something", async () => {
    const signed = await account();
    const of = await post([jpeg()], story);
    const publishHandle = await readyToken(instagram, of, signed);
    const outcome = await instagram.publish(of, publishHandle, signed.context);
    const id = outcome.is === "live" ? outcome.id : "";
    await fetch(`${simulators.url}/_sim/posts/instagram/${id}`, { method: "DELETE" });
    expect(await instagram.verify({ id, handle: publishHandle }, signed.context)).toEqual({ is: "gone" });
    signed.pass(DAY_MS);
    expect(await instagram.verify({ id, handle: publishHandle }, signed.context)).toMatchObject({ is: "unknown" });
  });
});

describe("connecting", () => {
  const connect = (input: object) => instagram.connect(input as Json, ioWithClock(simulators, "instagram").io);

  it("refuses a personal account and a token of Facebook Login", async () => {
    expect(await connect({ access_token: `access-for-${unique("p")}_personal` })).toMatchObject({
      is: "credentials_refused",
      field: "/access_token",
      message: expect.stringContaining("personal account"),
    });
    expect(await connect({ access_token: "EAAB1234" })).toMatchObject({
      is: "credentials_refused",
      hint: expect.stringContaining("Facebook Login"),
    });
  });

  it.each([
    ["a string", '{"user_id":"17841400000000003","username":"@"}'],
    ["a number too large for JSON", '{"user_id":17841400000000003,"username":"@"}'],
    ["in a list of one", '{"data":[{"user_id":"17841400000000003","username":"@"}]}'],
    ["a number in a list", '{"data":[{"user_id":17841400000000003,"username":"@"}]}'],
  ])("reads the account's id as %s", async (_, body) => {
    const { io } = ioWithClock(simulators, "instagram");
    const handle = unique("me_");
    const me: typeof io.fetch = (to, init) => {
      if (to.includes("/me?")) return Promise.resolve(new Response(body.replace("@", handle)));
      // Nobody has this id: the probe is another matter.
      return to.includes("content_publishing_limit")
        ? Promise.resolve(new Response('{"data":[]}'))
        : io.fetch(to, init);
    };
    const connected = await instagram.connect({ access_token: `access-for-${handle}` }, { ...io, fetch: me });
    expect(connected).toMatchObject({ is: "connected", accountId: "17841400000000003", handle });
  });

  it("takes the short token as it is documented and as it was seen: bare, with a number for an id", async () => {
    const redirectUri = "https://crier.example/back";
    const app = { clientId: "sandbox-instagram", clientSecret: "sandbox", scopes: null };
    const { io } = ioWithClock(simulators, "instagram");
    const asked = new URL(instagram.consent?.address(app, { redirectUri, state: "s", challenge: "" }) ?? "");
    expect(`${asked.origin}${asked.pathname}`).toBe("https://www.instagram.com/oauth/authorize");
    const handle = unique("bare_");
    const url = `${simulators.url}/instagram${asked.pathname}${asked.search}&decision=allow&account=${handle}`;
    const back = new URL((await fetch(url, { redirect: "manual" })).headers.get("location") ?? "nowhere:");
    const reply = { code: back.searchParams.get("code") ?? "", redirectUri, verifier: "" };
    const bare: typeof io.fetch = async (to, init) => {
      const answer = await io.fetch(to, init);
      if (!to.includes("oauth/access_token")) return answer;
      const { data } = (await answer.json()) as { data: { access_token: string; permissions: string }[] };
      const [{ access_token, permissions } = { access_token: "", permissions: "" }] = data;
      return new Response(
        `{"access_token":"${access_token}","user_id":17841400000000001,"permissions":"${permissions}"}`,
      );
    };
    const granted = await instagram.consent?.exchange(reply, app, { ...io, fetch: bare });
    expect(granted).toMatchObject({ is: "granted", accounts: [{ handle }] });
    expect(granted).not.toMatchObject({ accounts: [{ accountId: "17841400000000001" }] });
  });
});
