// An upgrade in its real order: migrations first, so the previous release works on new tables; then the new worker,
// on everything that the previous one left, even in the middle of its work.
import { globSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../scripts/local/ports.ts";
import { startWorker, type WorkerProcess } from "../../../scripts/local/worker-process.ts";
import { type Simulators, startSimulators } from "../../../simulators/server.ts";
import { ENDED, STATUS_OF } from "../../../src/domain/delivery/transitions.ts";
import { INVARIANTS } from "../../../src/store/invariants.ts";
import { CREDENTIALS } from "../../support/credentials.ts";
import { eventually } from "../../support/eventually.ts";
import { checkedOut, previousRelease } from "../../support/previous-release.ts";
import { passTime } from "../chaos/outage.ts";
import { json, signUp } from "./running.ts";

const HOUR_MS = 3_600_000;
/** The previous release hands no drafts over. */
const KNOWN_BEFORE = Object.keys(STATUS_OF)
  .filter((state) => state !== "handed_over")
  .sort();
interface Post {
  id: string;
  status: string;
  deliveries: { status: string; error: string | null; attempts: number; channel: string }[];
}

const commit = previousRelease();

describe.skipIf(commit === null)("the release before, and this one after it", () => {
  let simulators: Simulators;
  let stateFolder: string;
  let before: ReturnType<typeof checkedOut>;
  let worker: WorkerProcess | undefined;
  let key = "";
  const posts: Record<string, string> = {};

  const startOn = async (root?: string) => {
    worker = await startWorker({
      port: await freePort(),
      sandboxUrl: simulators.url,
      stateFolder,
      ...(root && { root }),
    });
    return worker.url;
  };
  let url = "";
  const connect = async (platform: string): Promise<string> =>
    (
      await json<{ id: string }>(`${url}/v1/channels`, key, {
        platform,
        ...CREDENTIALS[platform]?.(`${platform}${Math.random().toString(36).slice(2, 8)}`),
      })
    ).id;
  const post = async (body: object) => (await json<Post>(`${url}/v1/posts`, key, body)).id;
  const read = (name: string) => json<Post>(`${url}/v1/posts/${posts[name]}`, key);
  const call = (method: string, path: string, body?: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const fault = async (faultToAdd: object) => {
    const answer = await fetch(`${simulators.url}/_sim/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(faultToAdd),
    });
    expect(answer.status).toBe(201);
  };
  const inDatabase = <Value>(ask: (db: DatabaseSync) => Value): Value => {
    for (const file of globSync(`${stateFolder}/v3/d1/**/*.sqlite`)) {
      const db = new DatabaseSync(file);
      try {
        if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'deliveries'").get() !== undefined) return ask(db);
      } finally {
        db.close();
      }
    }
    throw new Error("there is no database");
  };
  const states = () =>
    inDatabase((db) => db.prepare("SELECT DISTINCT state FROM deliveries ORDER BY state").all()).map(
      ({ state }) => state,
    );
  const video = async (): Promise<string> => {
    const bytes = await readFile("scripts/local/demo.mp4");
    const uploadRequest = { content_type: "video/mp4", bytes: bytes.byteLength };
    const { upload_url, media } = await json<{ upload_url: string; media: { id: string } }>(
      `${url}/v1/media/upload-url`,
      key,
      uploadRequest,
    );
    const answer = await fetch(upload_url, { method: "PUT", headers: { "content-type": "video/mp4" }, body: bytes });
    expect(answer.ok).toBe(true);
    return media.id;
  };
  const received = (text: string) => simulators.ledger.list().filter((entry) => entry.text === text).length;

  beforeAll(async () => {
    // Vitest has one of its own.
    vi.stubEnv("BASE_URL", undefined);
    stateFolder = await mkdtemp(join(tmpdir(), "crier-upgrade-"));
    simulators = await startSimulators({ port: 0 });
    before = checkedOut(commit ?? "");
    // Applies the new migrations without running new code.
    await startOn();
    await worker?.stop();
  });
  afterAll(async () => {
    await worker?.kill();
    await simulators.close();
    before.remove();
    await rm(stateFolder, { recursive: true, force: true });
  });

  it("the previous release does all of its work on the new tables", async () => {
    url = await startOn(before.root);
    key = await signUp(url);
    const [telegram, removing, refusing, silent, hanging, resting, bluesky, threads, tiktok, x] = [
      await connect("telegram"),
      await connect("telegram"),
      await connect("telegram"),
      await connect("telegram"),
      await connect("telegram"),
      await connect("telegram"),
      await connect("bluesky"),
      await connect("threads"),
      await connect("tiktok"),
      await connect("x"),
    ];
    const { channels } = await json<{ channels: { id: string; handle: string }[] }>(`${url}/v1/channels`, key);
    const getHandle = (id: string) => channels.find((channel) => channel.id === id)?.handle;
    const failing = (channel: string, behaviour: object) =>
      fault({ platform: "telegram", account: getHandle(channel), call: "sendMessage", ...behaviour });
    const hangs = { do: "delay", delay_ms: 600_000 };
    // Each of these deliveries hangs in a different state.
    await fault({ platform: "threads", call: "threads-container", ...hangs });
    await fault({ platform: "tiktok", call: "post/publish/status/fetch", ...hangs });
    await fault({ platform: "x", call: "tweets/create", do: "reset_after_accept" });
    await fault({ platform: "x", call: "users/tweets", ...hangs });
    await failing(refusing, {
      do: "status",
      status: 403,
      body: { ok: false, error_code: 403, description: "Forbidden: bot was kicked from the channel chat" },
    });
    await failing(silent, { do: "reset_after_accept" });
    await failing(hanging, hangs);
    await failing(resting, {
      do: "status",
      status: 429,
      body: { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: 3_600 } },
    });
    const later = new Date(Date.now() + HOUR_MS).toISOString();
    posts.live = await post({ text: "live", channels: [telegram, bluesky] });
    posts.removed = await post({ text: "removed", channels: [removing] });
    posts.failed = await post({ text: "failed", channels: [refusing] });
    posts.unknown = await post({ text: "unknown", channels: [silent] });
    posts.retrying = await post({ text: "retrying", channels: [resting] });
    posts.scheduled = await post({ text: "scheduled", channels: [telegram, bluesky], publish_at: later });
    posts.edited = await post({ text: "before", channels: [bluesky], publish_at: later });
    posts.cancelled = await post({ text: "cancelled", channels: [telegram], publish_at: later });
    posts.draft = await post({ text: "draft", channels: [bluesky], draft: true });
    expect((await call("DELETE", `/v1/posts/${posts.cancelled}`)).status).toBe(200);
    await eventually(async () => {
      expect(await read("live")).toMatchObject({ status: "published" });
      expect(await read("failed")).toMatchObject({ status: "failed", deliveries: [{ error: "permission_missing" }] });
      expect(await read("unknown")).toMatchObject({ deliveries: [{ error: "outcome_unknown" }] });
      expect(await read("retrying")).toMatchObject({ deliveries: [{ status: "retrying" }] });
    });
    await eventually(async () => expect(await read("removed")).toMatchObject({ status: "published" }));
    expect((await call("DELETE", `/v1/posts/${posts.removed}/deliveries/${removing}`)).status).toBe(200);
    // The state in which the worker is killed: preparing, sending, reconciling, waiting for the network.
    posts.cutOff = await post({ text: "cut off", channels: [hanging] });
    posts.staged = await post({ text: "staged", channels: [threads] });
    posts.reconciling = await post({ text: "reconciling", channels: [x] });
    const overrides = { [tiktok]: { privacy_level: "PUBLIC_TO_EVERYONE" } };
    posts.processing = await post({ text: "processing", channels: [tiktok], media: [await video()], overrides });
    await eventually(() => expect(states()).toEqual(KNOWN_BEFORE));
    for (const path of ["/healthz", "/v1/posts", "/v1/events", "/v1/analytics", "/v1/usage", "/v1/channels"])
      expect((await call("GET", path)).status, path).toBe(200);
    await worker?.kill();
    expect(states()).toEqual(KNOWN_BEFORE);
  });

  it("this release continues with all of its rows: nothing is lost, and nothing is published twice", async () => {
    // As after an outage: scheduled posts are due, and the interrupted call must have ended.
    await passTime(stateFolder, 2 * HOUR_MS);
    expect((await fetch(`${simulators.url}/_sim/faults`, { method: "DELETE" })).ok).toBe(true);
    url = await startOn();
    expect(await read("draft")).toMatchObject({ status: "draft" });
    expect((await call("PATCH", `/v1/posts/${posts.draft}`, { draft: false })).status).toBe(200);
    await eventually(async () => {
      for (const name of ["live", "scheduled", "edited", "retrying", "draft", "staged", "reconciling", "processing"])
        expect((await read(name)).status, name).toBe("published");
      expect(await read("cutOff")).toMatchObject({ status: "failed", deliveries: [{ error: "outcome_unknown" }] });
      expect(await read("cancelled")).toMatchObject({ status: "cancelled" });
      expect(await read("removed")).toMatchObject({ deliveries: [{ status: "removed" }] });
    });
    const { deliveries } = await read("failed");
    const retry = await call("POST", `/v1/posts/${posts.failed}/deliveries/${deliveries[0]?.channel}/retry`, {});
    expect(retry.status).toBeLessThan(300);
    await eventually(async () => expect((await read("failed")).status).toBe("published"));
    const once = ["before", "retrying", "draft", "failed", "removed", "staged", "reconciling", "processing"];
    const times = { live: 2, scheduled: 2, cancelled: 0, ...Object.fromEntries(once.map((text) => [text, 1])) };
    for (const [text, count] of Object.entries(times)) expect(received(text), text).toBe(count);
    for (const text of ["unknown", "cut off"]) expect(received(text), text).toBeLessThanOrEqual(1);
    await worker?.stop();
    const ended: readonly string[] = ENDED;
    expect(states().filter((state) => !ended.includes(String(state)))).toEqual([]);
    const broken = inDatabase((db) =>
      INVARIANTS.flatMap(({ name, sql }) =>
        db
          .prepare(sql)
          .all()
          .map((row) => ({ name, ...row })),
      ),
    );
    // Time was advanced only for some columns.
    expect(broken.filter(({ name }) => name !== "sends_are_in_their_time")).toEqual([]);
  });
});
