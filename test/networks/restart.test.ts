// The simulators keep their state in a folder: after a restart, every post, account and token still exists.
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LedgerEntry } from "../../simulators/ledger.ts";
import { type Simulators, startSimulators } from "../../simulators/server.ts";
import { State } from "../../simulators/state.ts";
import type { MediaKind } from "../../src/domain/posts/platform-rule.ts";
import { networks } from "../../src/networks/index.ts";
import type { Network } from "../../src/networks/network.ts";
import { buildPost, prepareKey, readAccepted, type Session, startSession, waitUntilLive } from "./harness.ts";
import { makeIO } from "./network-io.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "crier-simulators-"));
});
afterEach(async () => {
  for (const simulators of running) await simulators.close();
  running = [];
  await rm(folder, { recursive: true, force: true });
});

let running: Simulators[] = [];
async function start(port = 0): Promise<Simulators> {
  const simulators = await startSimulators({ port, stateFolder: folder });
  running.push(simulators);
  return simulators;
}
/** The same account at simulators that were started again. */
const moveTo = (before: Session, simulators: Simulators): Session => ({
  ...before,
  simulators,
  context: { ...before.context, io: makeIO(simulators, before.network.rule.platform) },
});

async function publish(session: Session, text: string) {
  const { rule } = session.network;
  const kind: MediaKind = rule.image === null ? "video" : "image";
  const least = await buildPost(session, rule.post_types[0] ?? "feed", kind, Math.max(1, rule.min_media));
  const post = { ...least, text };
  const publishKey = await prepareKey(session, post);
  const { id } = await waitUntilLive(
    session,
    await session.network.publish(post, publishKey, session.context),
    publishKey,
  );
  return { id, publishKey };
}

it.each(networks.map((network): [string, Network] => [network.rule.platform, network]))(
  "keeps a post of %s and its access token across a restart, and gives a new post another id",
  async (_platform, network) => {
    const first = await start();
    const before = await startSession(first, network);
    const published = await publish(before, "before it");
    const entries = await readAccepted(before);
    await first.close();

    const second = await start(first.port);
    const after = moveTo(before, second);
    expect(await readAccepted(after)).toEqual(entries);
    expect((await network.recheck(published, after.context)).is).toBe("there");
    const again = await publish(after, "after it");
    expect(again.id).not.toBe(published.id);
    const [media] = entries[0]?.media ?? [];
    const file = await fetch(`${second.url}/_sim/media/${media?.sha256}`);
    expect((await file.arrayBuffer()).byteLength).toBe(media?.bytes);
  },
);

it("writes a post to disk soon after it was accepted, so that a kill loses nothing", async () => {
  const killed = await start();
  const network = networks.find(({ rule }) => rule.platform === "telegram") ?? expect.fail();
  const before = await startSession(killed, network);
  const published = await publish(before, "before it");
  await vi.waitFor(() => {
    expect(new State(folder).list<LedgerEntry>("ledger").map(({ id }) => id)).toEqual([published.id]);
  });
});

it("discards a state that cannot be read, and logs it", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  await writeFile(join(folder, "state.bin"), "something else");
  const simulators = await start();
  expect(logged).toHaveBeenCalledWith(expect.stringContaining("state.bin cannot be read"));
  expect(await (await fetch(`${simulators.url}/_sim/ledger`)).json()).toEqual({ ledger: [] });
  logged.mockRestore();
});

it("empties the folder on a reset", async () => {
  const simulators = await start();
  const session = await startSession(simulators, networks.find(({ rule }) => rule.platform === "x") ?? expect.fail());
  await publish(session, "before it");
  await fetch(`${simulators.url}/_sim/reset`, { method: "POST" });
  await simulators.close();
  expect(await readdir(join(folder, "files"))).toEqual([]);
  const after = await start();
  expect(after.ledger.list()).toEqual([]);
});
