// Every operation of the OpenAPI document, with every credential, on the caller's own things and on another's.
import { beforeAll, describe, expect, it } from "vitest";
import { ROLES, type Role, SCOPES, type Scope } from "../../src/domain/roles.ts";
import { makeKey } from "../support/keys.ts";
import { join } from "../support/members.ts";
import { type Account, call, connect, post, signUp, uploadImage } from "../support/world.ts";

interface Tenant extends Account {
  ids: Record<string, string>;
  /** Everything that no answer to another tenant may hold. */
  secrets: string[];
}
interface Route {
  name: string;
  method: string;
  path: string;
  auth: "none" | "session" | "session_in_workspace" | "key_or_session";
  /** As the document says: the smallest role, and the scopes of which a key needs one. */
  role: Role | undefined;
  scopes: Scope[];
}

async function tenant(): Promise<Tenant> {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const image = await uploadImage(account, { alt: `alt of ${account.email}` });
  const scheduled = await post(account.key, {
    text: `text of ${account.email}`,
    media: [image.id],
    channels: [channel.id],
    publish_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const ids = {
    "/v1/posts": scheduled.id,
    "/v1/channels": channel.id,
    "/v1/media": image.id,
    "/v1/workspaces": account.workspace,
  };
  return { ...account, ids, secrets: [account.email, account.key, channel.handle, ...Object.values(ids)] };
}

let mine: Tenant;
let other: Tenant;
let rotated: string;
/** Somebody of each role in `mine`. */
let members: Record<Role, Account>;
/** A key of each scope in `mine`. */
let keys: Record<Scope, string>;
let routes: Route[];

beforeAll(async () => {
  [mine, other] = [await tenant(), await tenant()];
  members = { viewer: await signUp(), author: await signUp(), publisher: await signUp(), owner: await signUp() };
  rotated = mine.key;
  const next = await call<{ key: string }>("POST", `/v1/workspaces/${mine.workspace}/key/rotate`, {
    token: mine.session,
  });
  mine.key = next.body.key;
  for (const role of ROLES) await join(mine, members[role], role);
  const keyOf = async (scope: Scope) => (await makeKey(mine, { scopes: [scope] })).key;
  keys = {
    read: await keyOf("read"),
    draft: await keyOf("draft"),
    publish: await keyOf("publish"),
    manage: await keyOf("manage"),
  };
  const { body } = await call<{
    paths: Record<
      string,
      Record<
        string,
        { operationId: string; security: object[]; parameters?: object[]; "x-role"?: Role; "x-scopes"?: Scope[] }
      >
    >;
  }>("GET", "/openapi.json");
  routes = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, parameters = [], ...access }]) => ({
      name: operationId,
      // What a call of `ask` needs: it removes somebody else.
      role: operationId === "members.remove" ? "owner" : access["x-role"],
      scopes: access["x-scopes"] ?? [],
      method: method.toUpperCase(),
      path,
      auth:
        security.length === 0
          ? "none"
          : security.some((schemes) => "workspaceKey" in schemes)
            ? "key_or_session"
            : parameters.some((one) => "$ref" in one && one.$ref === "#/components/parameters/Workspace")
              ? "session_in_workspace"
              : "session",
    })),
  );
});

/** The route on a tenant's own thing. */
function pathOf({ path }: Route, { ids }: Tenant): string {
  const collection = Object.keys(ids).find((prefix) => path.startsWith(`${prefix}/{`));
  return path.replace("{id}", ids[collection ?? ""] ?? "none").replace("{user}", "usr_none");
}

/** Harmless: a body that no operation takes, so that what gets past the credential changes nothing. */
const ask = (route: Route, of: Tenant, token: string | null, workspace?: string) =>
  call<{ error?: string; scope?: string }>(route.method, pathOf(route, of), {
    token,
    headers: workspace === undefined ? {} : { "x-workspace": workspace },
    ...(["POST", "PUT", "PATCH"].includes(route.method) ? { body: { nothing: "known" } } : {}),
  });
/** Bodies without which a call says nothing of what it names. */
const VALID: Record<string, object> = {
  "media.describe": { alt: null },
  "posts.approve": { rev: 1 },
  "posts.decline": { reason: "no" },
};
const past = (status: number) => status !== 401 && status !== 403;
/** Calls that would change the tenants for the calls that follow. */
const CHANGES = new Set([
  "accounts.erase",
  "accounts.sign-out",
  "workspaces.rotate-key",
  "posts.remove",
  "channels.disconnect",
]);

describe("the tenant matrix", () => {
  it("is made of every operation", () => {
    expect(routes.length).toBeGreaterThanOrEqual(32);
    expect(routes.filter(({ auth }) => auth === "session").map(({ name }) => name)).toContain("workspaces.reveal-key");
  });

  it("no credential, a broken key, a rotated key: 401 wherever one is needed", async () => {
    for (const route of routes.filter(({ auth }) => auth !== "none")) {
      expect((await ask(route, mine, null)).status, route.name).toBe(401);
      expect((await ask(route, mine, `${mine.key}x`)).status, route.name).toBe(401);
      expect(await ask(route, mine, rotated), route.name).toMatchObject({
        status: 401,
        body: { error: "key_revoked" },
      });
    }
  });

  it("a key: its own workspace, never a session's routes, never another's things", async () => {
    for (const route of routes.filter(({ name }) => !CHANGES.has(name))) {
      const own = await ask(route, mine, mine.key);
      if (route.auth === "session" || route.auth === "session_in_workspace")
        expect(own, route.name).toMatchObject({ status: 403, body: { error: "key_not_allowed" } });
      else expect(past(own.status), `${route.name} ${own.status}`).toBe(true);
      if (route.auth !== "key_or_session") continue;
      expect(await ask(route, mine, mine.key, other.workspace), route.name).toMatchObject({ status: 403 });
    }
  });

  it("a session: its own workspace when it names it, a stranger's never", async () => {
    for (const route of routes.filter(
      ({ auth, name }) => (auth === "key_or_session" || auth === "session_in_workspace") && !CHANGES.has(name),
    )) {
      expect(await ask(route, mine, mine.session), route.name).toMatchObject({
        status: 422,
        body: { error: "workspace_required" },
      });
      expect(past((await ask(route, mine, mine.session, mine.workspace)).status), route.name).toBe(true);
      expect(await ask(route, mine, other.session, mine.workspace), route.name).toMatchObject({
        status: 403,
        body: { error: "not_a_member" },
      });
    }
    for (const route of routes.filter((one) => one.auth === "session" && one.role !== undefined)) {
      expect(await ask(route, mine, other.session), route.name).toMatchObject({
        status: 403,
        body: { error: "not_a_member" },
      });
    }
  });

  it.each(ROLES)(
    "a member: as %s what the role allows, and 403 with the role that it needs for the rest",
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
              // The post of this matrix is scheduled: to cancel it takes more than to discard a draft.
              role: route.name === "posts.remove" ? "publisher" : route.role,
              message: expect.stringMatching(/^Only .+ may /),
            },
          });
          refused.add(route.name);
        } else if (!CHANGES.has(route.name)) {
          const { status } = await ask(route, mine, members[role].session, workspace);
          expect(past(status), `${route.name} ${status}`).toBe(true);
        }
      }
      expect(refused.size).toBe({ viewer: 40, author: 33, publisher: 25, owner: 0 }[role]);
    },
  );

  it.each(SCOPES)(
    "a key: with the scope %s what that gives, and 403 with a scope that it needs for the rest",
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
          // It may read in the body which of its scopes a post takes, but never lacks all of them.
          expect(past(status), `${route.name} ${status} ${body?.error}`).toBe(true);
        }
      }
      expect(refused.size).toBeGreaterThan(15);
    },
  );

  it("another's thing is answered byte for byte as one that never was, by every route that names one", async () => {
    const neutral = (answer: { status: number; body: object }) =>
      JSON.stringify([answer.status, answer.body]).replace(/req_\w+/, "");
    for (const route of routes.filter(({ auth, path }) => auth === "key_or_session" && path.includes("{id}"))) {
      const valid = VALID[route.name] ?? {};
      const options = { token: mine.key, ...(["PATCH", "POST"].includes(route.method) ? { body: valid } : {}) };
      const foreign = await call<{ error: string }>(route.method, pathOf(route, other), options);
      const missing = await call<{ error: string }>(route.method, route.path.replaceAll(/\{\w+\}/g, "none"), options);
      expect(foreign.status, route.name).toBe(404);
      expect(neutral(foreign), route.name).toBe(neutral(missing));
    }
    expect((await call("GET", `/v1/posts/${other.ids["/v1/posts"]}`, { token: other.key })).body).toMatchObject({
      status: "scheduled",
    });
  });

  it("no answer to one tenant holds anything of another", async () => {
    for (const route of routes.filter(({ method, auth }) => method === "GET" && auth !== "none")) {
      for (const [token, workspace] of [
        [mine.key, undefined],
        [mine.session, mine.workspace],
      ] as const) {
        const text = JSON.stringify((await ask(route, mine, token, workspace)).body);
        for (const secret of other.secrets) expect(text, route.name).not.toContain(secret);
      }
    }
  });
});

describe("the Authorization header", () => {
  it("is read in any case of its scheme, and only as Bearer", async () => {
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
