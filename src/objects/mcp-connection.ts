// The MCP connection of one credential: a Durable Object that holds its session and answers its calls. Clients of the
// older, session-based protocol (2025) have one session at a time, which a new `initialize` supersedes. The session survives
// the object's eviction from memory. In the protocol of 2026-07-28, every request is self-contained.
import { DurableObject } from "cloudflare:workers";
import {
  type AuthInfo,
  isInitializeRequest,
  isJSONRPCRequest,
  isLegacyRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  readRequestBody,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { createMcpHandler } from "agents/mcp/server";
import { sha256Hex } from "../adapters/digest.ts";
import { errorText, log } from "../adapters/log.ts";
import { compose } from "../compose.ts";
import { offersListening } from "../domain/account-plan.ts";
import { toAlarmTime } from "../domain/alarm.ts";
import { base64Url } from "../domain/encoding.ts";
import { canonicalJson } from "../domain/json.ts";
import { BODY_BYTES_MAX } from "../domain/limits.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Env } from "../env.ts";
import { type CallHeader, readCall } from "../mcp/call-header.ts";
import { type Choices, readChoices } from "../mcp/channel-choice.ts";
import { CheckTokens } from "../mcp/check-token.ts";
import { MCP_PATH, rpcError } from "../mcp/front.ts";
import { OpenStreams, STREAMS_MAX, watchEnd } from "../mcp/open-streams.ts";
import type { Call } from "../mcp/perform.ts";
import { buildServer } from "../mcp/server.ts";
import { stillGood, type WorkspaceCaller } from "../operations/caller.ts";
import { parseJson } from "../operations/parse-json.ts";
import { readSettings } from "../settings.ts";

/**
 * How often keep-alives are written to open streams. Only a failed write reveals that a client has disconnected silently.
 */
const KEEP_ALIVE_MS = 2_000;

/** The part of a session that is stored, and survives the object's eviction from memory. */
interface Stored {
  id: string;
  init: JSONRPCRequest;
}

interface Live {
  id: string;
  transport: WebStandardStreamableHTTPServerTransport;
  /** Unanswered requests. */
  pending: Set<RequestId>;
  /** Superseded: the session answers its pending requests, then ends. */
  retired: boolean;
}

export class McpConnection extends DurableObject<Env> {
  readonly #settings = readSettings(this.env);
  #live: Live | null = null;
  #resuming: Promise<Live | null> | null = null;
  #choices: Choices = [];
  /** The last caller. It can be reused because a key's rights never change. */
  #caller: WorkspaceCaller | undefined;
  readonly #calls = new WeakMap<AuthInfo, Call>();
  readonly #streams = new OpenStreams();
  #tokens: CheckTokens | undefined;
  readonly #modern = createMcpHandler(() => this.#build("modern"), {
    route: MCP_PATH,
    legacy: "reject",
    maxSubscriptions: offersListening(this.#settings.accountPlan) ? STREAMS_MAX : 0,
    keepAliveMs: KEEP_ALIVE_MS,
    // Keys never belong in browsers; the front has already checked host and origin.
    corsOptions: false,
    allowedOriginHostnames: "*",
    onerror: report,
  });

  override async fetch(request: Request): Promise<Response> {
    const header = readCall(request);
    const call = this.#callOf(header);
    this.#caller = call.caller;
    const auth: AuthInfo = { token: "", clientId: call.caller.workspaceId, scopes: [] };
    this.#calls.set(auth, call);
    if (request.method === "DELETE") return this.#inSession(request, undefined, auth);

    const read = await readRequestBody(request, BODY_BYTES_MAX);
    if (read.tooLarge) return rpcError(413, -32600, "The body is larger than 1 MiB.");
    let body: unknown;
    try {
      body = parseJson(read.text);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return rpcError(400, -32700, error.message);
    }
    const bare = new Request(request.url, { method: "POST", headers: request.headers });
    const isOfSession = await isLegacyRequest(bare, body);
    if (mentions(body, "tools/list") || (isOfSession && mentions(body, "tools/call"))) {
      this.#choices = await readChoices(call.ctx, call.caller);
    }
    if (isOfSession) return this.#legacy(bare, body, auth);
    return mentions(body, "subscriptions/listen")
      ? this.#listen(bare, body, auth, header)
      : this.#modern.fetch(bare, { authInfo: auth, parsedBody: body });
  }

  /** Ends the connection because its credential is no longer valid. */
  async end(): Promise<void> {
    if (this.#live !== null) retire(this.#live);
    this.#live = null;
    this.#streams.end();
    await this.ctx.storage.deleteAll();
  }

  /**
   * Called when the workspace's channels may have changed. Notifies the open streams if that changes the schemas of their
   * tools.
   */
  async announceChannels(): Promise<void> {
    const header = this.#streams.oldestCall;
    if (header === undefined) return;
    if (await stillGood(this.#callOf(header).ctx, header.caller)) await this.#announce(header);
    else await this.end();
  }

  /** Ends the streams that have reached their time limit. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    this.#streams.end(now);
    const { nextEndsAt } = this.#streams;
    if (nextEndsAt !== undefined) await this.ctx.storage.setAlarm(toAlarmTime(nextEndsAt, now));
  }

  /** Notifies the open streams, unless this connection has already announced these channels. */
  async #announce(header: CallHeader): Promise<void> {
    const { ctx, caller } = this.#callOf(header);
    const current = await sha256Hex(canonicalJson(await readChoices(ctx, caller)));
    const { kv } = this.ctx.storage;
    const announced = kv.get<string>("announced");
    if (announced === current) return;
    kv.put("announced", current);
    if (announced !== undefined) this.#modern.notify.toolsChanged();
  }

  async #listen(request: Request, body: unknown, auth: AuthInfo, header: CallHeader): Promise<Response> {
    const controller = this.#streams.add(header, Date.now());
    const stoppable = new Request(request, { signal: controller.signal });
    const response = await this.#modern.fetch(stoppable, { authInfo: auth, parsedBody: body });
    if (response.body === null || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
      this.#streams.remove(controller);
      return response;
    }
    const { storage } = this.ctx;
    const { nextEndsAt } = this.#streams;
    if (nextEndsAt !== undefined && (await storage.getAlarm()) === null)
      await storage.setAlarm(toAlarmTime(nextEndsAt, Date.now()));
    // The channels may have changed while no stream was open, or an announcement may have been lost.
    await this.#announce(header).catch(report);
    return new Response(
      watchEnd(response.body, () => this.#streams.remove(controller)),
      response,
    );
  }

  async #legacy(request: Request, body: unknown, auth: AuthInfo): Promise<Response> {
    if (!isInitializeRequest(body) || !isJSONRPCRequest(body)) return this.#inSession(request, body, auth);
    const live = await this.#open(base64Url(crypto.getRandomValues(new Uint8Array(32))));
    const response = await live.transport.handleRequest(request, { authInfo: auth, parsedBody: body });
    if (response.status !== 200) return response;
    if (this.#live !== null) retire(this.#live);
    this.#live = live;
    const { kv } = this.ctx.storage;
    kv.put<Stored>("session", { id: live.id, init: body });
    kv.delete("shown");
    return response;
  }

  async #inSession(request: Request, body: unknown, auth: AuthInfo): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return rpcError(400, -32000, "Bad Request: Mcp-Session-Id header is required");
    const live = this.#live ?? (await this.#resume());
    if (live === null || live.id !== id) return rpcError(404, -32001, "Session not found");
    for (const message of Array.isArray(body) ? body : [body]) {
      if (isJSONRPCRequest(message)) live.pending.add(message.id);
    }
    if (mentions(body, "tools/list")) await this.#show();
    return live.transport.handleRequest(request, { authInfo: auth, parsedBody: body });
  }

  async #open(id: string): Promise<Live> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => {
        if (this.#live?.id === id) this.#live = null;
        if (this.ctx.storage.kv.get<Stored>("session")?.id === id) this.ctx.storage.kv.delete("session");
      },
    });
    const live: Live = { id, transport, pending: new Set(), retired: false };
    const send = transport.send.bind(transport);
    transport.send = async (message: JSONRPCMessage, options) => {
      await send(message, options);
      if ("method" in message || message.id === undefined) return;
      live.pending.delete(message.id);
      if (live.retired && live.pending.size === 0) await transport.close();
    };
    await this.#build("legacy").connect(transport);
    return live;
  }

  /** Restores the session from before the eviction; null if no session was stored. Concurrent calls share one restore. */
  #resume(): Promise<Live | null> {
    this.#resuming ??= this.#replay().finally(() => {
      this.#resuming = null;
    });
    return this.#resuming;
  }

  async #replay(): Promise<Live | null> {
    const stored = this.ctx.storage.kv.get<Stored>("session");
    if (stored === undefined) return null;
    const live = await this.#open(stored.id);
    const say = async (message: object, headers: Record<string, string>) => {
      const accept = "application/json, text/event-stream";
      const request = new Request(`http://connection${MCP_PATH}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept, ...headers },
      });
      const answer = await live.transport.handleRequest(request, { parsedBody: message });
      await answer.body?.cancel();
    };
    await say(stored.init, {});
    await say({ jsonrpc: "2.0", method: "notifications/initialized" }, { "mcp-session-id": stored.id });
    this.#live ??= live;
    return this.#live;
  }

  #build(era: "modern" | "legacy") {
    return buildServer(this.#settings.version, {
      tokens: () => {
        this.#tokens ??= new CheckTokens(this.#secret());
        return this.#tokens;
      },
      choices: () => this.#choices,
      caller: () => this.#caller ?? neverCalled(),
      callOf: ({ http }) => {
        const call = http?.authInfo && this.#calls.get(http.authInfo);
        if (call === undefined) throw new Error("a handler runs outside of any call");
        return call;
      },
      isOutdated: async () => era === "legacy" && (await this.#show()) === "others",
    });
  }

  /**
   * Records which channels the schemas of the session's tools list now. `others`: the session was shown different channels
   * before.
   */
  async #show(): Promise<"first" | "same" | "others"> {
    const { kv } = this.ctx.storage;
    const before = kv.get<string>("shown");
    const now = await sha256Hex(canonicalJson(this.#choices));
    if (before === now) return "same";
    kv.put("shown", now);
    return before === undefined ? "first" : "others";
  }

  #callOf({ caller, requestId, address }: CallHeader): Call {
    return { ctx: compose(this.env, (work) => this.ctx.waitUntil(work), { address }), caller, requestId };
  }

  #secret(): Uint8Array<ArrayBuffer> {
    const { kv } = this.ctx.storage;
    const storedSecret = kv.get<Uint8Array<ArrayBuffer>>("secret");
    if (storedSecret !== undefined) return storedSecret;
    const fresh = crypto.getRandomValues(new Uint8Array(32));
    kv.put("secret", fresh);
    return fresh;
  }
}

function neverCalled(): never {
  throw new Error("a server is made outside of any call");
}

function retire(live: Live): void {
  live.retired = true;
  live.transport.closeStandaloneSSEStream();
  if (live.pending.size === 0) live.transport.close().catch(report);
}

function report(error: unknown): void {
  log("warn", "mcp", { error: errorText(error) });
}

/** Whether a message, or a message of a batch, has this method. */
function mentions(body: unknown, method: string): boolean {
  if (Array.isArray(body)) return body.some((message) => mentions(message, method));
  return typeof body === "object" && body !== null && "method" in body && body.method === method;
}
