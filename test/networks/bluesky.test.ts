// The Bluesky connector with its simulator, over HTTP: publishing, and what it knows afterwards.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import type { ConnectorContext, NetworkIO, Publication } from "../../src/networks/network.ts";
import { account, answerStatus, faultCall } from "./bluesky-account.ts";
import {
  APP_PASSWORD,
  fault,
  file,
  ledger,
  makeIO,
  makeUnreadable,
  mp4,
  png,
  prepareOnce,
  publication,
  unique,
} from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

async function publish(post: Publication<Json>, { handle, context }: Awaited<ReturnType<typeof account>>) {
  const outcome = await bluesky.publish(post, await prepareOnce(bluesky, post, context), context);
  expect(outcome).toMatchObject({ is: "live", urlState: "none" });
  const entries = await ledger(simulators, handle);
  expect(entries).toHaveLength(1);
  expect(outcome).toMatchObject({ id: entries[0]?.id, url: entries[0]?.url });
  return entries[0] ?? expect.fail("nothing was published");
}

describe("a Bluesky post", () => {
  it("marks links, tags and mentions of existing accounts by their byte positions", async () => {
    const text = "Grüß 👩‍👩‍👧 @alice.bsky.social und @nobody.bsky.social: https://example.com/ä #crier";
    const entry = await publish(publication(text, { options: { link_card: "off", langs: ["de"] } }), await account());
    const bytes = new TextEncoder().encode(text);
    const facets = entry.detail.facets as { index: { byteStart: number; byteEnd: number }; features: Json[] }[];
    expect(entry.text).toBe(text);
    expect(
      facets.map(({ index, features }) => [
        new TextDecoder().decode(bytes.slice(index.byteStart, index.byteEnd)),
        features[0],
      ]),
    ).toMatchObject([
      ["@alice.bsky.social", { $type: "app.bsky.richtext.facet#mention", did: expect.stringMatching(/^did:plc:/) }],
      ["https://example.com/ä", { $type: "app.bsky.richtext.facet#link", uri: "https://example.com/ä" }],
      ["#crier", { $type: "app.bsky.richtext.facet#tag", tag: "crier" }],
    ]);
  });

  const LOOK_UP = "com.atproto.identity.resolveHandle";
  /**
   * The account with Bluesky's public host or its own server unreachable, and a list of the hosts that handles are
   * resolved at.
   */
  function makeUnreachable(host: "public" | "pds", context: ConnectorContext<Json>) {
    const lookups: string[] = [];
    const call = (name: string, fetch: NetworkIO["fetch"]): NetworkIO["fetch"] => {
      return (url, init) => {
        if (url.includes(LOOK_UP)) lookups.push(name);
        return name === host && url.includes(LOOK_UP) ? Promise.reject(new TypeError("away")) : fetch(url, init);
      };
    };
    const { fetch, fetchPublic } = context.io;
    const io = { ...context.io, fetch: call("public", fetch), fetchPublic: call("pds", fetchPublic) };
    return { asked: lookups, context: { ...context, io } };
  }
  const resolveMentions = async (text: string, context: ConnectorContext<Json>) => {
    const answer = await bluesky.prepare(publication(text), context, null, async () => {});
    if (answer.is !== "prepared") return answer.is;
    const { record } = answer.publishKey as { record: { facets?: { features: { did?: string }[] }[] } };
    return (record.facets ?? []).map(({ features }) => features[0]?.did);
  };

  it("resolves a mention of its own account without any request", async () => {
    const { handle, context } = await account();
    const unreachable = makeUnreachable("public", context);
    const { did } = context.credential as { did: string };
    expect(await resolveMentions(`I am @${handle} and @${handle.toUpperCase()}`, unreachable.context)).toEqual([
      did,
      did,
    ]);
    expect(unreachable.asked).toEqual([]);
  });

  it("resolves a mention at the account's own server, without asking a third party unnecessarily", async () => {
    const { context } = await account();
    const unreachable = makeUnreachable("public", context);
    const alice = expect.stringMatching(/^did:plc:/);
    expect(await resolveMentions("@alice.bsky.social and @alice.bsky.social", unreachable.context)).toEqual([
      alice,
      alice,
    ]);
    expect(unreachable.asked).toEqual(["pds"]);
  });

  it.each([
    answerStatus(500, { error: "InternalServerError" }),
    answerStatus(403, "<h1>blocked</h1>"),
    answerStatus(501, {}),
  ])("resolves a mention at the public host if its own server cannot: %j", async (answer) => {
    const { context } = await account();
    await fault(simulators, { platform: "bluesky", call: LOOK_UP, ...answer });
    expect(await resolveMentions("hi @alice.bsky.social", context)).toEqual([expect.stringMatching(/^did:plc:/)]);
  });

  it("leaves a mention as text if neither host resolves it, and asks an unreachable third party only once", async () => {
    const { context } = await account();
    const unreachable = makeUnreachable("public", context);
    const post = "hi @nobody.bsky.social, @nowhere.bsky.social and @alice.bsky.social";
    expect(await resolveMentions(post, unreachable.context)).toEqual([expect.stringMatching(/^did:plc:/)]);
    expect(unreachable.asked).toEqual(["pds", "public", "pds", "pds"]);
  });

  it("waits if its own server does not answer, unless the public host resolves the mention", async () => {
    const { context } = await account();
    expect(await resolveMentions("hi @nobody.bsky.social", makeUnreachable("pds", context).context)).toBe("retryable");
    const resolved = await resolveMentions("hi @alice.bsky.social", makeUnreachable("pds", context).context);
    expect(resolved).toEqual([expect.stringMatching(/^did:plc:/)]);
  });

  it("shows an image with its alt text and size, byte for byte", async () => {
    const image = png(0, "a gradient");
    const entry = await publish(publication("one", { media: [image] }), await account());
    const bytes = Buffer.from(await new Response(await image.open()).arrayBuffer());
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(entry.media).toMatchObject([{ sha256, type: "image/png", alt: "a gradient" }]);
    expect(entry.detail.embed).toMatchObject({
      $type: "app.bsky.embed.images",
      images: [{ alt: "a gradient", aspectRatio: { width: 40, height: 30 } }],
    });
  });

  it("shows five images as a gallery, which requires their sizes", async () => {
    const images = [0, 1, 2, 3, 4].map((i) => png(i, `image ${i}`));
    const entry = await publish(publication("five", { media: images }), await account());
    expect(entry.detail.embed).toMatchObject({ $type: "app.bsky.embed.gallery" });
    expect(entry.media.map(({ alt }) => alt)).toEqual(images.map(({ alt }) => alt));
    const { context } = await account();
    const media = images.map((image, i) => (i === 3 ? { ...image, width: null } : image));
    const answer = await bluesky.prepare(publication("five", { media }), context, null, async () => {});
    expect(answer).toMatchObject({ is: "rejected", error: "media_refused", detail: expect.stringContaining("file 4") });
  });

  it("continues after the uploaded images if a restart interrupts the uploads", async () => {
    const { handle, context } = await account();
    const media = [png(0), png(1), png(2)];
    const saved: Json[] = [];
    const save = async (publishKey: Json) => void saved.push(publishKey);
    await faultCall(handle, "com.atproto.repo.uploadBlob", { do: "reset_before", skip: 2 });
    expect((await bluesky.prepare(publication("three", { media }), context, null, save)).is).toBe("retryable");
    expect(saved).toHaveLength(2);
    const remaining = media.map((image, i) => (i < 2 ? makeUnreadable(image, false) : image));
    const ready = await bluesky.prepare(
      publication("three", { media: remaining }),
      context,
      saved.at(-1) ?? null,
      save,
    );
    expect(ready.is, "the first two are not read again").toBe("prepared");
  });

  it("waits for its video, and asks for the same job after a restart", async () => {
    const { handle, context } = await account();
    const post = publication("moving", { media: [mp4(200_000, { alt: "waves", width: 16, height: 9 })] });
    let publishKey: Json = null;
    let polls = 0;
    for (;;) {
      const answer = await bluesky.prepare(post, context, publishKey, async (saved) => {
        expect(publishKey, "uploaded once").toBeNull();
        publishKey = saved;
      });
      if (answer.is === "prepared") {
        publishKey = answer.publishKey;
        break;
      }
      expect(answer).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
      expect(answer).not.toHaveProperty("notBefore");
      polls++;
    }
    expect(polls).toBe(2);
    expect(await bluesky.publish(post, publishKey, context)).toMatchObject({ is: "live" });
    expect(await ledger(simulators, handle)).toMatchObject([
      {
        media: [{ bytes: 200_000, type: "video/mp4", alt: "waves" }],
        detail: { embed: { $type: "app.bsky.embed.video", aspectRatio: { width: 16, height: 9 } } },
      },
    ]);
  });

  it("keeps its key and its record once they are fixed", async () => {
    const { context } = await account();
    const publishKey = await prepareOnce(bluesky, publication("fixed"), context);
    const calls = makeIO(simulators, "bluesky");
    const again = await bluesky.prepare(publication("fixed"), { ...context, io: calls }, publishKey, async () => {});
    expect(again).toEqual({ is: "prepared", publishKey });
    expect(calls.calls).toEqual([]);
  });
});

describe("a link card", () => {
  it("describes the page behind redirects, and is omitted if they are endless", async () => {
    const server = createServer((request, response) => {
      const path = request.url ?? "/";
      if (path === "/loop") response.writeHead(302, { location: "/loop" }).end();
      else if (path !== "/page") response.writeHead(301, { location: "/page" }).end();
      else
        response
          .setHeader("content-type", "text/html")
          .end('<title>Plain</title><meta property="og:title" content="A &amp; B">');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const address = server.address();
      const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
      const entry = await publish(publication(`look ${origin}/moved`), await account());
      expect(entry.detail.embed).toMatchObject({ external: { uri: `${origin}/moved`, title: "A & B" } });
      expect((await publish(publication(`look ${origin}/loop`), await account())).detail.embed).toBeNull();
    } finally {
      server.close();
    }
  });

  it("is omitted if the address is not public", async () => {
    const entry = await publish(publication("look http://10.0.0.1/admin"), await account());
    expect(entry.detail.embed).toBeNull();
  });
});

it("recheck finds the post, notices its removal, and reports if it could not read it", async () => {
  const { handle, context } = await account();
  const post = publication("seen");
  const publishKey = await prepareOnce(bluesky, post, context);
  const outcome = await bluesky.publish(post, publishKey, context);
  if (outcome.is !== "live") throw new Error(outcome.is);
  expect(await bluesky.recheck({ id: outcome.id, publishKey }, context)).toEqual({ is: "there", url: outcome.url });
  await faultCall(handle, "com.atproto.repo.getRecord", { do: "reset_before" });
  expect(await bluesky.recheck({ id: outcome.id, publishKey }, context)).toMatchObject({ is: "unknown" });
  await fetch(`${simulators.url}/_sim/posts/bluesky/${encodeURIComponent(outcome.id)}`, { method: "DELETE" });
  expect(await bluesky.recheck({ id: outcome.id, publishKey }, context)).toEqual({ is: "gone" });
});

it("a file that is too large for the network is rejected with the reason", async () => {
  const { context } = await account();
  const big = file(new Uint8Array(2_000_001).fill(1), { contentType: "image/png", width: 10, height: 10 });
  const post = publication("big", { media: [big] });
  expect(await bluesky.publish(post, await prepareOnce(bluesky, post, context), context)).toMatchObject({
    is: "rejected",
    error: "media_refused",
  });
});

describe("an account with an unconfirmed email address", () => {
  async function connectUnconfirmed() {
    const io = makeIO(simulators, "bluesky");
    const input = { identifier: `${unique("unconfirmed-")}.bsky.social`, app_password: APP_PASSWORD };
    const connected = await bluesky.connect(input, io);
    if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
    return { credential: connected.credential, io };
  }
  const refusal = {
    is: "rejected",
    error: "permission_missing",
    detail: "Confirm the address in Bluesky's settings, then retry the delivery.",
  };

  it("has to confirm it before any bytes of a video are sent", async () => {
    const { credential, io } = await connectUnconfirmed();
    const post = publication("moving", { media: [mp4(1_000)] });
    expect(await bluesky.prepare(post, { credential, io }, null, async () => {})).toMatchObject(refusal);
    expect(io.calls.filter(({ url }) => url.includes("uploadVideo"))).toEqual([]);
  });

  it("gets the same answer from the upload itself if the service does not report it before", async () => {
    const { credential, io } = await connectUnconfirmed();
    const fetch: NetworkIO["fetch"] = (url, init) =>
      url.includes("getUploadLimits") ? Promise.reject(new TypeError("unreachable")) : io.fetch(url, init);
    const post = publication("moving", { media: [mp4(1_000)] });
    const context = { credential, io: { ...io, fetch } };
    expect(await bluesky.prepare(post, context, null, async () => {})).toMatchObject(refusal);
  });

  it("may post a text and a picture", async () => {
    const context = await connectUnconfirmed();
    const post = publication("still", { media: [png()] });
    expect((await bluesky.publish(post, await prepareOnce(bluesky, post, context), context)).is).toBe("live");
  });
});
