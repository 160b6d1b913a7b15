// Serves the contract's operations as routes. A route reads the credentials and the raw input of a request, and sends the
// operation's reply or refusal. All decisions are made by the operations.
import { zValidator } from "@hono/zod-validator";
import type { Hono, Context as HonoContext } from "hono";
import * as z from "zod";
import type { Context } from "../context.ts";
import { has, type Operation } from "../contract/operation.ts";
import { refuse } from "../domain/refusal.ts";
import type { Env } from "../env.ts";
import { type Credentials, parseBearer } from "../operations/identify.ts";
import { entityTag, revisionIn } from "../operations/if-match.ts";
import { handlers } from "../operations/index.ts";
import type { Handler } from "../operations/run.ts";
import { readFileBody, readJsonBody } from "./request-body.ts";
import { clearSessionCookie, readDeviceCookie, readSessionCookie, requireSameOrigin } from "./session-cookie.ts";
import { giveCookies, sessionIn } from "./signed-in.ts";
import { streamed } from "./streamed.ts";

/** Values that middleware sets before every route. */
interface Variables {
  ctx: Context;
  requestId: string;
}
export interface HttpEnv {
  Bindings: Env;
  Variables: Variables;
}

/** Request headers that control a call. */
const Headers = z.object({
  authorization: z.string().optional(),
  "x-workspace": z.string().optional(),
  "idempotency-key": z.string().optional(),
  "if-match": z.string().optional(),
});

/** Routes that browsers of any origin may read: they contain no private data. */
const OPEN_TO_ALL_ORIGINS = new Set(["/v1/platforms", "/v1/status", "/healthz"]);

/**
 * Mounts every operation of the contract, and answers 405 for the methods that an address does not support. The first match
 * answers. Addresses without a parameter come first, so that `/v1/media/upload-url` is never read as the id of a file.
 */
export function mount(app: Hono<HttpEnv>): void {
  const byPath = Map.groupBy(Object.values(handlers), ({ operation }) => operation.path);
  const paths = [...byPath].sort(([a], [b]) => Number(a.includes(":")) - Number(b.includes(":")));
  for (const [path, operations] of paths) {
    for (const operation of operations) mountOne(app, operation);
    app.all(path, () => {
      const allowed = operations.map(({ operation }) => operation.method);
      throw refuse("method_not_allowed", { headers: { Allow: allowed.join(", ") } });
    });
  }
}

function mountOne(app: Hono<HttpEnv>, { operation, invokeFor }: Handler): void {
  app.on(operation.method, operation.path, zValidator("header", Headers), async (c) => {
    const { ctx } = c.var;
    const headers = c.req.valid("header");
    const reply = await invokeFor(ctx, readCredentials(c, operation, headers), async () => ({
      params: c.req.param(),
      query: readQuery(c.req.url),
      body: await readBody(c.req.raw, operation),
      idempotencyKey: headers["idempotency-key"] ?? null,
      ifMatch: headers["if-match"],
      ...readDeviceCookie(c, ctx.settings.baseUrl),
    }));
    const isPrivate = operation.auth !== "none" || operation.session !== undefined || operation.isSecret === true;
    if (isPrivate) c.header("Cache-Control", "no-store");
    if (operation.cacheSeconds !== undefined) c.header("Cache-Control", `public, max-age=${operation.cacheSeconds}`);
    if (OPEN_TO_ALL_ORIGINS.has(operation.path)) c.header("Access-Control-Allow-Origin", "*");
    if (operation.session === "ends") clearSessionCookie(c, ctx.settings.baseUrl);
    if (reply.status === 204) return c.body(null, 204);
    if (operation.session === "begins") await giveCookies(c, ctx, sessionIn(reply.body));
    const revision = operation.revised === undefined ? null : revisionIn(reply.body);
    if (revision !== null) c.header("ETag", entityTag(revision));
    if (reply.replayed === true) c.header("Idempotent-Replayed", "true");
    if (operation.stream !== undefined && reply.pieces !== undefined) {
      return streamed(c.res.headers, operation.stream, reply.pieces, c.var.requestId);
    }
    return Response.json(reply.body, { status: reply.status, headers: c.res.headers });
  });
}

/** A bearer credential takes precedence over the cookie; only the cookie needs proof of origin. */
function readCredentials(
  c: HonoContext<HttpEnv>,
  { auth, ability }: Pick<Operation, "auth" | "ability">,
  headers: z.output<typeof Headers>,
): Credentials {
  const { baseUrl } = c.var.ctx.settings;
  const bearer = parseBearer(headers.authorization);
  const cookie = bearer === null ? readSessionCookie(c, baseUrl) : null;
  if (cookie !== null) requireSameOrigin(c.req.raw, baseUrl);
  // If an operation authenticates by session and acts on a workspace itself, the address names the workspace.
  const ofAddress = auth === "session" && ability !== undefined ? c.req.param("id") : undefined;
  if (ofAddress !== undefined) return { token: bearer ?? cookie, workspaces: [ofAddress] };
  const requestedWorkspaces = [headers["x-workspace"], ...(c.req.queries("workspace") ?? [])].filter(
    (name) => name !== undefined,
  );
  return { token: bearer ?? cookie, workspaces: requestedWorkspaces };
}

async function readBody(request: Request, operation: Operation): Promise<unknown> {
  if (!has(operation, "body")) return undefined;
  if (operation.fileTypes !== undefined) return readFileBody(request, operation.fileTypes);
  const isAbsent = request.body === null || request.headers.get("content-length") === "0";
  return isAbsent && operation.bodyOptional === true ? {} : readJsonBody(request);
}

/** A repeated parameter becomes an array, and validation judges it as one. */
function readQuery(url: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  const { searchParams } = new URL(url);
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name);
    query[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  return query;
}
