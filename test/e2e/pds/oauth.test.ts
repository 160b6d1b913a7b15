// A sign-in in the browser at Bluesky's own server, and publishing with its tokens (-> docs/testing.md).
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Simulators, startSimulators } from "../../../simulators/server.ts";
import type { Json } from "../../../src/domain/json.ts";
import { bluesky } from "../../../src/networks/bluesky/index.ts";
import type { ConnectorContext, NetworkIO } from "../../../src/networks/network.ts";
import { type Deployment, exchange, startDeployment, startSignIn } from "../../networks/bluesky-oauth.ts";
import { mp4, png, prepareOnce, publication, unique } from "../../networks/network-io.ts";
import { Browser } from "./browser.ts";
import { ask, isInstalled, makeIO, type Running, startServer, stopServer } from "./running.ts";

const PASSWORD = "a-long-main-password";
const CLIENT_ID = "https://client.crier.page/oauth-client-metadata.json";

describe.skipIf(!isInstalled)("a sign-in in the browser at Bluesky's own server", () => {
  let running: Running;
  let simulators: Simulators;
  let deployment: Deployment;
  let io: NetworkIO;
  beforeAll(async () => {
    deployment = await startDeployment(CLIENT_ID);
    [running, simulators] = await Promise.all([
      startServer({ id: CLIENT_ID, document: deployment.document }),
      startSimulators({ port: 0 }),
    ]);
    io = { ...makeIO(running, simulators), client: deployment.client };
  });
  afterAll(async () => {
    deployment.close();
    await Promise.all([stopServer(running), simulators.close()]);
  });

  async function createAccount(): Promise<{ handle: string; did: string }> {
    const handle = `${unique("ada")}.test`;
    const body = { handle, email: `${handle}@example.com`, password: PASSWORD };
    const { did } = await ask(running, "com.atproto.server.createAccount", z.object({ did: z.string() }), { body });
    return { handle, did };
  }

  const decide = (url: string, handle: string, decision: "allow" | "refuse" = "allow") =>
    new Browser(url).decide(handle, PASSWORD, decision);

  async function signIn(): Promise<{ handle: string; did: string; context: ConnectorContext<Json> }> {
    const { handle, did } = await createAccount();
    const started = await startSignIn(io, handle);
    const granted = await exchange(io, started, await decide(started.url, handle));
    if (granted.is !== "granted") return expect.fail(JSON.stringify(granted));
    expect(granted.accounts).toMatchObject([{ accountId: did, handle }]);
    return { handle, did, context: { credential: granted.accounts[0]?.credential ?? null, io } };
  }

  it("publishes, rechecks and takes down with its tokens, and renews them", async () => {
    const { context } = await signIn();
    const posts = [
      publication("gated", { options: { reply_rules: ["mentioned"], quote_rules: "nobody" } }),
      publication("a picture", { media: [png(0, "what it shows")] }),
    ];
    let credential = context.credential;
    for (const post of posts) {
      const signedIn = { ...context, credential };
      const publishKey = await prepareOnce(bluesky, post, signedIn);
      const live = await bluesky.publish(post, publishKey, signedIn);
      if (live.is !== "live") return expect.fail(JSON.stringify(live));
      const published = { id: live.id, publishKey };
      expect(await bluesky.recheck(published, signedIn)).toMatchObject({ is: "there" });
      expect(await bluesky.takeDown?.(published, signedIn)).toMatchObject({ is: "taken_down" });
      expect(await bluesky.recheck(published, signedIn)).toMatchObject({ is: "gone" });
      const fresh = await bluesky.refresh?.(signedIn);
      if (fresh?.is !== "fresh") return expect.fail(JSON.stringify(fresh));
      credential = fresh.credential;
    }
  });

  it("is granted the upload of a video", async () => {
    const { context } = await signIn();
    const post = publication("a video", { media: [mp4(1_000, { width: 100, height: 100, seconds: 1 })] });
    // The simulator's video service does not know the accounts of this server.
    expect(await bluesky.prepare(post, context, null, async () => {})).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
  });

  it("ends for good if a refresh token is used twice", async () => {
    const { context } = await signIn();
    const fresh = await bluesky.refresh?.(context);
    if (fresh?.is !== "fresh") return expect.fail(JSON.stringify(fresh));
    const revoked = { is: "rejected", error: "token_revoked" };
    expect(await bluesky.refresh?.(context)).toMatchObject(revoked);
    expect(await bluesky.refresh?.({ ...context, credential: fresh.credential })).toMatchObject(revoked);
  });

  it("leads back without a code if the person refuses", async () => {
    const { handle } = await createAccount();
    const { url } = await startSignIn(io, handle);
    const query = await decide(url, handle, "refuse");
    expect(query.get("error")).toBe("access_denied");
    expect(query.get("iss")).toBe(running.pds);
  });

  it("cannot exchange a code twice", async () => {
    const { handle } = await createAccount();
    const started = await startSignIn(io, handle);
    const query = await decide(started.url, handle);
    expect((await exchange(io, started, query)).is).toBe("granted");
    expect(await exchange(io, started, query)).toMatchObject({ is: "grant_refused" });
  });
});
