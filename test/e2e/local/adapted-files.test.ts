// Posts a phone's photo to every network that accepts images, through the CLI, the API and MCP, and decodes the published files.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { eventually } from "../../support/eventually.ts";
import { makeHeic } from "../../support/make-heic.ts";
import { json, type Run, signUp, start, stopAll } from "./running.ts";

interface Connected {
  platform: string;
  id: string;
  options?: Record<string, unknown>;
}
interface PostBody {
  id: string;
  deliveries: { platform: string; files: { adapted: string[] }[] | null }[];
}

const MAIN = join(import.meta.dirname, "../../../cli/main.ts");
/** A photo as a camera stores it: 12 megapixels, sideways with an EXIF orientation, and with the place where it was taken. */
const [WIDTH, HEIGHT] = [4_000, 3_000];
const UPRIGHT = { width: HEIGHT, height: WIDTH };
/** Whether a network accepts the photo unchanged; then the original bytes are published. */
const AS_IT_IS = { isOriginal: true, ...UPRIGHT };
const COPIED = { isOriginal: false, format: "jpeg", space: "srgb", hasExif: false, orientation: undefined };
/** No network accepts HEIC. */
const HEIC = { width: 4_032, height: 3_024 };
const CONVERTED = { ...COPIED, width: HEIC.height, height: HEIC.width };
/** The accepted images of the networks; their rules give the sources. */
const ARRIVES = {
  bluesky: COPIED,
  facebook: AS_IT_IS,
  instagram: AS_IT_IS,
  linkedin: AS_IT_IS,
  pinterest: AS_IT_IS,
  telegram: AS_IT_IS,
  threads: AS_IT_IS,
  tiktok: { ...COPIED, width: 1_080, height: 1_440 },
  x: AS_IT_IS,
};

const HEIC_ARRIVES = {
  ...Object.fromEntries(Object.keys(ARRIVES).map((platform) => [platform, CONVERTED])),
  tiktok: { ...CONVERTED, width: 1_080, height: 1_440 },
};

let folder: string;
let photo: string;
let heic: string;
let crier: Run;
let key: string;
let channels: Connected[];
let original: Buffer;

async function takePhoto(file: string): Promise<void> {
  const noise = await sharp({
    create: {
      width: WIDTH,
      height: HEIGHT,
      channels: 3,
      background: "#6a8caf",
      noise: { type: "gaussian", mean: 128, sigma: 14 },
    },
  })
    .png({ compressionLevel: 0 })
    .toBuffer();
  // The upper half is red. After the rotation it is the right half.
  const mark = await sharp({ create: { width: WIDTH, height: HEIGHT / 2, channels: 3, background: "#c02020" } })
    .png()
    .toBuffer();
  await sharp(noise)
    .composite([{ input: mark, gravity: "north" }])
    .jpeg({ quality: 92 })
    .withExif({ IFD0: { Make: "Phone" }, IFD3: { GPSLatitudeRef: "N", GPSLatitude: "52/1 31/1 0/1" } })
    .withMetadata({ orientation: 6 })
    .toFile(file);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "crier-photo-"));
  photo = join(folder, "IMG_0001.JPG");
  heic = join(folder, "IMG_0002.HEIC");
  await writeFile(heic, makeHeic({ ...HEIC, turns: 3 }));
  [crier] = await Promise.all([start({ DEMO: "0" }), takePhoto(photo)]);
  original = await readFile(photo);
  key = await signUp(crier.url);
  const { accounts } = await json<{
    accounts: { platform: string; handle: string; credentials: object; options?: Record<string, unknown> }[];
  }>(`${crier.simulators}/_sim/demo`);
  channels = [];
  for (const { platform, handle, credentials, options } of accounts) {
    const body = { platform, handle, credentials };
    const { id } = await json<{ id: string }>(`${crier.url}/v1/channels`, key, body);
    if (platform in ARRIVES) channels.push({ platform, id, ...(options && { options }) });
  }
});
afterAll(async () => {
  await stopAll();
  await rm(folder, { recursive: true, force: true });
});

/** A post with the photo for all of these networks, without the reference to the photo. */
const everywhere = (text: string) => ({
  text,
  channels: channels.map(({ id }) => id),
  overrides: Object.fromEntries(channels.flatMap(({ id, options }) => (options ? [[id, options]] : []))),
  media_fit: "adapt",
});

async function uploadPhoto(): Promise<string> {
  const { upload_url: address, media } = await json<{ upload_url: string; media: { id: string } }>(
    `${crier.url}/v1/media/upload-url`,
    key,
    { content_type: "image/jpeg", bytes: original.byteLength },
  );
  const stored = await fetch(address, { method: "PUT", headers: { "content-type": "image/jpeg" }, body: original });
  expect(stored.status).toBe(200);
  return media.id;
}

/** The decoded image that each network published with a text. */
async function readPublished(text: string): Promise<Record<string, object>> {
  const entries = await eventually(async () => {
    const { ledger } = await json<{ ledger: LedgerEntry[] }>(`${crier.simulators}/_sim/ledger`);
    const ours = ledger.filter((entry) => entry.text.includes(text));
    expect(ours.map(({ platform }) => platform).sort()).toEqual(Object.keys(ARRIVES));
    return ours;
  });
  const files = await Promise.all(
    entries.map(async ({ platform, media }) => {
      expect(media).toHaveLength(1);
      const answer = await fetch(`${crier.simulators}/_sim/media/${media[0]?.sha256}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const { format, space, exif, orientation, autoOrient } = await sharp(bytes).metadata();
      const isOriginal = bytes.equals(original);
      if (!isOriginal) await expectUpright(bytes, autoOrient);
      const facts = { isOriginal, format, space, orientation, hasExif: exif !== undefined, ...autoOrient };
      return [platform, { ...facts, bytes: bytes.byteLength }] as const;
    }),
  );
  return Object.fromEntries(files);
}

/** The red half is on the right, according to the EXIF orientation of the original. */
async function expectUpright(bytes: Buffer, { width, height }: { width: number; height: number }): Promise<void> {
  const colourAt = async (left: number) => {
    const [red = 0, green = 0] = await sharp(bytes)
      .extract({ left, top: Math.floor(height / 2), width: 1, height: 1 })
      .raw()
      .toBuffer();
    return red > green + 60 ? "red" : "other";
  };
  expect([await colourAt(Math.floor(width * 0.75)), await colourAt(Math.floor(width * 0.25))]).toEqual([
    "red",
    "other",
  ]);
}

/** Posts a file to all channels through the command line. */
async function postByCommand(text: string, file: string, ...extraArgs: string[]): Promise<PostBody> {
  const sets = channels.flatMap(({ id, options }) =>
    Object.entries(options ?? {}).flatMap(([name, value]) => ["--set", `${id}.${name}=${value}`]),
  );
  const to = channels.flatMap(({ id }) => ["-c", id]);
  const env = { ...process.env, CRIER_URL: crier.url, CRIER_API_KEY: key, HOME: folder };
  const args = [MAIN, "post", text, ...to, ...sets, "--file", file, ...extraArgs, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout);
}

async function expectEverywhere(text: string, arrives: Record<string, object> = ARRIVES): Promise<void> {
  const files = await readPublished(text);
  expect(files).toMatchObject(arrives);
  // Bluesky's limit. All other networks accept at least 8 MB.
  expect(files.bluesky).toMatchObject({ bytes: expect.toSatisfy((bytes: number) => bytes <= 2_000_000) });
}

describe("a photo of 12 megapixels with `adapt`", () => {
  it("is refused unchanged by some networks", async () => {
    expect(original.byteLength).toBeGreaterThan(2_000_000);
    expect(original.byteLength).toBeLessThan(5_000_000);
    const media = await uploadPhoto();
    const refused = json(`${crier.url}/v1/posts`, key, { ...everywhere("x"), media: [media], media_fit: "exact" });
    await expect(refused).rejects.toThrow("422");
  });

  it("is published everywhere through the command line", async () => {
    const { deliveries } = await postByCommand("By the command line", photo, "--adapt");
    const adapted = deliveries.filter(({ files }) => files?.some((file) => file.adapted.length > 0));
    expect(adapted.map(({ platform }) => platform).sort()).toEqual(["bluesky", "tiktok"]);
    await expectEverywhere("By the command line");
  });

  it("is published everywhere through the API and MCP", async () => {
    const media = [await uploadPhoto()];
    await json(`${crier.url}/v1/posts`, key, { ...everywhere("By the API"), media });
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${crier.url}/mcp`), { requestInit }));
    const args = { ...everywhere("By MCP"), media };
    const checked = await client.callTool({ name: "check_post", arguments: args });
    expect(checked).not.toMatchObject({ isError: true });
    const { check_token } = z.object({ check_token: z.string() }).parse(checked.structuredContent);
    const queued = await client.callTool({ name: "queue_post", arguments: { ...args, check_token } });
    expect(queued).not.toMatchObject({ isError: true });
    await client.close();
    await expectEverywhere("By the API");
    await expectEverywhere("By MCP");
  });
});

describe("a HEIC photo of 12 megapixels", () => {
  it("is refused unchanged before any upload, with a hint", async () => {
    const refused = await postByCommand("Not converted", heic, "--exact").catch((error: unknown) => error);
    expect(refused).toMatchObject({ stderr: expect.stringContaining("does not accept image/heic") });
    expect(refused).toMatchObject({ stderr: expect.stringContaining("adapt") });
  });

  it("passes the dry run, and is published everywhere as an upright JPEG", async () => {
    const checked = await postByCommand("A phone's photo", heic, "--adapt", "--dry-run");
    expect(checked.deliveries).toHaveLength(channels.length);
    const { deliveries } = await postByCommand("A phone's photo", heic, "--adapt");
    expect(deliveries.filter(({ files }) => files?.every(({ adapted }) => adapted.includes("format")))).toHaveLength(
      channels.length,
    );
    await expectEverywhere("A phone's photo", HEIC_ARRIVES);
  });
});
