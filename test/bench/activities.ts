// Activities around deliveries. Each kind is measured a few times on a running engine.
import { setTimeout as sleep } from "node:timers/promises";
import { makeJpeg } from "../../scripts/local/jpeg.ts";
import { freePort } from "../../scripts/local/ports.ts";
import { cpuMs } from "../../scripts/local/processes.ts";
import { divideUse, SWEEPER, totalUse } from "./costs.ts";
import type { Engine } from "./engine.ts";
import { NO_USE, sumUses, type Use } from "./prices.ts";
import { startReceiver } from "./receiver.ts";
import { type BenchWorkspace, connect, makeConnectedWorkspaces } from "./world.ts";

const WAIT_MAX_MS = 180_000;
const PICTURE_BYTES = 1_000_000;
/** A file is deleted seven days after its last post (STAGING_RETENTION_MS in src/domain/limits.ts), and may wait another day. */
const PICTURE_DAYS = 8;
const MONTH_DAYS = 30;
const MINUTE_MS = 60_000;
/** Within this time the post becomes due in an hour. */
const PREFLIGHT_AHEAD_MS = 2_000;
/** The time between two posts, so that they share nothing. */
const APART_MS = 2_000;

export interface Activities {
  /** An upload of a megabyte and its post on four channels, divided by its deliveries. */
  picture: Use;
  /** One of the two pre-flight checks of a delivery. */
  preflight: Use;
  /** A webhook message. */
  webhook: Use;
  /** A list of a network's option values that is not stored yet. */
  lookUp: Use;
  /** A person signs in. */
  signIn: Use;
  /** A page of the dashboard: its first reads. */
  dashboardPage: Use;
  /** A minute of an open dashboard, which polls for news. */
  dashboardMinute: Use;
  /** A read by a program. */
  read: Use;
  /** A tool that an agent calls. */
  tool: Use;
  /** A sweep that finds nothing, and the cron trigger that checks whether sweeps continue. */
  sweep: Use;
}

interface Latency {
  answerMs: number;
  roundTripMs: number;
}

export class ActivityMeter {
  readonly #engine: Engine;
  readonly #latency: Latency;
  readonly #workspace: BenchWorkspace;

  private constructor(engine: Engine, latency: Latency, workspace: BenchWorkspace) {
    this.#engine = engine;
    this.#latency = latency;
    this.#workspace = workspace;
  }

  static async prepare(engine: Engine, latency: Latency): Promise<ActivityMeter> {
    const [workspace] = await makeConnectedWorkspaces(engine.call, "activities", 1, 4);
    if (workspace === undefined) throw new Error("there is no workspace");
    return new ActivityMeter(engine, latency, workspace);
  }

  async measureAll(): Promise<Activities> {
    const sweep = await this.#sweeps(3);
    return {
      sweep,
      preflight: await this.#preflights(3),
      signIn: await this.#signIns(3),
      lookUp: await this.#lookUps(3),
      dashboardPage: await this.#reads(5, ["/v1/workspace", "/v1/channels", "/v1/slots", ...MONTH, "/v1/usage"]),
      dashboardMinute: await this.#reads(5, [...LISTS, ...LISTS, ...WAITING, ...WAITING, "/v1/slots"]),
      read: await this.#reads(20, ["/v1/posts?limit=20"]),
      tool: await this.#tools(20),
      picture: await this.#pictures(5),
      webhook: await this.#webhooks(5),
    };
  }

  /** The usage of `work`, divided by `units`. `requests`: how many HTTP requests it makes. */
  async #measure(units: number, requests: number, work: () => Promise<unknown>, isCounted?: (name: string) => boolean) {
    const { meters, runtimes, logsInvocations, simulators } = this.#engine;
    await this.#waitUntilIdle();
    await meters("all", this.#latency.roundTripMs);
    simulators.conditions.answerMs = this.#latency.answerMs;
    const before = await cpuMs(runtimes);
    await work();
    await this.#waitUntilIdle();
    simulators.conditions.answerMs = 0;
    const cpu = (await cpuMs(runtimes)) - before;
    const spent = await meters("off");
    const context = { requests, cpuMs: cpu, logsInvocations, ...(isCounted && { isCounted }) };
    return divideUse(totalUse([spent], context), units);
  }

  /** Waits until no object is kept from hibernating, twice in a row. */
  async #waitUntilIdle(): Promise<void> {
    for (let quiet = 0; quiet < 2; await sleep(300)) {
      const { resident } = await this.#engine.call<{ resident: number }>("GET", "/_bench/resident", null);
      quiet = resident === 0 ? quiet + 1 : 0;
    }
  }

  async #waitUntil(isDone: () => Promise<boolean>): Promise<void> {
    for (const deadline = Date.now() + WAIT_MAX_MS; !(await isDone()); await sleep(200)) {
      if (Date.now() > deadline) throw new Error("the machine is too busy");
    }
  }

  #get<Body>(path: string): Promise<Body> {
    return this.#engine.call<Body>("GET", path, this.#workspace.key);
  }

  #reads(times: number, paths: readonly string[]): Promise<Use> {
    return this.#measure(times, times * paths.length, async () => {
      for (let i = 0; i < times; i++) for (const path of paths) await this.#get(path);
    });
  }

  async #sweeps(times: number): Promise<Use> {
    const sweepUse = await this.#measure(
      times,
      0,
      async () => {
        for (let i = 0; i < times; i++) {
          await this.#engine.call("POST", "/_bench/sweep-now", null);
          await sleep(500);
          await this.#waitUntilIdle();
        }
      },
      (name) => name === SWEEPER,
    );
    return sumUses([
      [1, sweepUse],
      [1, { ...NO_USE, requests: 1, objectRequests: 1 }],
    ]);
  }

  /** Posts that become due in an hour, one at a time, so that the next sweep enqueues each of them. */
  async #preflights(posts: number): Promise<Use> {
    const uses: (readonly [number, Use])[] = [];
    for (let i = 0; i < posts; i++) {
      // Later than the instant that the last sweep has reached.
      await this.#post(`preflight ${i}`, Date.now() + 60 * MINUTE_MS + PREFLIGHT_AHEAD_MS);
      await sleep(PREFLIGHT_AHEAD_MS);
      const use = await this.#measure(this.#workspace.channels.length, 0, async () => {
        await this.#engine.call("POST", "/_bench/sweep-now", null);
        await sleep(2_000);
      });
      uses.push([1 / posts, use]);
    }
    return sumUses(uses);
  }

  async #signIns(times: number): Promise<Use> {
    const person = { email: `bench-${Date.now()}@crier.example`, password: "correct horse battery staple" };
    await this.#engine.call("POST", "/v1/auth/signup", null, { ...person, workspace: "Bench" });
    return this.#measure(times, times, async () => {
      for (let i = 0; i < times; i++) await this.#engine.call("POST", "/v1/auth/login", null, person);
    });
  }

  async #lookUps(times: number): Promise<Use> {
    const credentials = { access_token: "access-for-boards", refresh_token: "refresh-for-boards" };
    const { id } = await connect(this.#engine.call, this.#workspace, "pinterest", { handle: "boards", credentials });
    this.#workspace.channels.pop();
    return this.#measure(times, times, async () => {
      for (let i = 0; i < times; i++) await this.#get(`/v1/channels/${id}/options/board?refresh=true`);
    });
  }

  #tools(times: number): Promise<Use> {
    return this.#measure(times, times, async () => {
      for (let i = 0; i < times; i++) await this.#callTool();
    });
  }

  async #callTool(): Promise<void> {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    };
    const params = { name: "list_posts", arguments: {}, _meta: meta };
    const answer = await fetch(`${this.#engine.worker.url}/mcp`, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${this.#workspace.key}`,
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "list_posts",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`tools/call: ${answer.status} ${text.slice(0, 300)}`);
  }

  async #post(text: string, publishAtMs: number, media: string[] = []): Promise<void> {
    const { key, channels } = this.#workspace;
    const publish_at = new Date(publishAtMs).toISOString();
    const body = { text, channels: channels.map(({ id }) => id), media, publish_at };
    await this.#engine.call("POST", "/v1/posts", key, body);
  }

  /** Waits until the networks have received posts with these texts, each on every channel. */
  #waitForReceipts(texts: string[]): Promise<void> {
    const expected = texts.length * this.#workspace.channels.length;
    return this.#waitUntil(async () => {
      const entries = this.#engine.simulators.ledger.list().filter(({ text }) => texts.includes(text));
      return entries.length >= expected;
    });
  }

  async #pictures(posts: number): Promise<Use> {
    const { call } = this.#engine;
    const { key, channels } = this.#workspace;
    const file = makeJpeg(1_200, 900);
    const uploadRequest = { content_type: "image/jpeg", bytes: file.byteLength, alt: "A picture" };
    const use = await this.#measure(posts * channels.length, posts * 2, async () => {
      const texts: string[] = [];
      for (let i = 0; i < posts; i++) {
        const { upload_url, media } = await call<{ upload_url: string; media: { id: string } }>(
          "POST",
          "/v1/media/upload-url",
          key,
          uploadRequest,
        );
        const answer = await fetch(upload_url, {
          method: "PUT",
          headers: { "content-type": "image/jpeg" },
          body: file,
        });
        if (!answer.ok) throw new Error(`the upload was refused: ${answer.status}`);
        const text = `picture ${i} ${Date.now()}`;
        texts.push(text);
        await this.#post(text, Date.now() + APART_MS * (i + 1), [media.id]);
      }
      await this.#waitForReceipts(texts);
    });
    return withFile(use, 1 / channels.length);
  }

  /** Deliveries with an endpoint that is called for each, minus the same deliveries without one. */
  async #webhooks(posts: number): Promise<Use> {
    const publish = (name: string) => async () => {
      const texts = Array.from({ length: posts }, (_, i) => `${name} ${i} ${Date.now()}`);
      const startedAt = Date.now();
      for (const [i, text] of texts.entries()) await this.#post(text, startedAt + APART_MS * (i + 1));
      await this.#waitForReceipts(texts);
    };
    const deliveries = posts * this.#workspace.channels.length;
    const quietUse = await this.#measure(deliveries, posts, publish("quiet"));
    const port = await freePort();
    const receiver = await startReceiver(port);
    try {
      // Uses a host name, because calls to loopback addresses are not counted against a limit.
      const url = `http://localhost:${port}/`;
      await this.#engine.call("POST", "/v1/webhooks", this.#workspace.key, { url, events: ["delivery.succeeded"] });
      const before = receiver.count;
      const loudUse = await this.#measure(deliveries, posts, async () => {
        await publish("loud")();
        await this.#waitUntil(async () => receiver.count - before >= deliveries);
      });
      const difference = sumUses([
        [1, loudUse],
        [-1, quietUse],
      ]);
      return clampAtZero(difference);
    } finally {
      await receiver.close();
    }
  }
}

const MONTH = ["/v1/posts?limit=100", "/v1/events?limit=50"];
const LISTS = ["/v1/posts?limit=50", "/v1/posts?limit=50"];
const WAITING = ["/v1/posts?status=awaiting_approval"];

/** Two runs differ slightly in unrelated usage. */
const clampAtZero = (use: Use): Use => {
  const entries = Object.entries(use).map(([meter, value]) => [meter, Math.max(0, value)] as const);
  return { ...use, ...Object.fromEntries(entries) };
};

/** An upload goes to the bucket by its presigned address, which is one operation that no binding sees. It is stored for some days. */
function withFile(use: Use, files: number): Use {
  const gigabytes = (PICTURE_BYTES / 1e9) * (PICTURE_DAYS / MONTH_DAYS);
  return { ...use, r2ClassA: use.r2ClassA + files, r2Gigabytes: use.r2Gigabytes + files * gigabytes };
}
