// Simulates X's API v2. Like X, it refuses an exact repeat of a post, and its timeline shows shortened links. The public
// twitter-text library measures the texts.

import { type Context, Hono } from "hono";
import twitterText from "twitter-text";
import { avatarUrl } from "./avatar.ts";
import { misbehave } from "./faults.ts";
import type { LedgerMedia } from "./ledger.ts";
import { type OAuthRules, OAuthServer, type Token } from "./oauth.ts";
import { hasPersona } from "./personas.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";
import { readDialect } from "./x/dialect.ts";
import { MediaStore } from "./x/media.ts";
import {
  checkFields,
  describeMedia,
  isPremium,
  PREMIUM_TEXT_MAX,
  readMedia,
  readPoll,
  readReplyTarget,
  TEXT_MAX,
} from "./x/post-rules.ts";
import { attached, Posts, shown } from "./x/posts.ts";
import { forbidden, invalid, notFound, Problem, toErrorResponse, unauthorized } from "./x/problem.ts";
import { readIds, readTimelineQuery } from "./x/query.ts";
import { userId } from "./x/user-id.ts";
import { Users } from "./x/users.ts";

const PLATFORM = "x";
const SCOPES = ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"];
type Body = Record<string, unknown>;
interface Draft {
  account: string;
  title: string;
  text: string;
  cover: LedgerMedia[];
}

const OAUTH: OAuthRules = {
  accessSeconds: 7_200,
  codeSeconds: 30,
  refresh: "rotates",
  pkce: true,
  scopes: SCOPES,
  scopeSeparator: " ",
  // X keeps no scope list for each app. For an unknown scope, it shows a page and does not redirect back: xdevplatform/xurl
  // issue 27, read 2026-11-24.
  showRefusedScopes: () =>
    new Response(
      "Something went wrong. You weren’t able to give access to the App. Go back and try logging in again.",
      {
        status: 400,
        headers: { "content-type": "text/plain; charset=utf-8" },
      },
    ),
};

/** gitroomhq/postiz-app pull request 2040, read 2026-11-24. */
const LOCKED = "Your account is temporarily locked. Please log in to https://x.com to unlock your account.";

export function createSimulator(world: World): Simulator {
  const oauth = new OAuthServer(OAUTH, world.state, PLATFORM);
  const media = new MediaStore(world);
  const posts = new Posts(world);
  const users = new Users(world.state);
  const drafts = world.state.map<string, Draft>("x.drafts");
  const calls = new Set(["oauth2/token"]);
  const app = new Hono<SimulatorEnv>();

  const route = (
    method: "get" | "post" | "delete",
    path: string,
    name: string,
    scopes: string[],
    act: (c: Context<SimulatorEnv>, token: Token) => Promise<Response | object> | Response | object,
  ) => {
    calls.add(name);
    app[method](path, (c) => {
      const token = oauth.tokenOf(c.req.header("authorization"));
      return misbehave(
        world.faults.take(PLATFORM, name, token === null ? [] : [token.account, `@${token.account}`]),
        c.env,
        async () => {
          try {
            if (c.req.header("user-agent") === undefined) return c.html("<title>Just a moment...</title>", 403);
            if (token === null) throw unauthorized();
            if (scopes.some((scope) => !token.scopes.includes(scope)))
              throw new Problem(403, "https://api.x.com/2/problems/client-forbidden", "Forbidden", "Missing scope");
            const answer = await act(c, token);
            const headers = {
              "x-rate-limit-limit": "100",
              "x-rate-limit-remaining": "99",
              "x-rate-limit-reset": String(Math.floor(Date.now() / 1000) + 900),
            };
            return answer instanceof Response ? answer : Response.json(answer, { headers });
          } catch (error) {
            if (error instanceof Problem) return toErrorResponse(error);
            throw error;
          }
        },
      );
    });
  };
  const readBody = async (c: Context<SimulatorEnv>): Promise<Body> => {
    const body: unknown = await c.req.json().catch(() => null);
    if (typeof body !== "object" || body === null) throw invalid("The body is not JSON");
    return Object.fromEntries(Object.entries(body));
  };

  app.get("/i/oauth2/authorize", (c) => oauth.authorize(c));
  app.post("/2/oauth2/token", async (c) =>
    misbehave(world.faults.take(PLATFORM, "oauth2/token", await oauth.namesIn(c)), c.env, async () => {
      const fields: Body = await c.req.parseBody();
      const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
      const [clientId = "", secret = ""] = atob(
        /^Basic (.+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "",
      ).split(":");
      if (!oauth.knowsApp(clientId, secret)) return c.json({ error: "unauthorized_client" }, 401);
      const pair =
        text("grant_type") === "refresh_token"
          ? oauth.renew(text("refresh_token"))
          : oauth.exchange({
              code: text("code"),
              redirect_uri: text("redirect_uri"),
              code_verifier: text("code_verifier"),
              client_id: clientId,
            });
      if (pair === null)
        return c.json({ error: "invalid_request", error_description: "Value passed for the token was invalid." }, 400);
      return c.json({
        token_type: "bearer",
        expires_in: 7_200,
        access_token: pair.access,
        scope: oauth.scopeText(pair.scopes),
        ...(pair.scopes.includes("offline.access") ? { refresh_token: pair.refresh } : {}),
      });
    }),
  );

  route("get", "/2/users/me", "users/me", ["users.read"], (c, { account }) => ({
    data: {
      ...(c.req.query("user.fields")?.includes("subscription_type") && {
        subscription_type: isPremium(account) ? "Premium" : "None",
      }),
      id: userId(account),
      username: account,
      name: `${account} on X`,
      profile_image_url: avatarUrl("pbs.twimg.com", account),
    },
  }));

  route("get", "/2/users/by", "users/by", ["tweet.read", "users.read"], (c) => users.lookUp(c.req.query("usernames")));

  route("post", "/2/media/upload", "media/upload", ["media.write"], (c, { account }) => media.uploadImage(c, account));
  route("get", "/2/media/upload", "media/status", ["media.write"], (c, { account }) =>
    media.status(c.req.query("media_id") ?? "", account),
  );
  route("post", "/2/media/upload/initialize", "media/initialize", ["media.write"], async (c, { account }) =>
    media.initialize(await readBody(c), account),
  );
  route("post", "/2/media/upload/:id/append", "media/append", ["media.write"], (c, { account }) =>
    media.append(c, c.req.param("id") ?? "", account),
  );
  route("post", "/2/media/upload/:id/finalize", "media/finalize", ["media.write"], (c, { account }) =>
    media.finalize(c.req.param("id") ?? "", account),
  );
  route("post", "/2/media/metadata", "media/metadata", ["media.write"], async (c, { account }) =>
    media.describe(await readBody(c), account),
  );

  route("post", "/2/tweets", "tweets/create", ["tweet.read", "tweet.write", "users.read"], async (c, { account }) => {
    if (hasPersona(account, "locked")) throw forbidden(LOCKED);
    const body = await readBody(c);
    checkFields(body);
    const poll = readPoll(body);
    const { text = "", media: attached, reply, poll: _poll, ...options } = body;
    const parent = readReplyTarget(reply, (id) => posts.find(id) !== undefined);
    if (typeof text !== "string") throw invalid("text is not a string");
    const { ids, taggedIds } = readMedia(attached);
    const files = attached === undefined ? [] : media.forPost(ids, account);
    if (text === "" && files.length === 0) throw invalid("text or media is required");
    if (twitterText.parseTweet(text).weightedLength > (isPremium(account) ? PREMIUM_TEXT_MAX : TEXT_MAX))
      throw forbidden("You are not permitted to perform this action.");
    if (twitterText.extractCashtags(text).length > 1) throw forbidden("Posts may have a maximum of one cashtag.");
    if (posts.hasRepeatOf({ account, text, media: files }))
      throw forbidden("You are not allowed to create a Tweet with duplicate content.");
    const replyTo = parent === null ? {} : { reply_to: parent };
    const { id } = posts.publish(
      { account, text, media: files, mediaIds: files.length === 0 ? [] : Object(ids), title: null, poll },
      {
        ...options,
        ...replyTo,
        ...(poll === null ? {} : { poll }),
        ...(taggedIds.length > 0 && { tagged_user_ids: taggedIds }),
      },
      describeMedia(users.nameAll(taggedIds), attached === undefined ? [] : media.warningsOf(ids)),
    );
    return c.json({ data: { id, text, edit_history_post_ids: [id] } }, 201);
  });
  route("get", "/2/tweets", "tweets/lookup", ["tweet.read", "users.read"], (c, { account }) => {
    const ids = readIds(c);
    const foundPosts = ids.flatMap((id) => posts.find(id) ?? []);
    const errors = ids
      .filter((id) => posts.find(id) === undefined)
      .map((id) => ({
        value: id,
        resource_type: "tweet",
        title: "Not Found Error",
        detail: `Could not find tweet with ids: [${id}].`,
        type: "https://api.x.com/2/problems/resource-not-found",
      }));
    const { fields, reposts } = readDialect(c, account);
    const otherMetrics = { reply_count: 2, like_count: 7, quote_count: 0, bookmark_count: 3, impression_count: 90 };
    const metrics = fields.includes("public_metrics") ? { public_metrics: { [reposts]: 1, ...otherMetrics } } : {};
    return {
      ...(foundPosts.length === 0
        ? {}
        : {
            data: foundPosts.map((storedPost) => ({
              ...shown(storedPost, fields),
              ...attached(storedPost, fields),
              ...metrics,
            })),
          }),
      ...(errors.length === 0 ? {} : { errors }),
    };
  });
  route("get", "/2/users/:id/tweets", "users/tweets", ["tweet.read", "users.read"], (c, { account }) => {
    if (c.req.param("id") !== userId(account)) throw notFound("the user");
    const { fields } = readDialect(c, account);
    const { since, maxPosts } = readTimelineQuery(c);
    const found = posts.of(account, since).slice(0, maxPosts);
    return {
      ...(found.length === 0 ? {} : { data: found.map((storedPost) => shown(storedPost, fields)) }),
      meta: { result_count: found.length },
    };
  });
  route("delete", "/2/tweets/:id", "tweets/delete", ["tweet.read", "tweet.write", "users.read"], (c, { account }) => {
    const id = c.req.param("id") ?? "";
    const storedPost = posts.find(id);
    // The answer for a missing post is undocumented; other calls return a problem document.
    if (storedPost === undefined) throw notFound(`tweet with id: [${id}]`);
    if (storedPost.account !== account) throw forbidden("You are not authorized to delete this Tweet.");
    posts.remove(id);
    const entry = world.ledger.find(PLATFORM, id);
    if (entry !== undefined) entry.deleted = true;
    return { data: { deleted: true } };
  });

  route("post", "/2/articles/draft", "articles/draft", ["tweet.write"], async (c, { account }) => {
    const { title, content_state, cover_media } = await readBody(c);
    const blocks = new Map(Object.entries(Object(content_state))).get("blocks");
    if (typeof title !== "string" || title === "" || !Array.isArray(blocks))
      throw invalid("title and content_state are required");
    const lines = blocks.map((block: unknown) => String(Object(block).text ?? ""));
    const cover = cover_media === undefined ? [] : media.forPost([Object(cover_media).media_id], account);
    const id = posts.nextId();
    drafts.set(id, { account, title, text: lines.join("\n"), cover });
    return c.json({ data: { id, title } }, 201);
  });
  route("post", "/2/articles/:id/publish", "articles/publish", ["tweet.write"], async (c, { account }) => {
    // The OpenAPI description 2.167, read 2026-11-22, has no body for it.
    if ((await c.req.text()) !== "") throw invalid("This call takes no body");
    const id = c.req.param("id") ?? "";
    const draft = drafts.get(id);
    if (draft === undefined || draft.account !== account) throw notFound("the article");
    drafts.delete(id);
    const { title, text, cover } = draft;
    return {
      data: {
        post_id: posts.publish({ account, text, media: cover, mediaIds: [], title, poll: null }, { article: title }).id,
      },
    };
  });
  app.all("*", () => toErrorResponse(notFound("the path")));

  return {
    platform: PLATFORM,
    app,
    expireToken: (account) => oauth.expire(account.replace(/^@/, "")),
    remove: (id) => posts.remove(id),
    reset(account) {
      const name = account?.replace(/^@/, "");
      oauth.forget(name);
      media.forget(name);
      posts.forget(name);
      for (const [id, draft] of drafts) if (name === undefined || draft.account === name) drafts.delete(id);
    },
    calls,
    publishCalls: { default: "tweets/create", article: "articles/publish" },
    demo: {
      handle: "@crier_demo",
      credentials: { access_token: "access-for-crier_demo", refresh_token: "refresh-for-crier_demo" },
    },
  };
}
