// Crier never calls itself or its neighbours, whether by an address, by a name or by a redirect. The Worker runs as in
// production and refuses private addresses, and the internet is replaced by a table.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { HOSTILE_ADDRESSES, OWN_HOST, PUBLIC_ADDRESSES } from "../support/addresses.ts";
import { DEPLOYED, testEnv } from "../support/env.ts";
import { stubInternet } from "../support/stubbed-internet.ts";
import { type Account, signUp } from "../support/world.ts";

let account: Account;
beforeAll(async () => {
  account = await signUp();
});
afterEach(() => vi.unstubAllGlobals());

interface CallAnswer {
  status: number;
  body: {
    id?: string;
    error?: string;
    field?: string;
    url?: string;
    message?: string;
    warnings?: object[];
    content_type?: string | null;
    bytes?: number | null;
  };
}

/** Calls a deployment that refuses private addresses. */
async function send(path: string, body: object): Promise<CallAnswer> {
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://crier.test${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${account.key}` },
    body: JSON.stringify(body),
  });
  const execution = createExecutionContext();
  const settings = { ...DEPLOYED, BASE_URL: `https://${OWN_HOST}` };
  const response = await worker.fetch(request, { ...testEnv, ...settings }, execution);
  await waitOnExecutionContext(execution);
  return { status: response.status, body: await response.json() };
}

/** Records by type, as a resolver names them. A list of such tables answers one query after the other. */
type Records = { A?: string[]; AAAA?: string[]; CNAME?: string };
interface Internet {
  names: Record<string, Records | Records[]>;
  pages: Record<string, () => Response | Promise<Response>>;
}
const CODES = { A: 1, AAAA: 28, CNAME: 5 };

/** Replaces the internet by a table. Returns the calls that were made, without the DNS queries. */
function replaceInternet({ names, pages }: Internet): { url: string; init: RequestInit | undefined }[] {
  const calls: { url: string; init: RequestInit | undefined }[] = [];
  const queryCounts = new Map<string, number>();
  stubInternet(async (input, init) => {
    const url = new URL(input);
    if (url.hostname !== "cloudflare-dns.com") {
      calls.push({ url: url.href, init });
      const page = pages[url.href];
      if (page === undefined) throw new Error("Network connection lost.");
      return page();
    }
    const name = url.searchParams.get("name") ?? "";
    const type = url.searchParams.get("type") === "AAAA" ? "AAAA" : "A";
    const times = queryCounts.get(`${name} ${type}`) ?? 0;
    queryCounts.set(`${name} ${type}`, times + 1);
    const entry = names[name];
    const records = Array.isArray(entry) ? (entry[times] ?? {}) : (entry ?? {});
    const answers = (records[type] ?? []).map((data) => ({ name, type: CODES[type], data }));
    const alias = records.CNAME === undefined ? [] : [{ name, type: CODES.CNAME, data: records.CNAME }];
    return Response.json({ Status: 0, Answer: [...alias, ...answers] });
  });
  return calls;
}

const PUBLIC: Records = { A: ["93.184.215.14"], AAAA: ["2606:2800:21f:cb07:6820:80da:af6b:8b2c"] };
const file = () => new Response(new Uint8Array(64), { status: 206, headers: FILE_HEADERS });
const FILE_HEADERS = { "content-type": "image/png; x=y", "content-range": "bytes 0-63/1234" };
const redirect = (location: string) => () => new Response(null, { status: 302, headers: { location } });
const verify = (url: string) => send("/v1/media", { url, kind: "image", verify: true });

describe("POST /v1/media", () => {
  it.each(HOSTILE_ADDRESSES)("refuses the address %s without a call", async (url) => {
    const calls = replaceInternet({ names: {}, pages: {} });
    const answer = await verify(url);
    expect(answer).toMatchObject({ status: 422, body: { error: expect.stringMatching(/^url_not_(public|https)$/) } });
    expect(answer.body.field).toBe("/url");
    expect(calls).toEqual([]);
  });

  it.each(PUBLIC_ADDRESSES)("accepts the address %s, and calls it only on request", async (url) => {
    const calls = replaceInternet({ names: {}, pages: {} });
    expect(await send("/v1/media", { url, kind: "image" })).toMatchObject({ status: 201 });
    expect(calls).toEqual([]);
  });
});

describe("a public IP address", () => {
  const url = "https://8.8.8.8/a.png";
  const warnings = [{ code: "ip_address_host", message: expect.stringContaining("Use a host name.") }];

  it("a public IP address is accepted with a warning, because Workers cannot call it", async () => {
    const calls = replaceInternet({ names: {}, pages: { [url]: file } });
    expect(await send("/v1/media", { url, kind: "image" })).toMatchObject({ status: 201, body: { warnings } });
    expect(await send("/v1/webhooks", { url })).toMatchObject({ status: 201, body: { warnings } });
    expect(calls).toEqual([]);
  });

  it("a public IP address cannot be inspected, and is not called as a webhook", async () => {
    const calls = replaceInternet({ names: {}, pages: { [url]: file } });
    expect(await verify(url)).toMatchObject({
      status: 422,
      body: { error: "url_unreachable", field: "/url", message: expect.stringContaining("is an IP address") },
    });
    const { body } = await send("/v1/webhooks", { url });
    expect(await send(`/v1/webhooks/${body.id}/test`, {})).toMatchObject({ body: { outcome: "blocked" } });
    expect(calls).toEqual([]);
  });

  it("a host name is accepted without a warning", async () => {
    replaceInternet({ names: {}, pages: {} });
    const answer = await send("/v1/media", { url: "https://cdn.example.net/a.png", kind: "image" });
    expect(answer).toMatchObject({ status: 201, body: { warnings: [] } });
  });
});

describe("a host name that is verified", () => {
  const url = "https://cdn.example.net/a.png";
  const resolveTo = (records: Records | Records[]) =>
    replaceInternet({ names: { "cdn.example.net": records }, pages: { [url]: file } });

  it("a host name is called once, without our credentials, if all its addresses are public", async () => {
    const calls = resolveTo(PUBLIC);
    expect(await verify(url)).toMatchObject({ status: 201, body: { content_type: "image/png", bytes: 1234 } });
    expect(calls).toHaveLength(1);
    expect(Object.keys(calls[0]?.init?.headers ?? {})).toEqual(["range"]);
    expect(calls[0]?.init?.redirect).toBe("manual");
  });

  it.each<[string, Records]>([
    ["no address", {}],
    ["a private address", { A: ["10.0.0.1"] }],
    ["a loopback address", { A: ["127.0.0.1"] }],
    ["a metadata address", { A: ["169.254.169.254"] }],
    ["a public and a private address", { A: ["93.184.215.14", "192.168.0.1"] }],
    ["a public IPv4 and a private IPv6 address", { A: ["93.184.215.14"], AAAA: ["fd00:ec2::254"] }],
    ["a mapped loopback address", { AAAA: ["::ffff:127.0.0.1"] }],
    ["an alias of a private address", { CNAME: "printer.example.net.", A: ["192.168.1.9"] }],
    ["an alias without an address", { CNAME: "gone.example.net." }],
    ["text instead of an address", { A: ["example.com"] }],
  ])("a host name with %s is refused and not called", async (_name, records) => {
    const calls = resolveTo(records);
    expect(await verify(url)).toMatchObject({ status: 422, body: { error: "url_not_public", field: "/url" } });
    expect(calls).toEqual([]);
  });

  it.each(["https://127.0.0.1.nip.io/", "https://10-0-0-1.nip.io/", "https://localtest.me/"])(
    "%s looks public, but is refused and not called",
    async (address) => {
      const calls = replaceInternet({ names: { [new URL(address).hostname]: { A: ["127.0.0.1"] } }, pages: {} });
      expect(await verify(address)).toMatchObject({ status: 422, body: { error: "url_not_public" } });
      expect(calls).toEqual([]);
    },
  );

  it("a host name that cannot be resolved at the moment is refused with url_unreachable", async () => {
    stubInternet(async () => new Response("<h1>502</h1>", { status: 502 }));
    expect(await verify(url)).toMatchObject({ status: 422, body: { error: "url_unreachable", field: "/url" } });
    stubInternet(async () => Promise.reject(new Error("internal error")));
    expect(await verify(url)).toMatchObject({ status: 422, body: { error: "url_unreachable" } });
  });
});

describe("a redirect", () => {
  const names = {
    "cdn.example.net": PUBLIC,
    "inside.example.net": { A: ["10.0.0.1"] },
    "b.example.net": PUBLIC,
  };
  const start = "https://cdn.example.net/0";

  it.each([
    ["https://169.254.169.254/latest/meta-data/", "url_not_public"],
    ["http://169.254.169.254/latest/meta-data/", "url_not_https"],
    ["http://b.example.net/", "url_not_https"],
    ["https://inside.example.net/", "url_not_public"],
    ["https://localhost/", "url_not_public"],
    ["//[::1]/", "url_not_public"],
    [`https://${OWN_HOST}/v1/posts`, "url_not_public"],
    ["file:///etc/passwd", "url_not_https"],
    ["https://user@b.example.net/", "url_not_public"],
    ["https://b.example.net:8443/", "url_not_public"],
  ])("a redirect to %s is refused with %s and not followed", async (location, error) => {
    const calls = replaceInternet({ names, pages: { [start]: redirect(location) } });
    expect(await verify(start)).toMatchObject({ status: 422, body: { error, field: "/url" } });
    expect(calls.map(({ url }) => url)).toEqual([start]);
  });

  const chain = (hops: number) =>
    Object.fromEntries([
      ...Array.from({ length: hops }, (_, i) => [`https://cdn.example.net/${i}`, redirect(`/${i + 1}`)] as const),
      [`https://cdn.example.net/${hops}`, file] as const,
    ]);

  it("a redirect is followed three times, but not a fourth time", async () => {
    replaceInternet({ names, pages: chain(3) });
    expect(await verify(start)).toMatchObject({ status: 201, body: { url: start } });
    const calls = replaceInternet({ names, pages: chain(4) });
    expect(await verify(start)).toMatchObject({ status: 422, body: { error: "url_unreachable" } });
    expect(calls).toHaveLength(4);
  });

  it("a redirect to a name that has become private is not followed", async () => {
    const rebinding = { "cdn.example.net": [PUBLIC, { A: ["127.0.0.1"] }] };
    const calls = replaceInternet({ names: rebinding, pages: chain(1) });
    expect(await verify(start)).toMatchObject({ status: 422, body: { error: "url_not_public" } });
    expect(calls.map(({ url }) => url)).toEqual([start]);
  });
});

describe("the service of a connected account", () => {
  const connectService = (service: string) =>
    send("/v1/channels", {
      platform: "bluesky",
      handle: "ada.example.com",
      credentials: { identifier: "ada.example.com", app_password: "abcd-efgh-ijkl-mnop", service },
    });

  it.each(HOSTILE_ADDRESSES)("the service of an account cannot be %s, and no call is made", async (service) => {
    const calls = replaceInternet({ names: {}, pages: {} });
    const answer = await connectService(service);
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatch(/^(url_not_public|url_not_https|credentials_invalid)$/);
    expect(answer.body.field).toMatch(/^\/credentials(\/service)?$/);
    expect(calls).toEqual([]);
  });

  it("the service of an account cannot be a name with a private address, but a public name is called", async () => {
    const names = { "inside.example.net": { A: ["10.0.0.1"] }, "pds.example.net": PUBLIC };
    const calls = replaceInternet({ names, pages: {} });
    expect(await connectService("https://inside.example.net")).toMatchObject({
      status: 422,
      body: { error: "url_not_public" },
    });
    expect(calls).toEqual([]);
    expect(await connectService("https://pds.example.net")).toMatchObject({
      status: 503,
      body: { error: "network_unavailable" },
    });
    expect(calls.map(({ url }) => new URL(url).hostname)).toEqual(["pds.example.net"]);
  });
});

describe("a webhook", () => {
  const url = "https://hooks.example.net/crier";
  const register = (address: string) => send("/v1/webhooks", { url: address });

  it.each(HOSTILE_ADDRESSES)("a webhook cannot be %s, and no call is made", async (address) => {
    const calls = replaceInternet({ names: {}, pages: {} });
    expect(await register(address)).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/^(url_not_public|url_not_https|invalid_field)$/), field: "/url" },
    });
    expect(calls).toEqual([]);
  });

  it("a webhook whose name has a private address is not registered", async () => {
    replaceInternet({ names: { "hooks.example.net": { A: ["93.184.215.14", "10.0.0.1"] } }, pages: {} });
    expect(await register(url)).toMatchObject({ status: 422, body: { error: "url_not_public", field: "/url" } });
    stubInternet(async () => new Response("<h1>502</h1>", { status: 502 }));
    expect(await register(url)).toMatchObject({ status: 422, body: { error: "url_unreachable", field: "/url" } });
  });

  it("a webhook whose name has become private since its registration is not called, and its log says why", async () => {
    const accepted = () => new Response(null, { status: 204 });
    const records = [PUBLIC, PUBLIC, { A: ["169.254.169.254"] }];
    const calls = replaceInternet({ names: { "hooks.example.net": records }, pages: { [url]: accepted } });
    const registered = await register(url);
    expect(registered.status).toBe(201);
    const id = registered.body.id;
    expect(await send(`/v1/webhooks/${id}/test`, {})).toMatchObject({
      status: 200,
      body: { outcome: "delivered", response_code: 204 },
    });
    expect(calls[0]?.init?.redirect).toBe("manual");
    expect(await send(`/v1/webhooks/${id}/test`, {})).toMatchObject({
      status: 200,
      body: { outcome: "blocked", response_code: null },
    });
    expect(calls).toHaveLength(1);
  });
});
