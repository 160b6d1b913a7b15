// Calls of networks and webhook endpoints. Each process has six connections. Each call is attributed to its post, and its
// result is noted for the checks.
import type { NetworkIO } from "../../src/networks/network.ts";
import { joinPieces } from "../support/joined.ts";
import { type AdditionCall, Attribution, additionIn, beginsDraft, isIrrevocable, readText } from "./attribution.ts";
import { CONNECTIONS_MAX } from "./limits.ts";
import type { Process, Verdict } from "./scheduler.ts";
import { readSubject, type Subject } from "./subjects.ts";
import type { World } from "./world.ts";

const MINUTE = 60_000;
const HEAD_BYTES = 4_096;
/** A call that is carried out within this time was being worked on by the network. A later one was still on its way. */
const AT_WORK_MAX_MS = 2.5 * MINUTE;

/** One call of a network. */
export interface NetworkCall {
  at: number;
  platform: string;
  /** The number of its post; null: unknown. */
  n: number | null;
  /** The delivery or channel that it was made for; null: none. */
  subject: Subject | null;
  /** The workspace that its process works for. */
  workspace: string | null;
  process: Process;
  what: string;
  /** The access token or chat that it uses. */
  account: string;
  irrevocable: boolean;
  /** The addition that it makes, and to which post; null: none. */
  addition: AdditionCall | null;
  /** Whether it had a body. */
  hasBody: boolean;
  /** The status that the caller received; null: none. */
  status: number | null;
  /** When the caller received the network's clear answer (epoch milliseconds); null: never. */
  answeredAt: number | null;
  /** Whether a fault struck it. */
  isStruck: boolean;
  /** When the caller received any answer or gave up; null: never. */
  endedAt: number | null;
  /** When the network carried it out; null: never. */
  carriedOutAt: number | null;
  /** Whether its answer says nothing about the outcome. */
  unclear: boolean;
  /** The wait that the network asked for, in milliseconds after the answer. */
  retryAfterMs: number | null;
}

/** Whether an answer says if the call was carried out. */
const isClear = (status: number): boolean => status < 500;

export class Wires {
  readonly calls: NetworkCall[] = [];
  readonly #world: World;
  readonly #attribution = new Attribution();

  constructor(world: World) {
    this.#world = world;
  }

  /** What connectors get in a process. */
  of(process: Process, platform: string): NetworkIO {
    const go = this.to(process, platform, (url, init) => this.#world.networks.call(platform, url, init));
    return {
      app: { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes: null },
      fetch: go,
      fetchPublic: go,
      now: () => this.#world.now() + process.skewMs,
      wait: (ms) => new Promise((end) => this.#world.after(ms, end)),
      random: (length) => this.#world.chance.bytes(length),
      chunksDivisor: 1,
      sized: joinPieces,
    };
  }

  /** A call of an external server; `carryOut` is the server's part. */
  to(
    process: Process,
    platform: string,
    carryOut: (url: string, init: RequestInit) => Promise<Response>,
  ): (url: string, init?: RequestInit) => Promise<Response> {
    return async (url, init = {}) => {
      // The source of a stream may be a port itself, so the stream is read first.
      const body = init.body instanceof ReadableStream ? await new Response(init.body).arrayBuffer() : init.body;
      const release = await connection(this.#world, process, init.signal ?? null);
      try {
        return await this.#call(process, platform, url, { ...init, body }, carryOut);
      } finally {
        release();
      }
    };
  }

  /** The number of the post that a call is about; null: neither the call nor its subject says. */
  #findPostNumber(platform: string, what: string, url: string, text: string): number | null {
    if (!beginsDraft(platform, what)) return this.#attribution.findPost(platform, url, text);
    const post = readSubject()?.post ?? null;
    const [row] = this.#world.databases.flatMap((database) =>
      database.rows("SELECT text FROM posts WHERE id = ?", post),
    );
    return readText(String(row?.text))?.n ?? null;
  }

  async #call(
    process: Process,
    platform: string,
    url: string,
    init: RequestInit,
    carryOut: (url: string, init: RequestInit) => Promise<Response>,
  ): Promise<Response> {
    const world = this.#world;
    const { signal, body } = init;
    const what = `${init.method ?? "GET"} ${new URL(url).pathname}`;
    const text = await readBody(body);
    const n = platform === "webhook" ? null : this.#findPostNumber(platform, what, url, text);
    const call: NetworkCall = {
      at: world.now(),
      platform,
      n,
      subject: readSubject(),
      workspace: (n === null ? null : world.findWorkspace(n)) ?? process.workspace,
      process,
      what,
      account: findAccount(url, init, text),
      irrevocable: isIrrevocable(platform, what),
      addition: additionIn(platform, what, url, text),
      hasBody: body instanceof ArrayBuffer ? body.byteLength > 0 : body != null && body !== "",
      status: null,
      answeredAt: null,
      endedAt: null,
      isStruck: false,
      carriedOutAt: null,
      unclear: false,
      retryAfterMs: null,
    };
    const answered = async (answer: Response): Promise<Response> => {
      const { status } = answer;
      call.status = status;
      if (call.unclear) return answer;
      if (isClear(status)) call.answeredAt = world.now();
      if (n !== null && status < 400)
        this.#attribution.answered(platform, n, answer.headers, await answer.clone().text());
      return answer;
    };
    const carry = async () => {
      world.note(`    ${platform} carries out ${what}${n === null ? "" : ` of p${n}`}`);
      const answer = await carryOut(url, init);
      world.networks.labelDrafts((publishId) => this.#attribution.findPost("tiktok", publishId, ""));
      call.carriedOutAt = world.now();
      world.carriedOut(call);
      return n === null || (init.method ?? "GET") !== "GET"
        ? answer
        : world.altered.shown({ platform, n, url }, answer);
    };
    const struck = () => (call.isStruck = true);
    const point = { process, port: "wire" as const, what, platform, n, irrevocable: call.irrevocable, struck };
    const whole = world.points.gate(
      {
        ...point,
        started: () => {
          this.calls.push(call);
          world.called(call);
        },
      },
      carry,
      async (verdict, done, fail) => this.#misbehave(verdict, { process, call, signal, carry, done, fail }, text),
    );
    try {
      return await answered(await (signal ? Promise.race([whole, aborted(signal, world.running)]) : whole));
    } finally {
      call.endedAt = world.now();
    }
  }

  async #misbehave(
    verdict: Verdict,
    {
      process,
      call,
      signal,
      carry,
      done,
      fail,
    }: {
      process: Process;
      call: NetworkCall;
      signal: AbortSignal | null | undefined;
      carry: () => Promise<Response>;
      done: (answer: Response) => void;
      fail: (error: Error) => void;
    },
    text: string,
  ): Promise<void> {
    const world = this.#world;
    const givesUp = (then: (reason: Error) => void) => {
      if (signal?.aborted) then(signal.reason);
      else if (signal) signal.addEventListener("abort", () => then(signal.reason), { once: true });
      else world.after(2 * MINUTE, () => then(new TypeError("fetch failed")));
    };
    if (verdict.is === "answer") {
      const answer = new Response(verdict.body, { status: verdict.status, headers: verdict.headers });
      if (verdict.carriedOut) await world.points.aside(process, carry);
      call.retryAfterMs = retryAfterMs(answer, Date.now());
      // An unclear answer is no answer.
      call.unclear = verdict.status === 200;
      done(answer);
      return;
    }
    if (verdict.is !== "hang") return;
    if (verdict.lands !== null) {
      const land = async () => {
        const answer = await carry();
        const isAtWork = call.irrevocable && world.now() - call.at <= AT_WORK_MAX_MS;
        // A call that takes longer than a network works on calls was on its way, and the repeat waited for it.
        const isExpected = (at: number) =>
          !this.calls.some(({ carriedOutAt, at: from }) => carriedOutAt === at && at - from > AT_WORK_MAX_MS);
        if (isAtWork) world.networks.missRepeat(call.platform, text, call.at, isExpected);
        return answer;
      };
      world.points.underway++;
      world.after(verdict.lands, () => world.points.aside(process, land).finally(() => world.points.underway--));
    }
    if (!verdict.headersCame) return givesUp(fail);
    call.unclear = true;
    const stops = (stream: ReadableStreamDefaultController) =>
      givesUp((reason) => {
        call.endedAt = world.now();
        stream.error(reason);
      });
    done(new Response(new ReadableStream({ start: stops })));
  }
}

/** Identifies the account of a call: by its token, wherever it is, or its chat. */
function findAccount(url: string, { headers }: RequestInit, text: string): string {
  const inHeader = new Headers(headers).get("authorization")?.replace(/^\S+ /, "") ?? "";
  const token = /access_token=([^&]+)/.exec(`${url}&${text}`)?.[1] ?? "";
  const chat = /chat_id[^@-]*([@-][\w]+)/.exec(text)?.[1] ?? "";
  // An upload address is its own credential.
  return `${inHeader}${token}${chat}` || new URL(url).search;
}

/** Takes one of a process's connections, or waits for one. Rejects if the caller gives up first. */
export async function connection(world: World, process: Process, signal: AbortSignal | null): Promise<() => void> {
  if (process.connections >= CONNECTIONS_MAX)
    await new Promise<void>((free, reject) => {
      const mine = () => free();
      process.waiting.push(mine);
      signal?.addEventListener("abort", () => {
        process.waiting = process.waiting.filter((other) => other !== mine);
        reject(signal.reason);
      });
    });
  process.connections++;
  return () => {
    process.connections--;
    // A caller that gives up at this instant does not get the connection.
    world.after(1, () => process.waiting.shift()?.());
  };
}

function retryAfterMs(answer: Response, now: number): number | null {
  const retryAfter = answer.headers.get("retry-after");
  if (answer.status !== 429 || retryAfter === null) return null;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now;
  return ms > 0 ? ms : null;
}

const aborted = (signal: AbortSignal, running: boolean): Promise<never> =>
  new Promise((_, reject) => {
    if (running) signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

async function readBody(body: RequestInit["body"]): Promise<string> {
  if (body === null || body === undefined) return "";
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  if (body instanceof FormData)
    return [...body].map(([name, value]) => `${name}=${typeof value === "string" ? value : "(file)"}`).join("&");
  // The fields of a form come before its files.
  if (body instanceof ArrayBuffer || body instanceof Uint8Array)
    return Buffer.from(body instanceof Uint8Array ? body : new Uint8Array(body)).toString("utf8", 0, HEAD_BYTES);
  return "";
}
