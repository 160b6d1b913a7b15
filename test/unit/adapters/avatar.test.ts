import { expect, it } from "vitest";
import { makePng } from "../../../scripts/local/png.ts";
import { copyAvatar } from "../../../src/adapters/avatar.ts";
import { memoryBucket } from "../../support/memory-bucket.ts";

const ADDRESS = "https://cdn.network.test/ada";
const PNG = new Uint8Array(makePng(8, 8, 0));

/** Copies the picture that a network answers with. */
async function copy(answer: () => Response | Promise<Response>) {
  const { bucket, files } = memoryBucket();
  const stored = await copyAvatar(async () => answer(), ADDRESS, { bucket, key: "picture" });
  return { stored, files };
}

it("stores a picture under the type of its content, whatever its host says", async () => {
  const { stored, files } = await copy(() => new Response(PNG, { headers: { "content-type": "text/html" } }));
  expect(stored).toMatchObject({ contentType: "image/png", bytes: PNG.byteLength });
  expect([...files.keys()]).toEqual(["picture"]);
});

it.each([
  ["is a page", () => new Response("<html>", { headers: { "content-type": "image/png" } })],
  ["is a vector graphic", () => new Response('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ["is a video", () => new Response("\0\0\0 ftypisom")],
  ["has more than two megabytes", () => new Response(new Uint8Array([...PNG, ...new Uint8Array(2 * 1024 * 1024)]))],
  ["is gone", () => new Response("gone", { status: 404 })],
  ["does not arrive", () => Promise.reject(new TypeError("network"))],
])("stores nothing if the picture %s", async (_, answer) => {
  const { stored, files } = await copy(answer);
  expect(stored).toBeNull();
  expect(files.size).toBe(0);
});
