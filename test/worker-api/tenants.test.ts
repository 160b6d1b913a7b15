// Each operation of the OpenAPI document, with each credential, on the caller's own things and on those of another
// tenant.
import { beforeAll, describe, expect, it } from "vitest";
import { ACCOUNT_SCOPES, type AccountScope } from "../../src/domain/account-scopes.ts";
import { ROLES, type Role, SCOPES, type Scope } from "../../src/domain/roles.ts";
import { hostFeed } from "../support/feeds.ts";
import { makeAccountKey, makeKey } from "../support/keys.ts";
import { join } from "../support/members.ts";
import { type Account, call, connect, post, signUp, uploadImage } from "../support/world.ts";

interface Tenant extends Account {
  ids: Record<string, string>;
  /** All values that no answer to another tenant may contain. */
  secrets: string[];
}
interface Route {
  name: string;
  method: string;
  path: string;
  auth: "none" | "session" | "session_in_workspace" | "key_or_session";
  /** From the document: the smallest role, and the scopes of which a key needs one. */
  role: Role | undefined;
  scopes: Scope[];
  /** The scopes of which an account key needs one. */
  accountScopes: AccountScope[];
}

async function createTenant(): Promise<Tenant> {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const image = await uploadImage(account, { alt: `alt of ${account.email}` });
  const scheduled = await post(account.key, {
    text: `text of ${account.email}`,
    media: [image.id],
    channels: [channel.id],
    publish_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const create = async (path: string, body: object) =>
    (await call<{ id: string }>("POST", path, { token: account.key, body })).body.id;
  const ids = {
    "/v1/posts": scheduled.id,
    "/v1/channel-groups": await create("/v1/channel-groups", { name: "All", channels: [channel.id] }),
    "/v1/feeds": await create("/v1/feeds", { url: await hostFeed([]), channels: [channel.id] }),
    "/v1/snippets": await create("/v1/snippets", { name: "Ending", text: `snippet of ${account.email}` }),
    "/v1/channels": channel.id,
    "/v1/media": image.id,
    "/v1/workspaces": account.workspace,
  };
  return { ...account, ids, secrets: [account.email, account.key, channel.handle, ...Object.values(ids)] };
}

let mine: Tenant;
let stranger: Tenant;
let rotated: string;
/** A member of `mine` in each role. */
let members: Record<Role, Account>;
/** A key of `mine` with each scope. */
let keys: Record<Scope, string>;
/** An account key of the owner of `mine` with each scope, and one with all of them. */
let accountKeys: Record<AccountScope | "all", string>;
let routes: Route[];

beforeAll(async () => {
  [mine, stranger] = [await createTenant(), await createTenant()];
  members = { viewer: await signUp(), author: await signUp(), publisher: await signUp(), owner: await signUp() };
  rotated = mine.key;
  const next = await call<{ key: string }>("POST", `/v1/workspaces/${mine.workspace}/key/rotate`, {
    token: mine.session,
  });
  mine.key = next.body.key;
  for (const role of ROLES) await join(mine, members[role], role);
  const makeScopedKey = async (scope: Scope) => (await makeKey(mine, { scopes: [scope] })).key;
  keys = {
    read: await makeScopedKey("read"),
    draft: await makeScopedKey("draft"),
    publish: await makeScopedKey("publish"),
    manage: await makeScopedKey("manage"),
  };
  const makeScopedAccountKey = async (...scopes: AccountScope[]) => (await makeAccountKey(mine, scopes)).key;
  accountKeys = {
    workspaces: await makeScopedAccountKey("workspaces"),
    keys: await makeScopedAccountKey("keys"),
    connect: await makeScopedAccountKey("connect"),
    read: await makeScopedAccountKey("read"),
    all: await makeScopedAccountKey(...ACCOUNT_SCOPES),
  };
  const { body } = await call<{
    paths: Record<
      string,
      Record<
        string,
        {
          operationId: string;
          security: object[];
          parameters?: object[];
          "x-role"?: Role;
          "x-scopes"?: Scope[];
          "x-account-scopes"?: AccountScope[];
        }
      >
    >;
  }>("GET", "/openapi.json");
  routes = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, parameters = [], ...access }]) => ({
      name: operationId,
      // The call that `ask` makes removes another member.
      role: operationId === "members.remove" ? "owner" : access["x-role"],
      scopes: access["x-scopes"] ?? [],
      accountScopes: access["x-account-scopes"] ?? [],
      method: method.toUpperCase(),
      path,
      auth:
        security.length === 0
          ? "none"
          : security.some((schemes) => "workspaceKey" in schemes)
            ? "key_or_session"
            : parameters.some(
                  (parameter) => "$ref" in parameter && parameter.$ref === "#/components/parameters/Workspace",
                )
              ? "session_in_workspace"
              : "session",
    })),
  );
});

/** Builds the path of a route to the tenant's own thing. */
function buildPath({ path }: Route, { ids }: Tenant): string {
  const collection = Object.keys(ids).find((prefix) => path.startsWith(`${prefix}/{`));
  return path.replace("{id}", ids[collection ?? ""] ?? "none").replace("{user}", "usr_none");
}

/** Sends a body that no operation accepts, so that a call that gets past the credential changes nothing. */
const ask = (route: Route, tenant: Tenant, token: string | null, workspace?: string) =>
  call<{ error?: string; scope?: string }>(route.method, buildPath(route, tenant), {
    token,
    headers: workspace === undefined ? {} : { "x-workspace": workspace },
    ...(["POST", "PUT", "PATCH"].includes(route.method) ? { body: { nothing: "known" } } : {}),
  });
/** Bodies for operations that would otherwise refuse the body before they look up the thing. */
const VALID: Record<string, object> = {
  "media.describe": { alt: null },
  "media.request-chunk-addresses": { numbers: [1] },
  "media.complete-upload": { chunks: [{ number: 1, etag: "x" }] },
  "posts.approve": { rev: 1 },
  "posts.decline": { reason: "no" },
  "posts.edit-live-text": { text: "x" },
  "comments.create": { text: "x" },
  "channel-groups.change": { name: "x" },
  "feeds.change": { name: "x" },
  "webhooks.change": { events: ["delivery.failed"] },
  "snippets.change": { name: "x" },
};
const isAdmitted = (status: number) => status !== 401 && status !== 403;
/** Calls that would change the tenants for the calls that follow. */
const CHANGES = new Set([
  "accounts.erase",
  "accounts.sign-out",
  "workspaces.rotate-key",
  "posts.remove",
  "posts.stop-repeat",
  "channels.disconnect",
]);

describe("the tenant matrix", () => {
  it("the tenant matrix has each operation", () => {
    expect(routes.length).toBeGreaterThanOrEqual(32);
    expect(routes.filter(({ auth }) => auth === "session").map(({ name }) => name)).toContain("workspaces.reveal-key");
  });

  it("no credential, a broken key and a rotated key are answered with 401 wherever a credential is needed", async () => {
    for (const route of routes.filter(({ auth }) => auth !== "none")) {
      expect((await ask(route, mine, null)).status, route.name).toBe(401);
      expect((await ask(route, mine, `${mine.key}x`)).status, route.name).toBe(401);
      expect(await ask(route, mine, rotated), route.name).toMatchObject({
        status: 401,
        body: { error: "key_revoked" },
      });
    }
  });

  it("a key is admitted to its own workspace, but to no route of sessions and to no other tenant's workspace", async () => {
    for (const route of routes.filter(({ name }) => !CHANGES.has(name))) {
      const answer = await ask(route, mine, mine.key);
      if (route.auth === "session" || route.auth === "session_in_workspace")
        expect(answer, route.name).toMatchObject({ status: 403, body: { error: "key_not_allowed" } });
      else expect(isAdmitted(answer.status), `${route.name} ${answer.status}`).toBe(true);
      if (route.auth !== "key_or_session") continue;
      expect(await ask(route, mine, mine.key, stranger.workspace), route.name).toMatchObject({ status: 403 });
    }
  });

  it("a session is admitted to its own workspace if it names it, and never to a stranger's", async () => {
    for (const route of routes.filter(
      ({ auth, name }) => (auth === "key_or_session" || auth === "session_in_workspace") && !CHANGES.has(name),
    )) {
      expect(await ask(route, mine, mine.session), route.name).toMatchObject({
        status: 422,
        body: { error: "workspace_required" },
      });
      expect(isAdmitted((await ask(route, mine, mine.session, mine.workspace)).status), route.name).toBe(true);
      expect(await ask(route, mine, stranger.session, mine.workspace), route.name).toMatchObject({
        status: 403,
        body: { error: "not_a_member" },
      });
    }
    for (const route of routes.filter((candidate) => candidate.auth === "session" && candidate.role !== undefined)) {
      expect(await ask(route, mine, stranger.session), route.name).toMatchObject({
        status: 403,
        body: { error: "not_a_member" },
      });
    }
  });

  it.each(ROLES)(
    "a member who is %s may do what the role allows, and is refused with the needed role otherwise",
    async (role) => {
      const refused = new Set<string>();
      for (const route of routes) {
        if (route.role === undefined) continue;
        const workspace = route.auth === "session" ? undefined : mine.workspace;
        if (ROLES.indexOf(role) < ROLES.indexOf(route.role)) {
          expect(await ask(route, mine, members[role].session, workspace), route.name).toMatchObject({
            status: 403,
            body: {
              error: "role_missing",
              // The post of this matrix is scheduled, and cancelling it needs more than discarding a draft.
              role: ["posts.remove", "posts.stop-repeat"].includes(route.name) ? "publisher" : route.role,
              message: expect.stringMatching(/^Only .+ may /),
            },
          });
          refused.add(route.name);
        } else if (!CHANGES.has(route.name)) {
          const { status } = await ask(route, mine, members[role].session, workspace);
          expect(isAdmitted(status), `${route.name} ${status}`).toBe(true);
        }
      }
      expect(refused.size).toBe({ viewer: 62, author: 45, publisher: 26, owner: 0 }[role]);
    },
  );

  it.each(SCOPES)(
    "a key with the scope %s may do what the scope allows, and is refused with a needed scope otherwise",
    async (scope) => {
      const refused = new Set<string>();
      for (const route of routes) {
        if (route.role === undefined) continue;
        if (route.auth !== "key_or_session") {
          expect(await ask(route, mine, keys[scope]), route.name).toMatchObject({ body: { error: "key_not_allowed" } });
        } else if (!route.scopes.includes(scope)) {
          const answer = await ask(route, mine, keys[scope]);
          expect(answer, route.name).toMatchObject({ status: 403, body: { error: "scope_missing" } });
          expect(route.scopes, route.name).toContain(answer.body.scope);
          refused.add(route.name);
        } else if (!CHANGES.has(route.name)) {
          const { status, body } = await ask(route, mine, keys[scope]);
          // The body may decide which scope a post needs, but the key never lacks all of them.
          expect(isAdmitted(status), `${route.name} ${status} ${body?.error}`).toBe(true);
        }
      }
      expect(refused.size).toBeGreaterThan(15);
    },
  );

  it.each(ACCOUNT_SCOPES)(
    "an account key with the scope %s may do what the scope allows in its owner's workspace, and nothing else",
    async (scope) => {
      let admitted = 0;
      for (const route of routes.filter(({ auth }) => auth !== "none")) {
        const workspace = route.auth === "session" ? undefined : mine.workspace;
        const isAllowed = route.accountScopes.includes(scope);
        if (isAllowed && CHANGES.has(route.name)) continue;
        const answer = await ask(route, mine, accountKeys[scope], workspace);
        if (isAllowed) {
          expect(isAdmitted(answer.status), `${route.name} ${answer.status} ${answer.body?.error}`).toBe(true);
          admitted += 1;
        } else {
          const error = route.accountScopes.length === 0 ? "key_not_allowed" : "scope_missing";
          expect(answer, route.name).toMatchObject({ status: 403, body: { error } });
        }
      }
      expect(admitted).toBe({ workspaces: 10, keys: 5, connect: 1, read: 31 }[scope]);
    },
  );

  it("an account key with all scopes can neither publish, nor change people, nor act in a stranger's workspace", async () => {
    const isOfKeys = ({ accountScopes }: Route) => accountScopes.length > 0;
    const refused = routes.filter((route) => route.auth !== "none" && !isOfKeys(route)).map(({ name }) => name);
    for (const name of ["posts.create", "media.request-upload", "channels.connect", "members.invite", "accounts.me"])
      expect(refused).toContain(name);
    for (const route of routes.filter(isOfKeys)) {
      if (route.auth === "session" && route.role === undefined) continue;
      const answer = await ask(
        route,
        stranger,
        accountKeys.all,
        route.auth === "session" ? undefined : stranger.workspace,
      );
      expect(answer, route.name).toMatchObject({ status: 403, body: { error: "not_a_member" } });
      if (route.auth === "session") continue;
      expect(await ask(route, mine, accountKeys.all), route.name).toMatchObject({
        status: 422,
        body: { error: "workspace_required" },
      });
    }
  });

  it("each route answers for another tenant's data byte for byte as for data that never existed", async () => {
    const neutral = (answer: { status: number; body: object }) =>
      JSON.stringify([answer.status, answer.body]).replace(/req_\w+/, "");
    for (const route of routes.filter(({ auth, path }) => auth === "key_or_session" && path.includes("{id}"))) {
      const valid = VALID[route.name] ?? {};
      const options = { token: mine.key, ...(["PATCH", "POST"].includes(route.method) ? { body: valid } : {}) };
      const foreign = await call<{ error: string }>(route.method, buildPath(route, stranger), options);
      const missing = await call<{ error: string }>(route.method, route.path.replaceAll(/\{\w+\}/g, "none"), options);
      expect(foreign.status, route.name).toBe(404);
      expect(neutral(foreign), route.name).toBe(neutral(missing));
    }
    expect((await call("GET", `/v1/posts/${stranger.ids["/v1/posts"]}`, { token: stranger.key })).body).toMatchObject({
      status: "scheduled",
    });
  });

  it("no answer to a tenant contains values of another", async () => {
    for (const route of routes.filter(({ method, auth }) => method === "GET" && auth !== "none")) {
      for (const [token, workspace] of [
        [mine.key, undefined],
        [mine.session, mine.workspace],
        [accountKeys.all, mine.workspace],
      ] as const) {
        const text = JSON.stringify((await ask(route, mine, token, workspace)).body);
        for (const secret of stranger.secrets) expect(text, route.name).not.toContain(secret);
      }
    }
  });
});

describe("the Authorization header", () => {
  it("the Authorization header is read in any letter case of its scheme, and only as Bearer", async () => {
    const ask = async (authorization: string) =>
      (await call("GET", "/v1/workspace", { headers: { authorization } })).status;
    expect(await ask(`bearer ${mine.key}`)).toBe(200);
    expect(await ask(`BEARER  ${mine.key} `)).toBe(200);
    for (const wrong of [
      `Basic ${btoa(`x:${mine.key}`)}`,
      mine.key,
      `Bearer ${mine.key}, Bearer ${mine.key}`,
      "Bearer",
      "Bearer ",
    ])
      expect(await ask(wrong), wrong).toBe(401);
  });
});
