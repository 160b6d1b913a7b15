// The outside world of a process: database, queue, objects, bucket and networks. Each call is a point.
import type { Bucket } from "../../src/adapters/bucket.ts";
import type { Context } from "../../src/context.ts";
import { isMaintenance } from "../../src/domain/job.ts";
import { publicPath } from "../../src/domain/media/object-key.ts";
import type { Settings } from "../../src/settings.ts";
import type { Database } from "../../src/store/db/db.ts";
import { Homes } from "../../src/store/homes.ts";
import type { Gate, SimulatedDatabase } from "./database.ts";
import { HOOK } from "./endpoint-addresses.ts";
import type { ObjectLogic, SimulatedObject } from "./objects.ts";
import { close, type Opening, open } from "./openings.ts";
import { createPublisher, type PublisherLogic } from "./publishers.ts";
import { createDispatcher, type DispatcherLogic } from "./receiver.ts";
import type { Process } from "./scheduler.ts";
import { put } from "./tenants.ts";
import { toMessages } from "./versions.ts";
import { connection } from "./wire.ts";
import type { World } from "./world.ts";

export const MEDIA_URL = "https://media.crier.test";

interface Opened {
  simulated: SimulatedDatabase;
  opening: Opening;
}

export class Ports {
  readonly #world: World;
  readonly #publishers = new Map<string, SimulatedObject<PublisherLogic>>();
  readonly #dispatchers = new Map<string, SimulatedObject<DispatcherLogic>>();
  readonly #opened = new Map<Process, readonly [Opened, ...Opened[]]>();

  constructor(world: World) {
    this.#world = world;
  }

  /** A process has ended; `clean`: none of its calls is still in progress. */
  ended(process: Process, clean: boolean): void {
    if (clean) this.#close(process);
  }
  /** Closes all views at the end of the world. */
  close(): void {
    for (const process of this.#opened.keys()) this.#close(process);
  }
  #close(process: Process): void {
    for (const { simulated, opening } of this.#opened.get(process) ?? []) close(simulated, opening);
    this.#opened.delete(process);
  }

  /** The databases as a process sees them. */
  #open(process: Process): readonly [Database, ...Database[]] {
    const gate: Gate = (what, statements, act) =>
      this.#world.points.gate(
        { process, port: "db", what: `${what} ${statements.length} ${getVerb(statements)}` },
        act,
      );
    const openOne = (simulated: SimulatedDatabase): Opened => ({ simulated, opening: open(simulated, gate) });
    const [first, ...others] = this.#world.databases;
    const opened = this.#opened.get(process) ?? ([openOne(first), ...others.map(openOne)] as const);
    this.#opened.set(process, opened);
    const [{ opening }, ...rest] = opened;
    return [opening.database, ...rest.map((other) => other.opening.database)];
  }

  #publisher(workspace: string, lane: number): SimulatedObject<PublisherLogic> {
    const name = `${workspace}:${lane}`;
    const publisher = this.#publishers.get(name) ?? createPublisher(this.#world, workspace, lane);
    this.#publishers.set(name, publisher);
    return publisher;
  }
  #dispatcher(workspace: string, webhook: string): SimulatedObject<DispatcherLogic> {
    const dispatcher = this.#dispatchers.get(webhook) ?? createDispatcher(this.#world, workspace, webhook);
    this.#dispatchers.set(webhook, dispatcher);
    return dispatcher;
  }

  /** Calls an object from a process. The call and its answer may be lost; the object continues. */
  async call<Logic extends ObjectLogic, Result>(
    process: Process,
    what: string,
    object: SimulatedObject<Logic>,
    work: (logic: Logic) => Promise<Result>,
  ): Promise<Result> {
    const world = this.#world;
    if (!world.running) return work(object.incarnation().logic);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    promise.catch(() => {});
    await world.points.gate({ process, port: "object", what }, () => {
      const { process: its, logic } = object.incarnation();
      world.processes.runIn(
        its,
        async () => resolve(await work(logic)),
        (how) => {
          if (how !== "done") reject(new Error(how === "threw" ? "internal error" : "The Durable Object was evicted."));
        },
      );
    });
    return promise;
  }

  context(process: Process, background: Promise<unknown>[]): Context {
    const world = this.#world;
    const databases = this.#open(process);
    const homes = new Homes(databases);
    return {
      settings: { ...SETTINGS, sealKeys: world.sealing.keys, retentionMonths: world.archive.retentionMonths },
      accounts: databases[0],
      homes,
      databaseOf: (workspace) => homes.databaseOf(workspace),
      databases,
      receipts: null,
      clientKeys: null,
      oauthClient: null,
      now: () => world.now() + process.skewMs,
      entropy: (length) => world.chance.bytes(length),
      publishers: {
        arm: async (workspaceId, entries) => {
          const earliest = new Map<number, number>();
          for (const { lane, at } of entries) earliest.set(lane, Math.min(at, earliest.get(lane) ?? at));
          const arm = ([lane, at]: [number, number]) =>
            this.call(process, "arm", this.#publisher(workspaceId, lane), (one) => one.arm({ workspaceId, lane }, at));
          await Promise.all([...earliest].map(arm));
        },
        followUp: (workspaceId, lane, ...tasks) =>
          this.call(process, "followUp", this.#publisher(workspaceId, lane), (one) =>
            one.followUp({ workspaceId, lane }, ...tasks),
          ),
        lookUp: (workspaceId, lane, request, how) =>
          this.call(process, "lookUp", this.#publisher(workspaceId, lane), (one) =>
            one.lookUp({ workspaceId, lane }, request, how),
          ),
        clear: async (workspaceId, lanes) => {
          const clear = (_: unknown, lane: number) =>
            this.call(process, "clear", this.#publisher(workspaceId, lane), (one) => one.clear());
          await Promise.all(Array.from({ length: lanes }, clear));
        },
      },
      mcp: { end: async () => {}, announceChannels: async () => {} },
      queue: {
        send: async (jobs) => {
          for (const [queue, its] of [
            [world.queue, jobs.filter((job) => !isMaintenance(job))],
            [world.maintenance, jobs.filter(isMaintenance)],
          ] as const)
            if (its.length > 0)
              await world.points.gate({ process, port: "queue", what: `send ${its.length}` }, () =>
                queue.send(toMessages(process.version, its)),
              );
        },
      },
      bucket: this.#bucket(process),
      images: null,
      seal: world.sealing.seal,
      passwords: { hash: async (password) => password, verify: async () => true, isOutdated: () => false },
      outbound: {
        warn: () => [],
        check: (url) => new URL(url),
        admit: async (url) => new URL(url),
        fetch: (url, init = {}) => {
          const go = world.wires.to(process, "webhook", async () => world.receiver.take(url, init));
          if (url.startsWith(HOOK)) return go(url, init);
          const file = world.addresses.get(url);
          if (file === undefined) return Promise.reject(new TypeError("fetch failed"));
          const headers = { "content-type": file.contentType, "content-length": String(file.bytes.byteLength) };
          return Promise.resolve(new Response(init.method === "HEAD" ? null : file.bytes, { headers }));
        },
      },
      pause: (ms, signal) =>
        world.running
          ? new Promise((end) => {
              signal?.addEventListener("abort", () => end(), { once: true });
              world.after(ms, () => {
                if (!process.dead) end();
              });
            })
          : Promise.resolve(),
      webhooks: {
        wake: async (workspace, ids) => {
          for (const id of ids)
            await this.call(process, "wake", this.#dispatcher(workspace, id), (one) => one.wake()).catch(() => {});
        },
      },
      mail: null,
      idp: null,
      address: null,
      clientAddress: null,
      userAgent: null,
      limits: { take: async () => 0, clear: async () => {}, room: () => null },
      // With this cache, a credential and the first read share one batch, so most happens at once.
      provenCredentials: { has: () => true, add() {}, delete() {} },
      clientDocuments: { get: () => null, keep() {} },
      outcomes: { add: async () => {}, read: async () => [] },
      takeHost: async () => 0,
      networkIO: (platform) => world.wires.of(process, platform),
      addressOf: (_platform, url) => url,
      later: (work) => {
        background.push(work.catch((error) => world.note(`later failed: ${String(error)}`)));
      },
    };
  }

  #bucket(process: Process): Bucket {
    const world = this.#world;
    const gate = <Result>(what: string, act: () => Result) => world.points.gate({ process, port: "bucket", what }, act);
    const find = async <Result>(what: string, act: () => Result | null) => {
      const release = await connection(world, process, null);
      try {
        return await world.points.gate<Result | null>({ process, port: "bucket", what }, act, async (_verdict, done) =>
          done(null),
        );
      } finally {
        release();
      }
    };
    return {
      presignPut: async () => `${MEDIA_URL}/put`,
      // No file of a run is uploaded in chunks.
      startChunks: async () => "upload",
      presignChunk: async () => `${MEDIA_URL}/put`,
      joinChunks: async () => false,
      abortChunks: async () => {},
      publicUrl: (key, contentType, etag) => `${MEDIA_URL}/${publicPath(key, contentType, etag ?? null)}`,
      stat: (key) =>
        find(`stat ${key}`, () => {
          const object = world.objects.get(key);
          // Uploads arrive before any right to upload ends.
          return object === undefined ? null : { ...object, bytes: object.bytes.byteLength, uploadedAt: 0 };
        }),
      read: (key, etag, range) =>
        find(`read ${key}`, () => {
          const object = world.objects.get(key);
          if (object === undefined || object.etag !== etag) return null;
          const { offset = 0, length = object.bytes.byteLength } = range ?? {};
          return toStream(object.bytes.subarray(offset, offset + length));
        }),
      store: async (key, stream, bytesMax, typeOf) => {
        const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
        const contentType = typeOf(bytes);
        if (bytes.byteLength > bytesMax) return null;
        const etag = `${key} ${bytes.byteLength}`;
        return gate(`store ${key}`, () => {
          put(world, key, { bytes, contentType }, etag);
          return { bytes: bytes.byteLength, contentType, etag };
        });
      },
      copy: async (from, etag, to) => {
        const copied = await find(`copy ${from}`, () => {
          const object = world.objects.get(from);
          if (object === undefined || object.etag !== etag) return null;
          put(world, to, object, object.etag);
          return true;
        });
        return copied === true;
      },
      put: (key, text, contentType) =>
        gate(`put ${key}`, () => {
          world.objects.set(key, { bytes: new Uint8Array(new TextEncoder().encode(text)), contentType, etag: key });
        }),
      delete: (keys) =>
        gate("delete", () => {
          for (const key of keys) world.objects.delete(key);
        }),
      clear: (prefixes) =>
        gate("clear", () => {
          for (const key of world.objects.keys())
            if (prefixes.some((prefix) => key.startsWith(prefix))) world.objects.delete(key);
        }),
    };
  }
}

function toStream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(stream) {
      stream.enqueue(bytes);
      stream.close();
    },
  });
}

const getVerb = (statements: { sql: string }[]): string => {
  const words = /^\s*(\w+)(?:.*?\b(?:from|into|update)\s+"?(\w+)"?)?/is.exec(statements[0]?.sql ?? "");
  return `${words?.[1]?.toLowerCase() ?? ""} ${words?.[2] ?? ""}`;
};

const SETTINGS: Omit<Settings, "sealKeys" | "retentionMonths"> = {
  version: "simulation",
  baseUrl: "https://crier.test",
  provider: "sandbox",
  sandboxUrl: "http://networks.test",
  defaultPlan: "unlimited",
  accountPlan: "paid",
  signUp: "open",
  operators: [],
  apiVersions: { LINKEDIN_VERSION: null, META_VERSION: null },
  appPostsPerDay: {},
  passwordPepper: "",
  bucket: null,
  appOf: () => ({ clientId: "sandbox", clientSecret: "sandbox", scopes: null }),
  allowPrivateAddresses: false,
  fastPasswordHashes: false,
  uploadChunksDivisor: 1,
  dashboardUrl: "https://crier.test",
  mail: null,
  idp: null,
  demo: null,
};
