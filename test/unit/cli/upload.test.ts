// Uploads over real connections that break: they are repeated, get a new address, or are deleted.
import { appendFile, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeClient } from "../../../cli/api/client.ts";
import { uploadAll } from "../../../cli/api/upload.ts";
import { inspectFile } from "../../../cli/files.ts";
import { outputTo } from "../../../cli/output/terminal.ts";
import { makePng } from "../../../scripts/local/png.ts";
import { makeHeic } from "../../support/make-heic.ts";
import { type Call, json, type Service, startService } from "./service.ts";

let folder: string;
let service: Service;
/** The reaction to the n-th PUT, counted from 0. */
let answer: (n: number) => "take" | "break" | 403 | 503 | "hang" | "endless";
let puts = 0;
let ids = 0;
const deleted: string[] = [];
const stop = { controller: new AbortController() };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "crier-upload-"));
  [puts, ids, deleted.length] = [0, 0, 0];
  answer = () => "take";
  stop.controller = new AbortController();
  service = await startService(
    (response, { method, path, body }) => {
      if (method === "DELETE") {
        deleted.push(path.split("/").at(-1) ?? "");
        response.writeHead(204).end();
      } else if (method === "PUT") {
        const reaction = answer(puts++);
        if (typeof reaction === "number") response.writeHead(reaction).end("<Error><Message>No.</Message></Error>");
        else if (reaction === "endless") {
          const writeMore = () => void (response.writable && response.write("<Error>".repeat(1_000), writeMore));
          writeMore();
        } else response.end();
      } else {
        const { content_type, bytes } = JSON.parse(body);
        const id = `med_${++ids}`;
        json(response, 201, {
          upload_url: `${service.url}/bucket/${id}`,
          method: "PUT",
          headers: { "Content-Type": content_type, "Content-Length": String(bytes) },
          expires_at: new Date(Date.now() + 900_000).toISOString(),
          public_url: `${service.url}/m/${id}`,
          media: { id },
        });
      }
    },
    (request) => {
      if (request.method !== "PUT") return false;
      const reaction = answer(puts);
      if (reaction !== "break" && reaction !== "hang") return false;
      puts++;
      request.once("data", () => (reaction === "break" ? request.socket.destroy() : stop.controller.abort()));
      return true;
    },
  );
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function makeFile(name: string) {
  const path = join(folder, name);
  // The file does not fit into the buffers of a connection.
  await writeFile(path, Buffer.concat([makePng(8, 8, 3), Buffer.alloc(8_000_000, 7)]));
  return inspectFile(path, null);
}
async function upload(names: string[], before: (path: string) => Promise<void> = async () => {}) {
  const files = await Promise.all(names.map(makeFile));
  for (const { path } of files) await before(path);
  const waits: number[] = [];
  const pause = async (ms: number) => void waits.push(ms);
  const client = makeClient({ url: service.url, key: "k", signal: stop.controller.signal, pause });
  const err = outputTo({ write: () => {} }, {});
  const uploads = uploadAll(client, files, err, stop.controller.signal);
  const media = await uploads.catch((error: unknown) => error);
  return { media, waits, files };
}
const bucketCalls = (): Call[] => service.calls.filter(({ method }) => method === "PUT");

it("a HEIC photo is recognised by its bytes and has the displayed size", async () => {
  const path = join(folder, "IMG_0001.JPG");
  await writeFile(path, makeHeic({ width: 4_032, height: 3_024, turns: 3 }));
  const facts = { kind: "image", contentType: "image/heic", width: 3_024, height: 4_032 };
  expect(await inspectFile(path, null)).toMatchObject(facts);
  await writeFile(path, "\0\0\0\x18ftyphevc\0\0\0\0msf1hevc");
  await expect(inspectFile(path, null)).rejects.toMatchObject({
    hint: expect.stringMatching(/^supported: image\/jpeg/),
  });
});

it("files are uploaded completely and in order, with exactly the signed headers", async () => {
  const { media, files } = await upload(["a", "b"]);
  expect(media).toEqual(["med_1", "med_2"]);
  expect(bucketCalls().map(({ path }) => path)).toEqual(["/bucket/med_1", "/bucket/med_2"]);
  for (const { headers, body } of bucketCalls()) {
    expect(headers).toMatchObject({ "content-type": "image/png", "content-length": String(files[0]?.bytes) });
    expect(headers["transfer-encoding"]).toBeUndefined();
    expect(body.length).toBe(files[0]?.bytes);
  }
  expect(deleted).toEqual([]);
});

it("an upload whose connection breaks is repeated from the start", async () => {
  answer = (n) => (n < 2 ? "break" : n === 2 ? 503 : "take");
  const { media, waits } = await upload(["a"]);
  expect(media).toEqual(["med_1"]);
  expect(waits).toEqual([1000, 2000, 5000]);
  expect(bucketCalls().at(-1)?.body.length).toBeGreaterThan(8_000_000);
});

it("an endless answer of the bucket is abandoned once its status is known", async () => {
  answer = () => "endless";
  expect((await upload(["a"])).media).toEqual(["med_1"]);
});

it("a rejected upload address is requested again once", async () => {
  answer = (n) => (n === 0 ? 403 : "take");
  expect((await upload(["a"])).media).toEqual(["med_2"]);
  // The file of the first address is deleted.
  expect(deleted).toEqual(["med_1"]);
});

it("a failed upload is abandoned without leaving a file", async () => {
  answer = () => "break";
  const { media, waits } = await upload(["a", "b"]);
  expect(media).toMatchObject({ exitCode: 1, message: expect.stringContaining("a could not be uploaded") });
  expect(waits).toHaveLength(5);
  expect(deleted.sort()).toEqual(["med_1", "med_2"]);
});

it("Ctrl-C during an upload deletes the unfinished file", async () => {
  answer = (n) => (n === 0 ? "take" : "hang");
  expect((await upload(["a", "b"])).media).toMatchObject({ exitCode: 130 });
  expect(deleted.sort()).toEqual(["med_1", "med_2"]);
});

it.each<[string, (path: string) => Promise<void>]>([
  ["shrinks", (path) => truncate(path, 5_000_000)],
  ["grows", (path) => appendFile(path, "more")],
  ["is deleted", (path) => rm(path)],
])("a file that %s during the upload is not posted", async (_, before) => {
  const { media, waits } = await upload(["a"], before);
  expect(media).toMatchObject({ exitCode: 1, message: expect.stringContaining("changed while") });
  expect(waits).toEqual([]);
  expect(deleted).toEqual(["med_1"]);
});
