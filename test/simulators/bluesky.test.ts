// Bluesky's simulator accepts a record once, and rejects the same calls as its server.
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { call, ledger, toUrl, useSimulators } from "./support/driver.ts";

useSimulators();

describe("the simulator of Bluesky", () => {
  const xrpc = "/bluesky/xrpc";
  const signIn = async (identifier: string) => {
    const { body } = await call(`${xrpc}/com.atproto.server.createSession`, {
      identifier,
      password: "abcd-efgh-ijkl-mnop",
    });
    return { did: body.did ?? "", refresh: body.refreshJwt ?? "", auth: { authorization: `Bearer ${body.accessJwt}` } };
  };
  const record = (text: string, fields: object = {}) => ({
    $type: "app.bsky.feed.post",
    text,
    createdAt: "2026-11-21T00:00:00.000Z",
    ...fields,
  });
  const putRecord = (session: Awaited<ReturnType<typeof signIn>>, rkey: string, value: object) =>
    call(
      `${xrpc}/com.atproto.repo.putRecord`,
      { repo: session.did, collection: "app.bsky.feed.post", rkey, record: value, validate: true, swapRecord: null },
      session.auth,
    );

  const refresh = (token: string) =>
    call(`${xrpc}/com.atproto.server.refreshSession`, undefined, { authorization: `Bearer ${token}` }, "POST");
  const uploadBlob = async (session: Awaited<ReturnType<typeof signIn>>, bytes: Uint8Array<ArrayBuffer>) => {
    const headers = { ...session.auth, "content-type": "application/octet-stream" };
    const url = toUrl(`${xrpc}/com.atproto.repo.uploadBlob`);
    const response = await fetch(url, { method: "POST", headers, body: bytes });
    const answer: { blob: { mimeType: string; size: number; ref: { $link: string } } } = await response.json();
    return answer.blob;
  };

  it("accepts the same record twice as one, and rejects another record under its key", async () => {
    const session = await signIn("twice.bsky.social");
    const first = await putRecord(session, "3n2s72t46tqfc", record("once"));
    expect(first.body).toHaveProperty("commit");
    const second = await putRecord(session, "3n2s72t46tqfc", record("once"));
    expect(second.body.cid).toBe(first.body.cid);
    expect(second.body).not.toHaveProperty("commit");
    expect(await putRecord(session, "3n2s72t46tqfc", record("other"))).toMatchObject({
      status: 400,
      body: { error: "InvalidSwap" },
    });
    expect((await ledger("twice.bsky.social")).map(({ token }) => token)).toEqual(["3n2s72t46tqfc"]);
  });

  it("rejects wrong passwords, and expired tokens until they are refreshed", async () => {
    const session = await signIn("tokens.bsky.social");
    const wrong = await call(`${xrpc}/com.atproto.server.createSession`, {
      identifier: "tokens.bsky.social",
      password: "xxxx-xxxx-xxxx-xxxx",
    });
    expect(wrong).toMatchObject({ status: 401, body: { error: "AuthenticationRequired" } });
    await call("/_sim/faults", { platform: "bluesky", account: "tokens.bsky.social", expire_token: true });
    expect(await putRecord(session, "3n2s72t46tqfd", record("x"))).toMatchObject({
      status: 400,
      body: { error: "ExpiredToken" },
    });
    const refreshed = await refresh(session.refresh);
    const auth = { authorization: `Bearer ${refreshed.body.accessJwt}` };
    expect((await putRecord({ ...session, auth }, "3n2s72t46tqfd", record("x"))).status).toBe(200);
  });

  it.each([
    [record("a".repeat(301)), "grapheme too big"],
    [record("ü", { facets: [{ index: { byteStart: 1, byteEnd: 2 }, features: [] }] }), "byte range"],
    [record("x", { facets: [{ index: { byteStart: 0, byteEnd: 9 }, features: [] }] }), "byte range"],
    [record("x", { createdAt: "yesterday" }), "datetime"],
    [record("x", { embed: { $type: "app.bsky.embed.images", images: [] } }), "array too small"],
  ])("rejects the record %j", async (value, message) => {
    const session = await signIn("strict.bsky.social");
    const answer = await putRecord(session, "3n2s72t46tqfe", value);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: "InvalidRequest", message: expect.stringContaining(message) },
    });
    expect(await ledger("strict.bsky.social")).toEqual([]);
  });

  it("accepts only blobs that the account has uploaded", async () => {
    const session = await signIn("blobs.bsky.social");
    const image = { $type: "blob", ref: { $link: "bafkreinone" }, mimeType: "image/png", size: 1 };
    const value = record("x", { embed: { $type: "app.bsky.embed.images", images: [{ image, alt: "" }] } });
    expect(await putRecord(session, "3n2s72t46tqff", value)).toMatchObject({
      status: 400,
      body: { error: "BlobNotFound" },
    });
  });

  it("identifies a blob by its bytes, and rejects a record with a wrong description or an oversized blob", async () => {
    const session = await signIn("images.bsky.social");
    const image = await uploadBlob(session, new Uint8Array(makePng(8, 8, 1)));
    expect(image).toMatchObject({
      mimeType: "image/png",
      ref: { $link: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/) },
    });
    const big = new Uint8Array(2_000_001);
    big.set(new Uint8Array(makePng(8, 8, 1)));
    const buildImagePost = (blob: object, alt: unknown = "a") =>
      record("", { embed: { $type: "app.bsky.embed.images", images: [{ image: blob, alt }] } });
    const refusals: [object, string][] = [
      [buildImagePost({ ...image, mimeType: "image/jpeg" }), "InvalidMimeType"],
      [buildImagePost({ ...image, size: 1 }), "InvalidSize"],
      [buildImagePost(await uploadBlob(session, big)), "BlobTooLarge"],
      [buildImagePost(image, null), "InvalidRequest"],
    ];
    for (const [value, error] of refusals)
      expect(await putRecord(session, "3n2s72t46tqfg", value)).toMatchObject({ status: 400, body: { error } });
    expect((await putRecord(session, "3n2s72t46tqfg", buildImagePost(image))).status).toBe(200);
    expect((await ledger("images.bsky.social"))[0]?.media).toMatchObject([{ bytes: image.size, alt: "a" }]);
  });

  it("answers createRecord with the server's own error if the key is taken", async () => {
    const session = await signIn("create.bsky.social");
    const body = { repo: session.did, collection: "app.bsky.feed.post", rkey: "3n2s72t46tqfh", record: record("x") };
    const create = () => call(`${xrpc}/com.atproto.repo.createRecord`, body, session.auth);
    expect((await create()).status).toBe(200);
    expect(await create()).toMatchObject({ status: 500, body: { error: "InternalServerError" } });
    expect(await ledger("create.bsky.social")).toHaveLength(1);
  });

  it("turns a video into a blob after two polls, and requires a permission for its upload", async () => {
    const session = await signIn("video.bsky.social");
    const grant = (query: object) =>
      call(`${xrpc}/com.atproto.server.getServiceAuth?${new URLSearchParams({ ...query })}`, undefined, session.auth);
    const tooLong = { aud: "did:web:127.0.0.1", lxm: "com.atproto.repo.uploadBlob", exp: Date.now() / 1000 + 7_200 };
    expect((await grant(tooLong)).body.error).toBe("BadExpiration");
    const permission = await grant({ aud: "did:web:127.0.0.1", lxm: "com.atproto.repo.uploadBlob" });
    const upload = async (token = "") => {
      const url = toUrl(`${xrpc}/app.bsky.video.uploadVideo?did=${session.did}&name=a.mp4`);
      const headers = { authorization: `Bearer ${token}`, "content-type": "video/mp4" };
      const response = await fetch(url, { method: "POST", headers, body: new Uint8Array(64) });
      const body: { jobId: string } = await response.json();
      return { status: response.status, body };
    };
    expect((await upload(session.refresh)).status).toBe(401);
    const { jobId } = (await upload(permission.body.token)).body;
    const status = async () =>
      (
        await call<{ jobStatus: { state: string; blob?: object } }>(
          `${xrpc}/app.bsky.video.getJobStatus?jobId=${jobId}`,
        )
      ).body.jobStatus;
    expect([(await status()).blob, (await status()).blob]).toEqual([undefined, undefined]);
    const { state, blob: video } = await status();
    expect(state).toBe("JOB_STATE_COMPLETED");
    const value = record("", { embed: { $type: "app.bsky.embed.video", video } });
    expect((await putRecord(session, "3n2s72t46tqfi", value)).status).toBe(200);
  });

  it("requires every chunk of a video, in any order", async () => {
    const session = await signIn("parts.bsky.social");
    const query = "aud=did:web:127.0.0.1&lxm=com.atproto.repo.uploadBlob";
    const granted = await call(`${xrpc}/com.atproto.server.getServiceAuth?${query}`, undefined, session.auth);
    const auth = { authorization: `Bearer ${granted.body.token}` };
    const sizeBytes = 5 * 1024 * 1024 + 10;
    const started = await call<{ jobId: string; partSizeBytes: number; partCount: number }>(
      `${xrpc}/app.bsky.video.startUpload`,
      { sizeBytes, mimeType: "video/mp4" },
      auth,
    );
    const { jobId, partSizeBytes, partCount } = started.body;
    expect([partCount, partSizeBytes]).toEqual([2, 5 * 1024 * 1024]);
    const uploadChunk = async (number: number, bytes: number) => {
      const url = toUrl(`${xrpc}/app.bsky.video.uploadPart?jobId=${jobId}&partNumber=${number}`);
      const headers = { ...auth, "content-type": "application/octet-stream" };
      const answer = await fetch(url, { method: "POST", headers, body: new Uint8Array(bytes) });
      const body: object = await answer.json();
      expect(body).toMatchObject(answer.ok ? { partNumber: number, sizeBytes: bytes } : { error: "PartSizeMismatch" });
      return answer.status;
    };
    const finish = () => call<{ error: string }>(`${xrpc}/app.bsky.video.finishUpload`, { jobId }, auth);
    expect([await uploadChunk(2, 10), await uploadChunk(1, 10)]).toEqual([200, 400]);
    expect(await finish()).toMatchObject({ status: 400, body: { error: "MissingParts" } });
    expect(await uploadChunk(1, partSizeBytes)).toBe(200);
    expect(await finish()).toMatchObject({ status: 200, body: { completedJobId: expect.any(String) } });
    expect((await finish()).body).toEqual((await finish()).body);
  });

  it("hides a deleted post, and marks its entry as deleted", async () => {
    const session = await signIn("gone.bsky.social");
    await putRecord(session, "3n2s72t46tqfj", record("x"));
    const [entry] = await ledger("gone.bsky.social");
    const read = () =>
      call(`${xrpc}/com.atproto.repo.getRecord?repo=${session.did}&collection=app.bsky.feed.post&rkey=3n2s72t46tqfj`);
    expect((await read()).status).toBe(200);
    await fetch(toUrl(`/_sim/posts/bluesky/${encodeURIComponent(entry?.id ?? "")}`), { method: "DELETE" });
    expect(await read()).toMatchObject({ status: 400, body: { error: "RecordNotFound" } });
    expect((await ledger("gone.bsky.social"))[0]?.deleted).toBe(true);
  });
});

describe("the sessions of Bluesky's simulator", () => {
  const server = "/bluesky/xrpc/com.atproto.server";
  const signIn = (identifier: string, password = "abcd-efgh-ijkl-mnop") =>
    call(`${server}.createSession`, { identifier, password });
  const renew = (token = "") =>
    call(`${server}.refreshSession`, undefined, { authorization: `Bearer ${token}` }, "POST");

  it.each([
    ["@at.bsky.social", undefined],
    ["me@example.com", undefined],
    ["main.bsky.social", "my main password"],
  ])("answers %s with the password %s with 401, and creates no account", async (identifier, password) => {
    expect(await signIn(identifier, password)).toMatchObject({
      status: 401,
      body: { error: "AuthenticationRequired" },
    });
    const handle = encodeURIComponent(identifier);
    expect((await call(`/bluesky/xrpc/com.atproto.identity.resolveHandle?handle=${handle}`)).status).toBe(400);
  });

  it("issue one pair of tokens however often a refresh token is used, and the pair works", async () => {
    const { body } = await signIn("grace.bsky.social");
    const first = await renew(body.refreshJwt);
    const second = await renew(body.refreshJwt);
    expect(second.body.refreshJwt).toBe(first.body.refreshJwt);
    expect((await renew(first.body.refreshJwt)).status).toBe(200);
    expect(await renew(body.accessJwt)).toMatchObject({ status: 400, body: { error: "InvalidToken" } });
  });

  it("cannot be refreshed after they have ended", async () => {
    const { body } = await signIn("ended.bsky.social");
    const auth = { authorization: `Bearer ${body.refreshJwt}` };
    expect((await call(`${server}.deleteSession`, undefined, auth, "POST")).status).toBe(200);
    expect(await renew(body.refreshJwt)).toMatchObject({
      status: 400,
      body: { error: "ExpiredToken", message: "Token has been revoked" },
    });
  });

  it("have an identity document that leads to the simulator, and an access token with an expiry time", async () => {
    const { body } = await signIn("doc.bsky.social");
    const doc = await call<{ service: { id: string; serviceEndpoint: string }[] }>(`/bluesky/${body.did}`);
    expect(doc.body.service).toMatchObject([{ id: "#atproto_pds", serviceEndpoint: toUrl("/bluesky") }]);
    const claims = JSON.parse(Buffer.from(body.accessJwt?.split(".")[1] ?? "", "base64url").toString());
    expect(claims).toMatchObject({ sub: body.did, exp: claims.iat + 7_200 });
    expect((await call("/bluesky/nobody")).status).toBe(404);
  });
});
