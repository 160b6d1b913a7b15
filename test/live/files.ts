// The image and the video of a live check, and a public address for networks that fetch files themselves.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import type { VisualKind } from "../../src/domain/posts/platform-rule.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { type Environment, InputError } from "./settings.ts";

const FOLDER = join(import.meta.dirname, "../../scripts/local");
const FILES = {
  image: { name: "demo.jpg", contentType: "image/jpeg", width: 1_200, height: 900, seconds: null },
  video: { name: "demo.mp4", contentType: "video/mp4", width: 540, height: 960, seconds: 5 },
} as const;
/** Longer than any network takes to fetch a file. */
const ADDRESS_LIFE_S = 3_600;

type Bytes = Uint8Array<ArrayBuffer>;

/** A place for files that anybody can fetch. */
export interface PublicFiles {
  /** Stores a file, and returns its address. */
  put(name: string, contentType: string, bytes: Bytes): Promise<string>;
  /** Deletes the stored files. */
  clear(): Promise<void>;
}

const NO_ADDRESS =
  "this network fetches files itself: set LIVE_FILES_URL to a public address that serves demo.jpg and demo.mp4 of " +
  "scripts/local, or set S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY of a bucket";

/** Files that a person has put at a public address. */
function publicFolder(address: string): PublicFiles {
  return {
    async put(name, _contentType, bytes) {
      const url = `${address.replace(/\/+$/, "")}/${name}`;
      const served = await fetch(url).then(
        async (answer) => (answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null),
        () => null,
      );
      if (served === null || digest(served) !== digest(bytes)) {
        throw new InputError(`${url} is not the file scripts/local/${name}`);
      }
      return url;
    },
    async clear() {},
  };
}

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The bucket for uploads. Its addresses are signed for an hour. */
function bucket(place: string, keys: { accessKeyId: string; secretAccessKey: string }): PublicFiles {
  const client = new AwsClient({ ...keys, service: "s3", region: "auto", retries: 1 });
  const stored: string[] = [];
  return {
    async put(name, contentType, bytes) {
      const url = `${place}/live-check/${name}`;
      stored.push(url);
      const answer = await client.fetch(url, { method: "PUT", body: bytes, headers: { "content-type": contentType } });
      if (!answer.ok) throw new InputError(`the bucket refuses a file: ${answer.status} ${await answer.text()}`);
      const signed = new URL(url);
      signed.searchParams.set("X-Amz-Expires", String(ADDRESS_LIFE_S));
      return (await client.sign(signed.href, { method: "GET", aws: { signQuery: true } })).url;
    },
    async clear() {
      for (const url of stored.splice(0)) await client.fetch(url, { method: "DELETE" });
    },
  };
}

/** The public files of the simulators. */
export function simulatedFiles(simulators: string): PublicFiles {
  return {
    async put(name, contentType, bytes) {
      const url = `https://media.crier.test/live-check/${name}`;
      const init = { method: "PUT", headers: { "content-type": contentType }, body: bytes };
      const answer = await fetch(`${simulators}/_sim/files?url=${encodeURIComponent(url)}`, init);
      if (!answer.ok) throw new Error(`the simulators refuse a file: ${answer.status}`);
      return url;
    },
    async clear() {},
  };
}

/** Null: the environment names no place, so posts that need an address cannot be tested. */
export function readPublicFiles(env: Environment): PublicFiles | null {
  if (env.LIVE_FILES_URL) return publicFolder(env.LIVE_FILES_URL);
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!S3_ENDPOINT || !S3_BUCKET || !accessKeyId || !secretAccessKey) return null;
  return bucket(`${S3_ENDPOINT.replace(/\/+$/, "")}/${S3_BUCKET}`, { accessKeyId, secretAccessKey });
}

/** A file of a post. Without public files, reading its address throws `InputError`. */
export async function makeFile(
  kind: VisualKind,
  alt: string | null,
  publicFiles: PublicFiles | null,
): Promise<MediaFile> {
  const { name, ...facts } = FILES[kind];
  const bytes = new Uint8Array(await readFile(join(FOLDER, name)));
  const url = await publicFiles?.put(name, facts.contentType, bytes);
  return {
    id: `med_${kind}`,
    position: 0,
    kind,
    ...facts,
    bytes: bytes.byteLength,
    alt,
    get url() {
      if (url === undefined) throw new InputError(NO_ADDRESS);
      return url;
    },
    open: async (range) =>
      new Blob([range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.length)]).stream(),
  };
}
