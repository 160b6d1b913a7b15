// The noisy neighbours of `npm run bench:neighbours`: the channels of each, and its posts that are due at the measured instant.
import { openAsBlob } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sparseVideo } from "../../scripts/local/sparse-video.ts";
import type { Engine } from "./engine.ts";
import { startSilentHost } from "./silent-host.ts";
import { type BenchNetwork, type BenchWorkspace, connect, connectAs, sideBySide } from "./world.ts";

/** Posts of the noisy workspace for these channels, all due at the measured instant. */
export interface Noise {
  posts: { channels: string[]; text: string; media?: string[] }[];
  /** Called when the posts have been created, before they are due. */
  begin(): unknown;
  /** Ends the processes of the noise. */
  end(): Promise<void>;
}

export interface NeighbourCase {
  name: string;
  label: string;
  /** The network of the other tenant's post: the same as that of the noise, unless that network is down. */
  otherNetwork: BenchNetwork;
  /** The network of the quiet post in the noisy workspace. */
  sameNetwork: BenchNetwork;
  /** Connects the noisy accounts. */
  prepare(engine: Engine, noisy: BenchWorkspace): Promise<Noise>;
}

const BLUESKY_CHANNELS = 20;
const TELEGRAM_CHANNELS = 13;
const TELEGRAM_POSTS = 25;
const SLOW_POSTS = 150;
const DOWN_CHANNELS = 15;
const DOWN_POSTS = 60;
const FIVE_MINUTES_MS = 300_000;
/** LinkedIn's limit, 477 MiB. */
const VIDEO_BYTES = 500_000_000;

const nothing = async () => {};
const texts = (name: string, count: number, channels: { id: string }[]) =>
  Array.from({ length: count }, (_, i) => ({
    text: `${name} ${i}`,
    channels: [channels[i % channels.length]?.id ?? ""],
  }));

/** Faults in the form of `POST /_sim/faults`. */
async function addFaults(engine: Engine, faults: object[]): Promise<void> {
  const response = await fetch(`${engine.simulators.url}/_sim/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(faults),
  });
  if (!response.ok) throw new Error(`the faults were refused: ${await response.text()}`);
}

async function connectMany(engine: Engine, noisy: BenchWorkspace, platform: BenchNetwork, count: number) {
  for (let i = 0; i < count; i++) await connectAs(engine.call, noisy, platform, `noisy${i}`);
  return noisy.channels.filter((channel) => channel.platform === platform).slice(-count);
}

export const CASES: NeighbourCase[] = [
  {
    name: "bluesky",
    label: `${BLUESKY_CHANNELS} Bluesky channels on a host that never answers`,
    otherNetwork: "bluesky",
    sameNetwork: "telegram",
    async prepare({ call }, noisy) {
      const host = await startSilentHost();
      await sideBySide([...Array(BLUESKY_CHANNELS).keys()], 1, async (i) => {
        const identifier = `noisy${i}.example.com`;
        await connect(call, noisy, "bluesky", {
          handle: identifier,
          credentials: { identifier, app_password: "abcd-efgh-ijkl-mnop", service: host.url },
        });
      });
      const channels = noisy.channels.filter(({ platform }) => platform === "bluesky");
      return { posts: texts("noise", channels.length, channels), begin: host.goSilent, end: host.close };
    },
  },
  {
    name: "telegram",
    label: `${TELEGRAM_POSTS} Telegram posts that hang`,
    otherNetwork: "telegram",
    sameNetwork: "facebook",
    async prepare(engine, noisy) {
      const channels = await connectMany(engine, noisy, "telegram", TELEGRAM_CHANNELS);
      const fault = { platform: "telegram", call: "sendMessage", do: "timeout", delay_ms: FIVE_MINUTES_MS };
      const faults = channels.map(({ account }) => ({ ...fault, account, count: TELEGRAM_POSTS }));
      await addFaults(engine, faults);
      return { posts: texts("noise", TELEGRAM_POSTS, channels), begin: () => {}, end: nothing };
    },
  },
  {
    name: "slow",
    label: `a channel of ${SLOW_POSTS} posts at 1 s each`,
    otherNetwork: "telegram",
    sameNetwork: "facebook",
    async prepare(engine, noisy) {
      const channels = await connectMany(engine, noisy, "telegram", 1);
      const fault = { platform: "telegram", call: "sendMessage", do: "delay", delay_ms: 1_000 };
      await addFaults(
        engine,
        channels.map(({ account }) => ({ ...fault, account, count: SLOW_POSTS })),
      );
      return { posts: texts("noise", SLOW_POSTS, channels), begin: () => {}, end: nothing };
    },
  },
  {
    name: "upload",
    label: `a ${Math.round(VIDEO_BYTES / 2 ** 20)} MB LinkedIn upload`,
    otherNetwork: "telegram",
    sameNetwork: "facebook",
    async prepare({ call, simulators }, noisy) {
      const demo = simulators.all.find(({ platform }) => platform === "linkedin")?.demo;
      if (demo === undefined) throw new Error("no simulator of linkedin");
      const { id } = await connect(call, noisy, "linkedin", demo);
      const folder = await mkdtemp(join(tmpdir(), "crier-bench-video-"));
      const file = join(folder, "video.mp4");
      try {
        await sparseVideo(file, VIDEO_BYTES);
        const type = "video/mp4";
        const { upload_url, media } = await call<{ upload_url: string; media: { id: string } }>(
          "POST",
          "/v1/media/upload-url",
          noisy.key,
          { content_type: type, bytes: VIDEO_BYTES },
        );
        const answer = await fetch(upload_url, {
          method: "PUT",
          headers: { "content-type": type },
          body: await openAsBlob(file),
        });
        if (!answer.ok) throw new Error(`the upload was refused: ${answer.status} ${await answer.text()}`);
        return { posts: [{ text: "noise", channels: [id], media: [media.id] }], begin: () => {}, end: nothing };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  },
  {
    name: "down",
    label: `a network that is down, ${DOWN_POSTS} posts of ${DOWN_CHANNELS} channels`,
    otherNetwork: "telegram",
    sameNetwork: "telegram",
    async prepare(engine, noisy) {
      const channels = await connectMany(engine, noisy, "facebook", DOWN_CHANNELS);
      return {
        posts: texts("noise", DOWN_POSTS, channels),
        begin: () => engine.simulators.conditions.down.add("facebook"),
        end: nothing,
      };
    },
  },
];
