// The shared simulator of networks on which a post starts as a container: Instagram and Threads.
import { Hono } from "hono";
import { misbehave } from "../faults.ts";
import { findMarks } from "../marks.ts";
import type { Simulator, SimulatorEnv, World } from "../simulator.ts";
import {
  type Account,
  type Container,
  figure,
  getContainerState,
  listed,
  newContainer,
  type Post,
  pick,
  pollStatus,
  usedToday,
} from "./accounts.ts";
import { buildCard } from "./card.ts";
import { serveComments } from "./comments.ts";
import { serveFacebookLogin } from "./facebook-login.ts";
import {
  type Call,
  type Fields,
  forbidden,
  GraphError,
  invalidParameter,
  newId,
  notFound,
  readFields,
} from "./graph.ts";
import type { Network } from "./network.ts";
import { Tokens } from "./tokens.ts";

export function containerSimulator(world: World, network: Network, demo: Simulator["demo"]): Simulator {
  const { sign, paths, calls, scopes } = network;
  const { platform } = sign;
  const tokens = new Tokens(sign, world.state);
  const names = new Set<string>();
  const app = new Hono<SimulatorEnv>();

  const method = (
    kind: "GET" | "POST" | "DELETE",
    path: string,
    name: string,
    act: (c: Call, fields: Fields) => unknown,
  ) => {
    names.add(name);
    app.on(kind, path, async (c, next) => {
      if (path.startsWith("/:version") && !network.version.test(c.req.param("version") ?? "")) return next();
      const fields = await readFields(c);
      // The first use of a token creates its account, even if the call fails.
      tokens.namesOf(fields.access_token);
      return misbehave(world.faults.take(platform, name, tokens.namesOf(fields.access_token)), c.env, async () => {
        try {
          const answer = await act(c, fields);
          return answer instanceof Response
            ? answer
            : c.json(answer ?? {}, 200, usage(tokens.namesOf(fields.access_token)));
        } catch (error) {
          if (error instanceof GraphError) return error.response();
          throw error;
        }
      });
    });
  };

  app.on(["GET", "POST"], "/oauth/authorize", (c) => tokens.authorize(c));
  const withoutToken = (name: string, act: (c: Call) => Promise<Response>) => {
    names.add(name);
    return async (c: Call) =>
      misbehave(world.faults.take(platform, name, tokens.namesOf(c.req.query("access_token"))), c.env, async () => {
        try {
          return await act(c);
        } catch (error) {
          if (error instanceof GraphError) return error.response();
          throw error;
        }
      });
  };
  app.post(
    "/oauth/access_token",
    withoutToken("oauth/access_token", (c) => tokens.exchangeCode(c)),
  );
  if (network.appTokens === true)
    app.get(
      "/oauth/access_token",
      withoutToken("oauth/access_token", (c) => tokens.ofApp(c)),
    );
  app.get(
    "/access_token",
    withoutToken("access_token", (c) => tokens.exchangeToken(c)),
  );
  app.get(
    "/refresh_access_token",
    withoutToken("refresh_access_token", (c) => tokens.refresh(c)),
  );

  method("GET", "/:version/me", "me", (_c, fields) =>
    pick(network.me(tokens.accountOf(fields.access_token, scopes.basic)), fields.fields),
  );

  if (network.isPageToken !== undefined) serveFacebookLogin({ app, method, network, tokens, state: world.state });

  /** The account of a path, which must be the token's account. */
  function own(c: Call, fields: Fields, scope: string): Account {
    const account = tokens.accountOf(fields.access_token, scope);
    const id = c.req.param("id") ?? "";
    if (id !== account.id && id !== "me") throw notFound(id);
    return account;
  }

  method("GET", `/:version/:id/${paths.quota}`, paths.quota, (c, fields) => {
    const account = own(c, fields, scopes.publish);
    const config = { quota_total: network.postsMax, quota_duration: 86_400 };
    const replies = {
      reply_quota_usage: usedToday(account, "replies"),
      reply_config: { ...config, quota_total: network.repliesMax ?? 0 },
    };
    const quotaFields = { quota_usage: usedToday(account), config, ...(network.repliesMax === null ? {} : replies) };
    return { data: [fields.fields === undefined ? quotaFields : pick(quotaFields, fields.fields)] };
  });

  method("POST", `/:version/:id/${paths.posts}`, paths.posts, async (c, fields) => {
    const account = own(c, fields, scopes.publish);
    if (fields.reply_to_id !== undefined) tokens.accountOf(fields.access_token, scopes.comment);
    if (fields.location_id !== undefined && scopes.location !== null)
      tokens.accountOf(fields.access_token, scopes.location);
    const container = newContainer(await network.make(account, fields));
    account.containers.set(container.id, container);
    return { id: container.id };
  });

  method("POST", `/:version/:id/${paths.publish}`, paths.publish, (c, fields) => {
    const account = own(c, fields, scopes.publish);
    if (fields.creation_id === undefined) throw invalidParameter("The parameter creation_id is required.");
    const container = account.containers.get(fields.creation_id);
    if (container === undefined || container.isPart) throw network.refusals.gone();
    const state = getContainerState(container);
    if (state === "PUBLISHED") throw network.refusals.published();
    if (state === "EXPIRED" || state === "ERROR") throw network.refusals.gone();
    if (state === "IN_PROGRESS") throw network.refusals.notReady();
    const isReply = container.detail.reply_to !== undefined;
    const max = isReply ? (network.repliesMax ?? 0) : network.postsMax;
    if (usedToday(account, isReply ? "replies" : "posts") >= max) throw network.refusals.quota();
    container.published = true;
    const id = newId();
    const shortcode = BigInt(id).toString(36);
    const post: Post = { id, shortcode, publishedAt: Date.now(), container, deleted: false };
    account.posts.unshift(post);
    world.ledger.accept({
      platform,
      account: account.username,
      id,
      text: container.text,
      media: container.files,
      token: container.id,
      url: network.permalink(post, account),
      detail: { media_type: container.mediaType, ...container.detail },
      shown: {
        marks: findMarks(container.text, network.marks),
        card: buildCard(container.detail),
        ...(container.facts && { facts: container.facts }),
        ...(container.cover && { cover: container.cover }),
      },
    });
    return { id };
  });

  method("GET", `/:version/:id/${paths.posts}`, calls.list, (c, fields) => {
    const account = own(c, fields, scopes.basic);
    const posts = listed(account, fields).filter(network.isListed);
    return { data: posts.map((post) => pick(network.view(post, account), fields.fields)), paging: {} };
  });

  // The replies to a post, all of which are from the account itself here.
  if (network.repliesMax !== null) {
    method("GET", "/:version/:id/replies", "replies", (c, fields) => {
      const account = tokens.accountOf(fields.access_token, scopes.replies ?? scopes.basic);
      const id = c.req.param("id") ?? "";
      if (findPost(account, id) === undefined) throw notFound(id);
      const posts = listed(account, fields).filter(({ container }) => container.detail.reply_to === id);
      return { data: posts.map((post) => pick(network.view(post, account), fields.fields)), paging: {} };
    });
  }

  const findPost = (account: Account, id: string) => account.posts.find((post) => post.id === id && !post.deleted);

  method("GET", "/:version/:id/insights", "insights", (c, fields) => {
    const account = tokens.accountOf(fields.access_token, scopes.insights);
    const id = c.req.param("id") ?? "";
    const post = findPost(account, id);
    if (post === undefined) throw notFound(id);
    const requestedMetrics = (fields.metric ?? "").split(",");
    const unknown = requestedMetrics.filter((metric) => !network.metrics(post).includes(metric));
    if (unknown.length > 0)
      throw invalidParameter(`metric[0] must be one of the following values: ${network.metrics(post).join(", ")}`);
    const data = requestedMetrics.map((name) => ({
      name,
      period: "lifetime",
      values: [{ value: figure(id, name) }],
      id: `${id}/insights/${name}/lifetime`,
    }));
    return { data };
  });

  serveComments({ app, method, network, tokens, world, findPost });

  // One path serves every object, so the type of the object with this id determines the call.
  names.add(calls.container).add(calls.post);
  app.get("/:version/:id", async (c, next) => {
    if (!network.version.test(c.req.param("version"))) return next();
    const fields = await readFields(c);
    const names = tokens.namesOf(fields.access_token);
    const id = c.req.param("id");
    const isContainer = tokens.byName(names[0] ?? "")?.containers.has(id) === true;
    const fault = world.faults.take(platform, isContainer ? calls.container : calls.post, names);
    return misbehave(fault, c.env, async () => {
      try {
        const account = tokens.accountOf(fields.access_token, scopes.basic);
        const container = account.containers.get(id);
        const post = findPost(account, id);
        const view = container !== undefined ? containerView(account, container) : post && network.view(post, account);
        const isOwn = network.isPageToken?.(fields.access_token) === true && id === account.id;
        const object = isOwn ? { ...network.me(account), id } : view;
        if (object === undefined) throw notFound(id);
        const missing = (fields.fields ?? "").split(",").find((name) => name !== "" && !(name in object));
        if (missing !== undefined)
          throw new GraphError(100, undefined, `(#100) Tried accessing nonexisting field (${missing})`);
        return c.json(pick(object, fields.fields), 200, usage(names));
      } catch (error) {
        if (error instanceof GraphError) return error.response();
        throw error;
      }
    });
  });

  function containerView(account: Account, container: Container): Record<string, unknown> {
    const status = pollStatus(account, container);
    const problem = status === "ERROR" ? (container.problem ?? "UNKNOWN") : undefined;
    return { id: container.id, [network.state.status]: status, [network.state.problem]: problem };
  }

  method("DELETE", "/:version/:id", "delete", (c, fields) => {
    const scope = scopes.delete ?? (network.isPageToken?.(fields.access_token) === true ? scopes.publish : null);
    if (scope === null) throw forbidden();
    const id = c.req.param("id") ?? "";
    const post = findPost(tokens.accountOf(fields.access_token, scope), id);
    if (post === undefined) throw notFound(id);
    post.deleted = true;
    const entry = world.ledger.find(platform, id);
    if (entry !== undefined) entry.deleted = true;
    return scopes.delete === null ? { success: true } : { success: true, deleted_id: id };
  });

  app.all("*", (c) => new GraphError(2500, undefined, `Unknown path components: ${c.req.path}`).response());

  /** The account's usage of its call limit: docs/graph-api/overview/rate-limiting, read 2026-11-20. */
  function usage([username = ""]: string[]): Record<string, string> {
    const id = tokens.byName(username)?.id;
    const used = { type: platform, call_count: 1, total_cputime: 1, total_time: 1, estimated_time_to_regain_access: 0 };
    return id === undefined ? {} : { "x-business-use-case-usage": JSON.stringify({ [id]: [used] }) };
  }

  return {
    platform,
    app,
    expireToken: (name) => tokens.expire(name),
    remove(id) {
      const posts = [...tokens.accounts.values()].flatMap((account) => account.posts);
      for (const post of posts) if (post.id === id) post.deleted = true;
    },
    reset: (name) => tokens.forget(name),
    calls: names,
    publishCalls: { default: paths.publish },
    demo,
  };
}
