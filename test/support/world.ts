// Gives each test a workspace of its own. Tests use the API like any caller, and compare the outcome with the networks' own records.

import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import type * as z from "zod";
import { makeJpeg } from "../../scripts/local/jpeg.ts";
import { makePng } from "../../scripts/local/png.ts";
import type { LedgerEntry } from "../../simulators/ledger.ts";
import type { Channel } from "../../src/contract/channels.ts";
import type { Media } from "../../src/contract/media.ts";
import type { Post } from "../../src/contract/post-shapes.ts";
import { publicPath } from "../../src/domain/media/object-key.ts";
import { CREDENTIALS, REQUIRED_OPTIONS } from "./credentials.ts";
import { testEnv } from "./env.ts";
import { eventually } from "./eventually.ts";
import { passWaits } from "./lanes.ts";

export type PostBody = z.output<typeof Post>;
export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
}
export interface CallOptions {
  body?: unknown;
  token?: string | null;
  headers?: Record<string, string>;
}

let count = 0;
/** Distinguishes test processes that run at the same time and use the same networks. */
const mark = crypto.randomUUID().slice(0, 4);
/** Makes a name that no other test of this run has. */
export const unique = (prefix: string) => `${prefix}${Date.now().toString(36)}${mark}${(count++).toString(36)}`;

/** Makes one call of the API. */
export async function call<Body = Record<string, unknown>>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<Body>> {
  const headers = new Headers(options.headers);
  if (options.token) headers.set("authorization", `Bearer ${options.token}`);
  let body: string | undefined;
  if (options.body !== undefined) {
    body = typeof options.body === "string" ? options.body : JSON.stringify(options.body);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
  }
  const response = await exports.default.fetch(
    new Request(`http://crier.test${path}`, { method, headers, body, redirect: "manual" }),
  );
  const text = await response.text();
  const json = asJson(text, response.headers.get("content-type") ?? "");
  return { status: response.status, headers: response.headers, body: json === "" ? undefined : JSON.parse(json) };
}

/** Turns a body into JSON. JSON lines become an array, and a CSV table becomes a string. */
function asJson(text: string, type: string): string {
  if (type.startsWith("text/csv")) return JSON.stringify(text);
  return type === "application/x-ndjson" ? `[${text.trimEnd().replaceAll("\n", ",")}]` : text;
}

export interface Account {
  email: string;
  password: string;
  session: string;
  workspace: string;
  key: string;
}

export async function signUp(): Promise<Account> {
  const email = `${unique("u")}@example.com`;
  const password = "correct horse battery";
  const signedUp = await call<{ token: string; workspaces: { id: string }[] }>("POST", "/v1/auth/signup", {
    body: { email, password, name: "Ada" },
  });
  expect(signedUp.status).toBe(201);
  const session = signedUp.body.token;
  const workspace = signedUp.body.workspaces[0]?.id ?? "";
  const revealed = await call<{ key: string }>("GET", `/v1/workspaces/${workspace}/key`, { token: session });
  expect(revealed.status).toBe(200);
  return { email, password, session, workspace, key: revealed.body.key };
}

export type ChannelBody = z.output<typeof Channel>;

export const PLATFORMS = Object.keys(CREDENTIALS);

/** Returns the overrides that the networks of these channels require. */
export function requiredOverrides(channels: ChannelBody[]): Record<string, object> {
  return Object.fromEntries(
    channels.flatMap(({ id, platform }) => {
      const options = REQUIRED_OPTIONS[platform];
      return options === undefined ? [] : [[id, options]];
    }),
  );
}

export async function connect(key: string, platform: string, account = unique("acct")): Promise<ChannelBody> {
  const input = CREDENTIALS[platform]?.(account);
  const answer = await call<ChannelBody>("POST", "/v1/channels", { token: key, body: { platform, ...input } });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

export interface UploadedFile {
  id: string;
  bytes: number;
  sha256: string;
}

/** Adds a file to the library and its bytes to the bucket, as after a presigned PUT. */
export async function upload(
  account: Account,
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  alt?: string,
  fields: object = {},
): Promise<UploadedFile> {
  const requested = await call<{ media: z.output<typeof Media> }>("POST", "/v1/media/upload-url", {
    token: account.key,
    body: { content_type: contentType, bytes: bytes.byteLength, ...(alt === undefined ? {} : { alt }), ...fields },
  });
  expect(requested.status).toBe(201);
  const { id } = requested.body.media;
  const key = `m/${account.workspace}/${id}`;
  const stored = await testEnv.MEDIA?.put(key, bytes, { httpMetadata: { contentType } });
  // In these tests the addresses that networks get have no server, so that the simulators need the files beforehand.
  const address = `${testEnv.MEDIA_URL}/${publicPath(key, contentType, stored?.etag ?? null)}`;
  const hosted = await fetch(`${testEnv.SIMULATORS}/_sim/files?url=${encodeURIComponent(address)}`, {
    method: "PUT",
    headers: { "content-type": contentType },
    body: bytes,
  });
  expect(hosted.status).toBe(204);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  const sha256 = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { id, bytes: bytes.byteLength, sha256 };
}

export function uploadImage(
  account: Account,
  options: { width?: number; height?: number; alt?: string } = {},
): Promise<UploadedFile> {
  const bytes = new Uint8Array(makePng(options.width ?? 64, options.height ?? 48, count++ * 40));
  return upload(account, bytes, "image/png", options.alt);
}

/** Uploads a JPEG, the image type that every network with images accepts. */
export function uploadJpeg(
  account: Account,
  { width = 64, height = 48, alt }: { width?: number; height?: number; alt?: string } = {},
): Promise<UploadedFile> {
  return upload(account, makeJpeg(width, height, count++), "image/jpeg", alt);
}

/** The length of the pattern is a multiple of 251, so that no two positions within a part of a file look the same. */
const PATTERN_BYTES = 251 * 256;

/** Uploads a file of `bytes` bytes that begins like an MP4. */
export function uploadVideo(account: Account, bytes: number): Promise<UploadedFile> {
  const file = new Uint8Array(bytes);
  for (let i = 0; i < Math.min(bytes, PATTERN_BYTES); i++) file[i] = i % 251;
  for (let offset = PATTERN_BYTES; offset < bytes; offset *= 2) file.copyWithin(offset, 0, offset);
  file.set(new TextEncoder().encode("\0\0\0 ftypisom"));
  return upload(account, file, "video/mp4");
}

export async function post(key: string, body: object, headers: Record<string, string> = {}): Promise<PostBody> {
  const answer = await call<PostBody>("POST", "/v1/posts", { token: key, body, headers });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

export async function getPost(key: string, id: string): Promise<PostBody> {
  return (await call<PostBody>("GET", `/v1/posts/${id}`, { token: key })).body;
}

export const FINISHED = ["published", "partially_published", "failed", "cancelled"];

/** Waits until the post has finished by itself, and returns it. Its waits between two look-ups at a network pass at once. */
export async function finished(key: string, id: string): Promise<PostBody> {
  return eventually(async () => {
    const current = await getPost(key, id);
    if (!FINISHED.includes(current.status)) await passWaits(id);
    expect(FINISHED).toContain(current.status);
    return current;
  });
}

/** Reads the posts that a network accepted for an account, by its handle. */
export async function ledger(account: string): Promise<LedgerEntry[]> {
  const response = await fetch(`${testEnv.SIMULATORS}/_sim/ledger?account=${encodeURIComponent(account)}`);
  const { ledger } = await response.json<{ ledger: LedgerEntry[] }>();
  return ledger;
}

/** Adds faults to a network. Each is limited to one account, because tests that run at the same time use the same networks. */
export async function fault(...faults: { account: string; [field: string]: unknown }[]): Promise<void> {
  const response = await fetch(`${testEnv.SIMULATORS}/_sim/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(faults),
  });
  expect(response.status).toBe(201);
}

/** Ends all faults of an account. */
export async function endFaults(account: string): Promise<void> {
  const path = `/_sim/faults?account=${encodeURIComponent(account)}`;
  expect((await fetch(testEnv.SIMULATORS + path, { method: "DELETE" })).status).toBe(204);
}
