// Examplenet: a post is written under a key of ours, so the same key can be written and asked for again at will.
import * as z from "zod";
import type { PlatformRule } from "../../../src/domain/posts/platform-rule.ts";
import { type ConnectorContext, NOT_PUBLISHED, network } from "../../../src/networks/network.ts";
import { ask, CALL_TIMEOUT_MS, resultOf, retryableOr, unknown } from "../../../src/networks/shared/http-call.ts";

const API = "https://api.example.net/v1";

const rule: PlatformRule = {
  platform: "examplenet",
  // 300 characters: https://example.net/docs/posts, read 2026-11-21.
  text_limit: 300,
  caption_limit: 300,
  text_unit: "characters",
  media: { images: 0, videos: 0, mixed: false },
  min_media: 0,
  image: null,
  video: null,
  post_types: ["feed"],
  per_type: {},
  delivery_guarantee: "exactly_once",
  auth: "credentials",
  measures: false,
  source: "https://example.net/docs/posts",
  verified_at: "2026-11-21",
};

const Credential = z.object({ token: z.string().min(1) });
const Token = z.object({ key: z.string() });
const Me = z.object({ id: z.string(), name: z.string() });
const Post = z.object({ id: z.string(), url: z.string() });

function call(
  { credential, io }: ConnectorContext<z.output<typeof Credential>>,
  method: string,
  path: string,
  body?: object,
) {
  const headers = { authorization: `Bearer ${credential.token}`, "content-type": "application/json" };
  const init = { method, headers, body: body && JSON.stringify(body) };
  return ask((signal) => io.fetch(`${API}${path}`, { ...init, signal }), CALL_TIMEOUT_MS);
}
const live = ({ id, url }: z.output<typeof Post>) => ({ is: "live", id, url, urlState: "none" }) as const;

export const examplenet = network({
  rule,
  connectInput: Credential,
  credential: Credential,
  options: z.strictObject({}),
  token: Token,
  publishTimeoutMs: CALL_TIMEOUT_MS,
  republishAfterMs: CALL_TIMEOUT_MS + 120_000,
  async connect(input, io) {
    const credential = Credential.parse(input);
    const answer = await call({ credential, io }, "GET", "/me");
    const me = resultOf(answer, Me);
    const message = "Examplenet does not know this token.";
    const hint = "Make one at https://example.net/settings.";
    if (me === undefined)
      return retryableOr(answer, null, { is: "credentials_refused", field: "/token", message, hint });
    const { id, name } = me;
    const profileUrl = `https://example.net/@${name}`;
    return {
      is: "connected",
      accountId: id,
      handle: name,
      name,
      avatarUrl: null,
      profileUrl,
      credential,
      tokenExpiresAt: null,
    };
  },
  // Fixed before anything is sent, and stored: from here on the post has one key, whatever happens.
  async prepare(_post, { io }, token) {
    return { is: "prepared", token: token ?? { key: Array.from(io.random(12), (byte) => byte.toString(16)).join("") } };
  },
  async publish({ text }, { key }, context) {
    const answer = await call(context, "PUT", `/posts/${key}`, { text });
    const post = resultOf(answer, Post);
    if (post !== undefined) return live(post);
    if (answer.is === "answer" && answer.status === 422) {
      return { is: "rejected", error: "content_refused", detail: "Examplenet does not take this text" };
    }
    return unknown(answer);
  },
  async reconcile({ key }, context) {
    const answer = await call(context, "GET", `/posts/${key}`);
    const post = resultOf(answer, Post);
    if (post !== undefined) return live(post);
    return answer.is === "answer" && answer.status === 404 ? NOT_PUBLISHED : unknown(answer);
  },
  async verify({ id }, context) {
    const answer = await call(context, "GET", `/posts/${id}`);
    const post = resultOf(answer, Post);
    if (post !== undefined) return { is: "there", url: post.url };
    return answer.is === "answer" && answer.status === 404 ? { is: "gone" } : { is: "unknown", detail: "no answer" };
  },
});
