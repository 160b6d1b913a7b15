// The workload of a run: workspaces with a channel on every network, and posts that each network accepts.
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { makeJpeg } from "../../../scripts/local/jpeg.ts";
import type { Simulator } from "../../../simulators/simulator.ts";
import { CREDENTIALS } from "../../support/credentials.ts";
import type { Client } from "./client.ts";
import type { Random } from "./random.ts";

export interface Channel {
  id: string;
  platform: string;
  account: string;
  rule: Rule;
  /** Fields that the network requires in an override. */
  options: object | undefined;
}
interface StoredFile {
  id: string;
  sha256: string;
}
export interface Workspace {
  key: string;
  channels: Channel[];
  pictures: StoredFile[];
  video: StoredFile;
}
interface Rule {
  platform: string;
  min_media: number;
  media: { images: number };
  image: object | null;
  video: object | null;
}
export interface Order {
  workspace: Workspace;
  idempotencyKey: string;
  text: string;
  channels: Channel[];
  files: StoredFile[];
  /** Milliseconds before its caller orders it. */
  pauseMs: number;
  /** Its time in milliseconds after the order; null: at once. */
  delayMs: number | null;
  /** Milliseconds after its 201 when it is cancelled; null: never. */
  cancelAfterMs: number | null;
}

/** Networks have daily caps: TikTok accepts fifteen posts of an account. */
export const POSTS_PER_WORKSPACE = 60;
const PICTURES = 4;

export async function prepareWorkspace(client: Client, simulators: Simulator[], index: number): Promise<Workspace> {
  const password = randomBytes(12).toString("base64url");
  const { token, workspaces } = await client.done<{ token: string; workspaces: { id: string }[] }>(
    "POST",
    "/v1/auth/signup",
    { body: { email: `chaos${index}@crier.example`, password, workspace: `Chaos ${index}` } },
  );
  const { key } = await client.done<{ key: string }>("GET", `/v1/workspaces/${workspaces[0]?.id}/key`, { token });
  const { platforms } = await client.done<{ platforms: Rule[] }>("GET", "/v1/platforms");
  const channels: Channel[] = [];
  for (const rule of platforms) {
    const account = CREDENTIALS[rule.platform]?.(`chaos${index}`);
    if (account === undefined) continue;
    const body = { platform: rule.platform, ...account };
    const { id, handle } = await client.done<{ id: string; handle: string }>("POST", "/v1/channels", {
      token: key,
      body,
    });
    const options = simulators.find(({ platform }) => platform === rule.platform)?.demo.options;
    channels.push({ id, platform: rule.platform, account: handle, rule, options });
  }
  const pictures: StoredFile[] = [];
  for (let i = 0; i < PICTURES; i++) {
    pictures.push(await upload(client, key, makeJpeg(320, 320, index * PICTURES + i), "image/jpeg", `Picture ${i}`));
  }
  const clip = new Uint8Array(await readFile(`${import.meta.dirname}/../../../scripts/local/demo.mp4`));
  return { key, channels, pictures, video: await upload(client, key, clip, "video/mp4") };
}

async function upload(
  client: Client,
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
  content_type: string,
  alt?: string,
): Promise<StoredFile> {
  const body = { content_type, bytes: bytes.byteLength, ...(alt === undefined ? {} : { alt }) };
  const { upload_url, media } = await client.done<{ upload_url: string; media: { id: string } }>(
    "POST",
    "/v1/media/upload-url",
    { token: key, body },
  );
  const answer = await fetch(upload_url, { method: "PUT", headers: { "content-type": content_type }, body: bytes });
  if (!answer.ok) throw new Error(`the upload was refused: ${answer.status} ${await answer.text()}`);
  return { id: media.id, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** Most orders are due at once; the others over the next minute, and a few of those are cancelled again. */
export function chooseOrder(random: Random, workspaces: Workspace[], seed: number, number: number): Order {
  const workspace = random.one(workspaces);
  const kind = random.one(["text", "text", "text", "picture", "picture", "pictures", "video"] as const);
  // Two images make an album, which some networks do not have.
  const takes = ({ rule }: Channel) =>
    ({
      text: rule.min_media === 0,
      picture: rule.image !== null,
      pictures: rule.media.images > 1,
      video: rule.video !== null,
    })[kind];
  const files = {
    text: [],
    picture: random.some(workspace.pictures, 1),
    pictures: random.some(workspace.pictures, 2),
    video: [workspace.video],
  }[kind];
  const later = random.chance(0.4);
  return {
    workspace,
    idempotencyKey: `chaos-${seed}-${number}`,
    text: `Post ${number} of run ${seed}: ${kind}`,
    channels: random.some(workspace.channels.filter(takes), random.between(1, 4)),
    files,
    pauseMs: random.between(0, 400),
    delayMs: later ? random.between(3_000, 60_000) : null,
    cancelAfterMs: later && random.chance(0.15) ? random.between(0, 20_000) : null,
  };
}

/** The body of the call that orders a post. */
export function buildOrderBody({ text, channels, files, delayMs }: Order, now: number): object {
  return {
    text,
    channels: channels.map(({ id }) => id),
    overrides: Object.fromEntries(
      channels.flatMap(({ id, options }) => (options === undefined ? [] : [[id, options]])),
    ),
    ...(files.length > 0 ? { media: files.map(({ id }) => id) } : {}),
    ...(delayMs === null ? {} : { publish_at: new Date(now + delayMs).toISOString() }),
  };
}
