// LinkedIn's versioned API for a client program. Each account is a member with three pages: linkedin/directory.ts. The
// ledger lists a page's post under the page's vanity name, and a member's post under the account's name.
import { type Context, Hono } from "hono";
import { misbehave } from "./faults.ts";
import { buildProfile, buildUserinfo, findOrganization, getOwner, listPages, memberUrn } from "./linkedin/directory.ts";
import { buildMemberAnalytics, buildPageStatistics } from "./linkedin/figures.ts";
import { readPost, readTextEdit } from "./linkedin/post-rules.ts";
import { Posts, shown } from "./linkedin/posts.ts";
import { ApiError, checkVersion, denied, invalid, notYetAccepted, unauthorized } from "./linkedin/problem.ts";
import { answerToken, createOAuth, isTooFresh, PAGE_SCOPES, SCOPES } from "./linkedin/tokens.ts";
import { Uploads } from "./linkedin/uploads.ts";
import type { Token } from "./oauth.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";

const PLATFORM = "linkedin";
const COMMENT_MAX = 1_250;

type Body = Record<string, unknown>;

export function createSimulator(world: World): Simulator {
  const oauth = createOAuth(world.state);
  const uploads = new Uploads(world);
  const posts = new Posts(world, uploads);
  const app = new Hono<SimulatorEnv>();
  const calls = new Set([
    "accessToken",
    "upload",
    "upload.thumbnail",
    "upload.captions",
    "images?action=initializeUpload",
    "documents?action=initializeUpload",
    "videos?action=initializeUpload",
    "videos?action=finalizeUpload",
  ]);

  const listAccountNames = (token: Token | null) =>
    token === null ? [] : [token.account, ...listPages(token.account).map(({ vanity }) => vanity)];
  const attempt = async (act: () => Promise<Response> | Response): Promise<Response> => {
    try {
      return await act();
    } catch (error) {
      if (error instanceof ApiError) return error.answer();
      throw error;
    }
  };
  /** A call with a token that has one of the scopes. `name` may depend on the request. */
  const route = (
    method: "get" | "post" | "delete",
    path: string,
    name: string | ((c: Context<SimulatorEnv>) => string),
    scopes: string[],
    act: (c: Context<SimulatorEnv>, token: Token, call: string) => Promise<Response> | Response,
  ) => {
    if (typeof name === "string") calls.add(name);
    app[method](path, (c) => {
      const token = oauth.tokenOf(c.req.header("authorization"));
      const call = typeof name === "string" ? name : name(c);
      return misbehave(world.faults.take(PLATFORM, call, listAccountNames(token)), c.env, () =>
        attempt(() => {
          if (path.startsWith("/rest/")) checkVersion(c);
          if (token === null) throw unauthorized(c);
          if (isTooFresh(token)) throw notYetAccepted();
          if (!scopes.some((scope) => token.scopes.includes(scope))) throw denied(call);
          return act(c, token, call);
        }),
      );
    });
  };
  const action = (resource: string) => (c: Context<SimulatorEnv>) =>
    `${resource}?action=${c.req.query("action") ?? "create"}`;

  app.get("/oauth/v2/authorization", (c) => oauth.authorize(c));
  app.post("/oauth/v2/accessToken", async (c) =>
    misbehave(world.faults.take(PLATFORM, "accessToken", await oauth.namesIn(c)), c.env, () => answerToken(c, oauth)),
  );
  app.post("/oauth/v2/revoke", async (c) => {
    const { token } = await c.req.parseBody();
    const knownToken = oauth.tokenOf(`Bearer ${token}`);
    if (knownToken !== null) oauth.revoke(knownToken.account);
    return c.body(null, 200);
  });

  route("get", "/v2/userinfo", "userinfo", ["openid"], (c, { account }) => c.json(buildUserinfo(account)));
  route("get", "/v2/me", "me", ["r_basicprofile"], (c, { account }) => c.json(buildProfile(account)));
  route("get", "/rest/organizationAcls", "organizationAcls", ["rw_organization_admin"], (c, { account }) => {
    if (c.req.query("q") !== "roleAssignee") throw invalid("/q", "q must be a finder", "INVALID_PARAM");
    const { role: requestedRole } = c.req.query();
    const elements = listPages(account)
      .filter(({ role }) => role === (requestedRole ?? role))
      .map(({ urn, role }) => ({ organization: urn, role, roleAssignee: memberUrn(account), state: "APPROVED" }));
    return c.json({ paging: { start: 0, count: 100, links: [] }, elements });
  });
  route("get", "/rest/organizationsLookup", "organizationsLookup", PAGE_SCOPES, (c, { account }) => {
    const ids = /^List\(([\d,]+)\)$/.exec(c.req.query("ids") ?? "")?.[1]?.split(",") ?? [];
    const matchingPages = listPages(account).filter(({ urn }) => ids.includes(urn.split(":")[3] ?? ""));
    const results = matchingPages.map(({ urn, vanity }) => {
      const id = urn.split(":")[3] ?? "";
      return [id, { id: Number(id), vanityName: vanity, localizedName: findOrganization(vanity)?.localizedName }];
    });
    return c.json({ results: Object.fromEntries(results), statuses: {}, errors: {} });
  });

  /** The names of the organizations that were looked up. The names of all others are not known here. */
  const names = world.state.map<string, string>("linkedin.organizations");
  const isNamed = (urn: string, name: string) => (names.get(urn) ?? name) === name;
  route("get", "/rest/organizations", "organizations", ["rw_organization_admin"], (c) => {
    if (c.req.query("q") !== "vanityName" || c.req.header("x-restli-method") !== "FINDER")
      throw invalid("/q", "q must be a finder", "INVALID_PARAM");
    const organization = findOrganization(c.req.query("vanityName") ?? "");
    if (organization !== null) names.set(`urn:li:organization:${organization.id}`, organization.localizedName);
    return c.json({
      paging: { start: 0, count: 10, links: [] },
      elements: organization === null ? [] : [organization],
    });
  });

  for (const kind of ["image", "document"] as const)
    route(
      "post",
      `/rest/${kind}s`,
      action(`${kind}s`),
      ["w_member_social", "w_organization_social"],
      async (c, token, call) => {
        const request = await initialized(c);
        return c.json(uploads.initializeWhole(kind, token.account, mayPost(token, request.owner, call).urn));
      },
    );
  route(
    "post",
    "/rest/videos",
    action("videos"),
    ["w_member_social", "w_organization_social"],
    async (c, token, call) => {
      if (call === "videos?action=finalizeUpload") {
        const { finalizeUploadRequest = {} }: { finalizeUploadRequest?: Body } = await c.req.json();
        await uploads.finalize(token.account, finalizeUploadRequest);
        return c.body(null, 200);
      }
      const request = await initialized(c);
      const { urn } = mayPost(token, request.owner, call);
      return c.json(uploads.initializeVideo(token.account, urn, request));
    },
  );
  app.on(["PUT", "POST"], "/dms-uploads/:urn/:part", (c) => {
    const { urn, part } = c.req.param();
    const owner = uploads.accountOf(urn);
    const token = oauth.tokenOf(c.req.header("authorization"));
    const names = owner === undefined ? [] : [owner, ...listPages(owner).map(({ vanity }) => vanity)];
    const call = part === "thumbnail" || part === "captions" ? `upload.${part}` : "upload";
    return misbehave(world.faults.take(PLATFORM, call, names), c.env, () =>
      uploads.put(c, urn, part, token?.account ?? null),
    );
  });
  for (const kind of ["image", "video", "document"] as const)
    route("get", `/rest/${kind}s/:urn`, `${kind}s/get`, SCOPES, (c, { account }) =>
      c.json(uploads.show(c.req.param("urn") ?? "", kind, account)),
    );

  route("post", "/rest/posts", "posts/create", ["w_member_social", "w_organization_social"], async (c, token, call) => {
    const body: Body = await c.req.json();
    const { handle } = mayPost(token, body.author, call);
    const post = readPost(body, uploads, isNamed);
    const id = posts.publish(post, token.account, handle);
    return c.body(null, 201, { "x-restli-id": id, location: `/posts/${encodeURIComponent(id)}` });
  });
  route("get", "/rest/posts", "posts/finder", ["r_organization_social"], (c, token, call) => {
    const { q, author, count = "10" } = c.req.query();
    if (c.req.header("x-restli-method") !== "FINDER" || q !== "author")
      throw invalid("/q", "a finder needs its method and its name", "INVALID_PARAM");
    if (!author?.startsWith("urn:li:organization:")) throw denied("posts.FINDER-author");
    mayPost(token, author, call);
    const elements = posts.of(author);
    return c.json({
      paging: { start: 0, count: Number(count), links: [] },
      elements: elements.slice(0, Number(count)),
    });
  });
  route("get", "/rest/posts/:urn", "posts/get", SCOPES, (c, token, call) => {
    const { id, kept } = posts.get(c.req.param("urn"));
    const readable =
      kept.post.author.startsWith("urn:li:organization:") && token.scopes.includes("r_organization_social");
    if (!readable) throw denied(call);
    if (kept.removed) throw new ApiError(404, "NOT_FOUND", `Could not find entity ${id}`);
    return c.json(shown(id, kept));
  });
  route(
    "delete",
    "/rest/posts/:urn",
    "posts/delete",
    ["w_member_social", "w_organization_social"],
    (c, token, call) => {
      const { id, kept } = posts.get(c.req.param("urn"));
      mayPost(token, kept.post.author, call);
      posts.remove(id);
      return c.body(null, 204);
    },
  );

  route(
    "post",
    "/rest/posts/:urn",
    "posts/partialUpdate",
    ["w_member_social", "w_organization_social"],
    async (c, token, call) => {
      if (c.req.header("x-restli-method") !== "PARTIAL_UPDATE")
        throw invalid("/", "a partial update needs its method", "INVALID_PARAM");
      const { id, kept } = posts.get(c.req.param("urn"));
      mayPost(token, kept.post.author, call);
      if (kept.removed) throw new ApiError(404, "NOT_FOUND", `Could not find entity ${id}`);
      posts.edit(id, readTextEdit(await c.req.json(), isNamed));
      return c.body(null, 204);
    },
  );

  route(
    "post",
    "/rest/socialActions/:urn/comments",
    "socialActions/comments",
    ["w_member_social_feed", "w_organization_social_feed"],
    async (c, token, call) => {
      const { id, kept } = posts.get(c.req.param("urn"));
      const body: Body = await c.req.json();
      const { urn, handle } = mayPost(token, body.actor, call);
      // Each kind of author has a scope of its own: comments API, version 202608, read 2026-11-26.
      const owner = urn.startsWith("urn:li:organization:") ? "organization" : "member";
      if (!token.scopes.includes(`w_${owner}_social_feed`)) throw denied(call);
      if (kept.removed || body.object !== id) throw invalid("/object", "object is not the post", "INVALID_PARAM");
      const text = String(Object(body.message).text ?? "");
      if (text === "" || text.length > COMMENT_MAX)
        throw invalid("/message/text", "text is out of bounds", "FIELD_LENGTH_TOO_LONG");
      const commentId = posts.comment(id, handle, text);
      return c.json({ id: commentId, actor: urn, object: id, message: { text, attributes: [] } }, 201, {
        "x-restli-id": commentId,
      });
    },
  );

  const statistics = "organizationalEntityShareStatistics";
  route("get", `/rest/${statistics}`, statistics, ["rw_organization_admin"], (c, token, call) => {
    mayPost(token, c.req.query("organizationalEntity"), call);
    return c.json(buildPageStatistics(posts, c.req.query()));
  });
  const analytics = "memberCreatorPostAnalytics";
  route("get", `/rest/${analytics}`, analytics, ["r_member_postAnalytics"], (c, { account }, call) =>
    c.json(buildMemberAnalytics(posts, account, c.req.query(), call)),
  );
  app.all("*", () => new ApiError(404, "RESOURCE_NOT_FOUND", "No virtual resource found").answer());

  /** The members and pages that a token may post as. */
  function mayPost(token: Token, urn: unknown, call: string): { urn: string; handle: string } {
    const { account, scopes } = token;
    if (urn === memberUrn(account) && scopes.includes("w_member_social")) return { urn, handle: account };
    const page = listPages(account).find((page) => page.urn === urn);
    if (page === undefined || page.role === "ANALYST" || !scopes.includes("w_organization_social")) throw denied(call);
    return { urn: page.urn, handle: page.vanity };
  }
  return {
    platform: PLATFORM,
    app,
    expireToken: (account) => oauth.expire(getOwner(account)),
    remove: (id) => posts.remove(id),
    reset(account) {
      const owner = account === undefined ? undefined : getOwner(account);
      oauth.forget(owner);
      uploads.forget(owner);
      posts.forget(owner);
      if (owner === undefined) names.clear();
    },
    calls,
    publishCalls: { default: "posts/create" },
    demo: {
      handle: "crier-demo-page",
      credentials: {
        access_token: "access-for-crier-demo",
        refresh_token: "refresh-for-crier-demo",
        account_id: listPages("crier-demo")[0]?.urn ?? "",
      },
    },
  };
}

async function initialized(c: Context<SimulatorEnv>): Promise<Body> {
  if (c.req.query("action") !== "initializeUpload") throw invalid("/action", "no such action", "INVALID_PARAM");
  const { initializeUploadRequest = {} }: { initializeUploadRequest?: Body } = await c.req.json();
  return initializeUploadRequest;
}
