// The Bluesky connector against Bluesky's own server, which `npm run pds:install` installs (-> docs/testing.md).
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Simulators, startSimulators } from "../../../simulators/server.ts";
import type { Json } from "../../../src/domain/json.ts";
import { bluesky } from "../../../src/networks/bluesky/index.ts";
import type { ConnectorContext } from "../../../src/networks/network.ts";
import { checkNetwork, connectWith } from "../../live/check.ts";
import type { RemainingPost } from "../../live/live-check.ts";
import { mp4, png, prepareOnce, publication, unique } from "../../networks/network-io.ts";
import { ask, isInstalled, makeIO, type Running, startServer, stopServer } from "./running.ts";

const PASSWORD = "a-long-main-password";
const Session = z.object({ did: z.string(), accessJwt: z.string() });
const Stored = z.object({ uri: z.string(), cid: z.string(), value: z.record(z.string(), z.json()) });
const Records = z.object({ records: z.array(Stored) });

describe.skipIf(!isInstalled)("Bluesky's own server", () => {
  let running: Running;
  let simulators: Simulators;
  beforeAll(async () => {
    [running, simulators] = await Promise.all([startServer(), startSimulators({ port: 0 })]);
  });
  afterAll(async () => {
    await Promise.all([stopServer(running), simulators.close()]);
  });

  interface Account {
    handle: string;
    did: string;
    /** The session of the person, not of the connector. */
    token: string;
    context: ConnectorContext<Json>;
  }

  async function account(): Promise<Account> {
    const handle = `${unique("ada")}.test`;
    const about = { handle, email: `${handle}@example.com`, password: PASSWORD };
    const { did, accessJwt: token } = await ask(running, "com.atproto.server.createAccount", Session, { body: about });
    const AppPassword = z.object({ password: z.string() });
    const { password } = await ask(running, "com.atproto.server.createAppPassword", AppPassword, {
      body: { name: "crier" },
      token,
    });
    const io = makeIO(running, simulators);
    const connected = await bluesky.connect({ identifier: handle, app_password: password }, io);
    if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
    expect(connected).toMatchObject({ accountId: did, handle });
    return { handle, did, token, context: { credential: connected.credential, io } };
  }

  const listRecords = async ({ did }: Account) =>
    (await ask(running, `com.atproto.repo.listRecords?repo=${did}&collection=app.bsky.feed.post`, Records)).records;

  async function publish({ context }: Account, post: ReturnType<typeof publication>) {
    const publishKey = await prepareOnce(bluesky, post, context);
    return { publishKey, outcome: await bluesky.publish(post, publishKey, context) };
  }

  it("accepts an app password at the server that the account's identity names", async () => {
    const { context } = await account();
    expect(context.credential).toMatchObject({ pds: running.pds });
  });

  it("writes a post with its gates in one commit, and writes nothing twice", async () => {
    const ada = await account();
    const lose = (url: string) => url.includes("applyWrites");
    const io = makeIO(running, simulators, lose);
    const post = publication("gated", { options: { reply_rules: ["mentioned", "followers"], quote_rules: "nobody" } });
    const publishKey = await prepareOnce(bluesky, post, ada.context);
    const lost = { ...ada.context, io };
    expect(await bluesky.publish(post, publishKey, lost)).toMatchObject({ is: "live" });
    expect(await bluesky.publish(post, publishKey, ada.context)).toMatchObject({ is: "live" });
    expect(await bluesky.reconcile?.(publishKey, ada.context)).toMatchObject({ is: "live" });
    expect(await listRecords(ada)).toHaveLength(1);
    for (const collection of ["app.bsky.feed.threadgate", "app.bsky.feed.postgate"]) {
      const { records } = await ask(
        running,
        `com.atproto.repo.listRecords?repo=${ada.did}&collection=${collection}`,
        Records,
      );
      expect(records).toHaveLength(1);
    }
  });

  it("refuses a wrong password, and the refusal names the field", async () => {
    const { handle } = await account();
    const io = makeIO(running, simulators);
    const refused = await bluesky.connect({ identifier: handle, app_password: "abcd-efgh-ijkl-mnop" }, io);
    expect(refused).toMatchObject({ is: "credentials_refused", field: "/app_password" });
  });

  it("renews a session by the refresh token or, once that is used up, by a new sign-in", async () => {
    const testAccount = await account();
    const fresh = await bluesky.refresh?.(testAccount.context);
    if (fresh?.is !== "fresh") return expect.fail(JSON.stringify(fresh));
    const next = { ...testAccount, context: { ...testAccount.context, credential: fresh.credential } };
    expect((await publish(next, publication("after a refresh"))).outcome.is).toBe("live");
    const dead = { ...z.record(z.string(), z.json()).parse(fresh.credential), refresh_jwt: "no.token.atall" };
    const again = await bluesky.refresh?.({ ...testAccount.context, credential: dead });
    expect(again?.is).toBe("fresh");
  });

  it("publishes a text with its links, tags and mentions at the right positions", async () => {
    const [testAccount, otherAccount] = [await account(), await account()];
    const text = `Ünïcode 👩‍👩‍👧 first, @${otherAccount.handle}: https://example.com/a?b=c #crier`;
    const { outcome } = await publish(testAccount, publication(text, { options: { link_card: "off" } }));
    expect(outcome.is).toBe("live");
    const [stored] = await listRecords(testAccount);
    expect(stored?.value).toMatchObject({ $type: "app.bsky.feed.post", text });
    const Facets = z.array(
      z.object({
        index: z.object({ byteStart: z.number(), byteEnd: z.number() }),
        features: z.array(z.record(z.string(), z.string())),
      }),
    );
    const bytes = new TextEncoder().encode(text);
    const facets = Facets.parse(stored?.value.facets).map(({ index, features }) => {
      const { $type: _type, ...feature } = features[0] ?? {};
      return [new TextDecoder().decode(bytes.slice(index.byteStart, index.byteEnd)), feature];
    });
    expect(facets).toEqual([
      [`@${otherAccount.handle}`, { did: otherAccount.did }],
      ["https://example.com/a?b=c", { uri: "https://example.com/a?b=c" }],
      ["#crier", { tag: "crier" }],
    ]);
  });

  it("publishes images byte for byte, in order, with their alt texts", async () => {
    const testAccount = await account();
    const media = [png(0, "the first"), png(1, "the second")];
    const { outcome } = await publish(testAccount, publication("two pictures", { media }));
    expect(outcome.is).toBe("live");
    const [stored] = await listRecords(testAccount);
    const Embed = z.object({
      images: z.array(z.object({ alt: z.string(), image: z.object({ ref: z.object({ $link: z.string() }) }) })),
    });
    const { images } = Embed.parse(stored?.value.embed);
    expect(images.map(({ alt }) => alt)).toEqual(["the first", "the second"]);
    for (const [i, { image }] of images.entries()) {
      const blob = await fetch(
        `${running.pds}/xrpc/com.atproto.sync.getBlob?did=${testAccount.did}&cid=${image.ref.$link}`,
      );
      const sum = (body: ArrayBuffer) => createHash("sha256").update(new Uint8Array(body)).digest("hex");
      const original = await new Response(await media[i]?.open()).arrayBuffer();
      expect(sum(await blob.arrayBuffer())).toBe(sum(original));
    }
  });

  it("publishes a link card of the linked page", async () => {
    const testAccount = await account();
    const page: Server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end('<meta property="og:title" content="A page"><meta property="og:description" content="About it">');
    });
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", () => resolve()));
    const address = page.address();
    const uri = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
    const { outcome } = await publish(
      testAccount,
      publication("a card", { options: { link_card: { url: uri, title: "A page" } } }),
    );
    page.close();
    expect(outcome.is).toBe("live");
    expect((await listRecords(testAccount))[0]?.value.embed).toMatchObject({
      $type: "app.bsky.embed.external",
      external: { uri, title: "A page" },
    });
  });

  it("grants the upload of a video, and a refusal of the video service does not end the session", async () => {
    const testAccount = await account();
    const post = publication("a video", { media: [mp4(1_000, { width: 100, height: 100, seconds: 1 })] });
    const answer = await bluesky.prepare(post, testAccount.context, null, async () => {});
    // The simulator's video service does not know the accounts of this server.
    expect(answer.is).toBe("retryable");
    expect(await listRecords(testAccount)).toEqual([]);
  });

  it("finds a post whose answer was lost, and stores it once even if it is sent repeatedly", async () => {
    const testAccount = await account();
    const post = publication("sent once");
    const publishKey = await prepareOnce(bluesky, post, testAccount.context);
    const io = makeIO(running, simulators, (url) => url.includes("com.atproto.repo.putRecord"));
    expect((await bluesky.publish(post, publishKey, { ...testAccount.context, io })).is).toBe("unknown");
    const reconciled = await bluesky.reconcile?.(publishKey, testAccount.context);
    const [stored, ...otherRecords] = await listRecords(testAccount);
    expect(otherRecords).toEqual([]);
    expect(reconciled).toMatchObject({ is: "live", id: stored?.uri });
    expect(await bluesky.publish(post, publishKey, testAccount.context)).toMatchObject({ is: "live", id: stored?.uri });
    expect(await listRecords(testAccount)).toEqual([stored]);
  });

  it("reports that a post which never arrived does not exist", async () => {
    const testAccount = await account();
    const publishKey = await prepareOnce(bluesky, publication("never sent"), testAccount.context);
    expect((await bluesky.reconcile?.(publishKey, testAccount.context))?.is).toBe("not_published");
  });

  it("shows that its user has deleted a post", async () => {
    const testAccount = await account();
    const { publishKey, outcome } = await publish(testAccount, publication("soon gone"));
    if (outcome.is !== "live") return expect.fail(JSON.stringify(outcome));
    expect((await bluesky.recheck({ id: outcome.id, publishKey }, testAccount.context)).is).toBe("there");
    const rkey = outcome.id.split("/").at(-1);
    const body = { repo: testAccount.did, collection: "app.bsky.feed.post", rkey };
    await ask(running, "com.atproto.repo.deleteRecord", z.unknown(), { body, token: testAccount.token });
    expect((await bluesky.recheck({ id: outcome.id, publishKey }, testAccount.context)).is).toBe("gone");
  });

  it("keeps the session when the account changes its handle, and returns the new handle", async () => {
    const testAccount = await account();
    const renamed = `${unique("lovelace")}.test`;
    await ask(running, "com.atproto.identity.updateHandle", z.unknown(), {
      body: { handle: renamed },
      token: testAccount.token,
    });
    expect((await publish(testAccount, publication("under another name"))).outcome.is).toBe("live");
    const fresh = await bluesky.refresh?.(testAccount.context);
    expect(fresh).toMatchObject({ is: "fresh", credential: { handle: renamed, did: testAccount.did } });
  });

  it("passes the live check except for videos, which another service of Bluesky accepts", async () => {
    const { handle, context } = await account();
    const { app_password } = z.object({ app_password: z.string() }).parse(context.credential);
    const answers: string[] = [];
    const remaining = new Set<RemainingPost>();
    let calls = 0;
    const counting = (go: typeof context.io.fetch) => (url: string, init?: RequestInit) => {
      calls++;
      return go(url, init);
    };
    const { fetch, fetchPublic } = context.io;
    const io = { ...context.io, fetch: counting(fetch), fetchPublic: counting(fetchPublic) };
    await checkNetwork({
      network: bluesky,
      io,
      signIn: () => connectWith(bluesky, { identifier: handle, app_password }, io),
      callsSoFar: () => calls,
      options: { link_card: "off" },
      publicFiles: null,
      pause: async () => {},
      stopped: () => false,
      tell: ({ subject, state, message }) => void answers.push(`${state} ${subject} ${message}`),
      remaining,
      keepSecret: () => {},
    });
    for (const subject of ["text", "image"]) {
      expect(answers).toContain(`ok ${subject} rechecked`);
      expect(answers).toContain(`ok ${subject} taken down`);
    }
    expect(answers.filter((line) => line.startsWith("failed"))).toEqual([expect.stringMatching(/^failed video /)]);
    expect(remaining).toEqual(new Set());
  });
});
