// The rules for each answer, and the calls of platforms, channels and media.
import { describe, expect, it } from "vitest";
import { networks } from "../../src/networks/index.ts";
import { CREDENTIALS } from "../support/credentials.ts";
import { askDeployment } from "../support/deployment.ts";
import { DEPLOYED, testEnv } from "../support/env.ts";
import { call, connect, signUp, unique } from "../support/world.ts";

describe("each answer", () => {
  it("each answer over https requires https for a year, and an answer over http does not", async () => {
    const paths = ["/", "/auth", "/auth/reset", "/docs", "/openapi.json", "/healthz", "/v1/posts", "/mcp", "/nothing"];
    paths.push("/connect/none", "/oauth/authorize", "/oauth/token", "/.well-known/oauth-authorization-server");
    paths.push("/v1/oauth/google/start", "/v1/channels/callback/x");
    for (const path of paths) {
      const secure = await askDeployment(`https://crier.dev${path}`, DEPLOYED);
      expect(secure.headers.get("strict-transport-security"), path).toBe("max-age=31536000");
      const plain = await askDeployment(`http://crier.test${path}`, {});
      expect(plain.headers.get("strict-transport-security"), path).toBeNull();
    }
  });

  it("each answer has a request id, which a refusal repeats", async () => {
    const answer = await call<{ request_id: string }>("GET", "/v1/nothing");
    expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(answer.headers.get("x-request-id")).toBe(answer.body.request_id);
    expect((await call("GET", "/healthz")).headers.get("x-request-id")).toMatch(/^req_/);
  });

  it("a method that an address does not accept is answered with those that it accepts", async () => {
    const answer = await call("PUT", "/v1/posts");
    expect(answer).toMatchObject({ status: 405, body: { error: "method_not_allowed" } });
    expect(answer.headers.get("allow")).toBe("POST, GET");
  });

  it("strange ids and paths are answered with 404", async () => {
    const { key } = await signUp();
    for (const id of ["..%2f..", "%00", "%2e%2e", "'--", "med_x", "x".repeat(2_000), "%E0%A4%A"]) {
      const answer = await call("GET", `/v1/posts/${id}`, { token: key });
      expect(answer.status, id).toBe(404);
    }
  });
});

describe("GET /v1/platforms", () => {
  it("the list of platforms has the rules that posts are checked against", async () => {
    const answer = await call<{ platforms: object[]; request_only: string[]; upload: object }>("GET", "/v1/platforms");
    expect(answer.body.platforms).toHaveLength(networks.length);
    for (const [i, { rule }] of networks.entries())
      expect(answer.body.platforms[i]).toMatchObject({ ...rule, publishes: "sandbox" });
    expect(answer.body.request_only).toEqual(["reddit", "discord", "snapchat", "wordpress"]);
    expect(answer.body.upload).toEqual({
      available: true,
      max_image_bytes: 26_214_400,
      max_video_bytes: 536_870_912,
      max_chunked_video_bytes: 4_000_000_000,
    });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("channels", () => {
  it("a channel is connected only with credentials that the network accepts, and otherwise nothing is stored", async () => {
    const { key } = await signUp();
    const connectWith = async (platform: string, credentials: object) =>
      call("POST", "/v1/channels", { token: key, body: { platform, handle: "x", credentials } });
    expect(await connectWith("bluesky", { identifier: "x.bsky.social", app_password: "wrong" })).toMatchObject({
      status: 422,
      body: { error: "credentials_invalid", field: "/credentials/app_password" },
    });
    expect(await connectWith("bluesky", { identifier: "x.bsky.social" })).toMatchObject({
      status: 422,
      body: { field: "/credentials/app_password" },
    });
    expect(await connectWith("telegram", { bot_token: "1", chat_id: "@x" })).toMatchObject({
      status: 422,
      body: { field: "/credentials/bot_token" },
    });
    const token = `123456789:${"A".repeat(35)}`;
    expect(await connectWith("telegram", { bot_token: token, chat_id: "@missing_chat" })).toMatchObject({
      status: 422,
      body: { field: "/credentials/chat_id" },
    });
    expect(await connectWith("telegram", { bot_token: token, chat_id: "@noadmin_chat" })).toMatchObject({
      status: 422,
      body: { field: "/credentials/chat_id" },
    });
    expect(await connectWith("telegram", { bot_token: token, chat_id: "@okchat", extra: 1 })).toMatchObject({
      status: 422,
      body: { field: "/credentials/extra" },
    });
    expect((await call<{ channels: [] }>("GET", "/v1/channels", { token: key })).body.channels).toEqual([]);
  });

  it("channels of unknown and request-only platforms are refused", async () => {
    const { key } = await signUp();
    const connectTo = (platform: string) =>
      call("POST", "/v1/channels", { token: key, body: { platform, handle: "x" } });
    expect(await connectTo("reddit")).toMatchObject({
      status: 422,
      body: { error: "connector_request_only", field: "/platform" },
    });
    expect(await connectTo("myspace")).toMatchObject({
      status: 422,
      body: { error: "unknown_platform", field: "/platform" },
    });
  });

  it("the credential of a channel is never returned, and is stored sealed", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "bluesky");
    expect(JSON.stringify(channel)).not.toMatch(/abcd-efgh|(access|refresh)jwt|credential/i);
    const row = await testEnv.DB.prepare("SELECT credential FROM channels WHERE id = ?")
      .bind(channel.id)
      .first<{ credential: string }>();
    expect(row?.credential).toMatch(/^v1\.test\.[\w-]{16}\.[\w-]+$/);
  });

  it("a channel keeps its id when it is connected again, and refuses the credentials of another account", async () => {
    const { key } = await signUp();
    const account = unique("acct");
    const channel = await connect(key, "bluesky", account);
    const reconnect = async (identifier: string) =>
      call("POST", "/v1/channels", {
        token: key,
        body: {
          platform: "bluesky",
          handle: channel.handle,
          credentials: { identifier, app_password: "abcd-efgh-ijkl-mnop" },
        },
      });
    expect(await reconnect(`${account}.bsky.social`)).toMatchObject({ status: 200, body: { id: channel.id } });
    expect(await reconnect(`other${account}.bsky.social`)).toMatchObject({
      status: 422,
      body: { error: "credentials_invalid" },
    });
  });

  it("a workspace has at most as many channels as its plan allows", async () => {
    const { key, workspace } = await signUp();
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(workspace).run();
    for (let i = 0; i < 3; i++) await connect(key, "telegram");
    const fourth = await call("POST", "/v1/channels", { token: key, body: { platform: "telegram", handle: "@four" } });
    expect(fourth).toMatchObject({ status: 402, body: { error: "plan_limit", limit: "channels", allowed: 3 } });
  });

  it("a removed channel returns only if the plan has room, and an existing one is reconnected at the limit", async () => {
    const { key, workspace } = await signUp();
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(workspace).run();
    const reconnect = (account: string) =>
      call("POST", "/v1/channels", { token: key, body: { platform: "telegram", ...CREDENTIALS.telegram?.(account) } });
    const [first, second, third, fourth] = [unique("acct"), unique("acct"), unique("acct"), unique("acct")];
    const removed = await connect(key, "telegram", first);
    await call("DELETE", `/v1/channels/${removed.id}`, { token: key });
    const present = await connect(key, "telegram", second);
    await connect(key, "telegram", third);
    await connect(key, "telegram", fourth);

    expect(await reconnect(first)).toMatchObject({
      status: 402,
      body: { error: "plan_limit", limit: "channels", used: 3, allowed: 3 },
    });
    expect(await reconnect(second)).toMatchObject({ status: 200, body: { id: present.id } });

    await call("DELETE", `/v1/channels/${present.id}`, { token: key });
    expect(await reconnect(first)).toMatchObject({ status: 200, body: { id: removed.id } });
    expect((await call<{ channels: object[] }>("GET", "/v1/channels", { token: key })).body.channels).toHaveLength(3);
  });
});

describe("media", () => {
  it("an upload address signs type and length, and its file can be named at once", async () => {
    const { key } = await signUp();
    const answer = await call<{ upload_url: string; media: { id: string } }>("POST", "/v1/media/upload-url", {
      token: key,
      body: { content_type: "image/png", bytes: 1234, alt: "  " },
    });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        method: "PUT",
        headers: { "Content-Type": "image/png", "Content-Length": "1234" },
        media: { kind: "image", bytes: 1234, state: "awaiting_upload", alt: null },
      },
    });
    expect(new URL(answer.body.upload_url).searchParams.get("X-Amz-SignedHeaders")).toBe(
      "content-length;content-type;host",
    );
    expect((await call("GET", `/v1/media/${answer.body.media.id}`, { token: key })).body).toEqual(answer.body.media);
  });

  it.each([
    [{ content_type: "text/html", bytes: 10 }, "content_type_not_allowed"],
    [{ content_type: "image/png", bytes: 26_214_401 }, "media_too_large"],
    [{ content_type: "video/mp4", bytes: 536_870_913 }, "media_too_large"],
    [{ content_type: "image/png", bytes: 0 }, "invalid_field"],
    [{ content_type: "image/png", bytes: 1.5 }, "invalid_field"],
    [{ content_type: "image/png", bytes: "10" }, "invalid_field"],
    [{ content_type: "image/png", bytes: 10, alt: "a".repeat(2_001) }, "alt_too_long"],
    [{ bytes: 10 }, "missing_field"],
  ])("an upload of %j is refused with %s", async (body, error) => {
    const { key } = await signUp();
    expect(await call("POST", "/v1/media/upload-url", { token: key, body })).toMatchObject({
      status: 422,
      body: { error },
    });
  });

  it("uploads are refused beyond the plan's limit for stored bytes", async () => {
    const { key, workspace } = await signUp();
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(workspace).run();
    const upload = () =>
      call("POST", "/v1/media/upload-url", { token: key, body: { content_type: "video/mp4", bytes: 536_870_912 } });
    expect([(await upload()).status, (await upload()).status]).toEqual([201, 201]);
    expect(await upload()).toMatchObject({
      status: 402,
      body: { error: "plan_limit", limit: "media_bytes", used: 1_073_741_824, allowed: 1_073_741_824 },
    });
  });

  it("a file is registered by its address, checked on request, and listed newest first", async () => {
    const { key } = await signUp();
    const url = `${testEnv.SIMULATORS}/_sim/ledger`;
    const registered = await call<{ id: string }>("POST", "/v1/media", {
      token: key,
      body: { url, kind: "image", alt: "x", verify: true },
    });
    expect(registered).toMatchObject({ status: 201, body: { url, public_url: null, state: "registered", alt: "x" } });
    const unreachable = await call("POST", "/v1/media", {
      token: key,
      body: { url: `${testEnv.SIMULATORS}/_sim/media/none`, kind: "image", verify: true },
    });
    expect(unreachable).toMatchObject({ status: 422, body: { error: "url_unreachable", field: "/url" } });
    const second = await call<{ id: string }>("POST", "/v1/media", { token: key, body: { url, kind: "video" } });
    const list = await call<{ media: { id: string }[] }>("GET", "/v1/media", { token: key });
    expect(list.body.media.map(({ id }) => id)).toEqual([second.body.id, registered.body.id]);
    const some = await call<{ media: { id: string }[] }>("GET", `/v1/media?ids=${registered.body.id},med_none`, {
      token: key,
    });
    expect(some.body.media.map(({ id }) => id)).toEqual([registered.body.id]);
    expect(await call("GET", `/v1/media?ids=${Array(51).fill("a").join(",")}`, { token: key })).toMatchObject({
      status: 422,
      body: { error: "too_many_ids" },
    });
  });
});
