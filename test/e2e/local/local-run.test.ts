// `npm start` as a user runs it: readiness, a real presigned upload, the demo, disconnecting clients, two runs, SIGTERM.

import { connect as connectSocket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makePng } from "../../../scripts/local/png.ts";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { eventually } from "../../support/eventually.ts";
import { json, makeFolder, type Run, start, stopAll } from "./running.ts";

let first: Run;
let second: Run;
beforeAll(async () => {
  [first, second] = await Promise.all([
    start({ CRIER_STATE: await makeFolder() }),
    start({ DEMO: "0", DEFAULT_PLAN: "free" }),
  ]);
});
afterAll(stopAll);

it("an empty database gets a demo that goes live on every network, and DEMO=0 creates nothing", async () => {
  const { platforms } = await json<{ platforms: { min_media: number; image: object | null; video: object | null }[] }>(
    `${first.url}/v1/platforms`,
  );
  // A text, an image and a video, for each network that accepts it.
  const deliveries = platforms.flatMap(({ min_media, image, video }) =>
    [min_media === 0, image !== null, video !== null].filter(Boolean),
  ).length;
  const live = () => first.output().match(/ live /g)?.length;
  await eventually(() => expect(live()).toBe(deliveries));
  const { ledger } = await json<{ ledger: LedgerEntry[] }>(`${first.simulators}/_sim/ledger`);
  expect(ledger).toHaveLength(deliveries);
  expect((await json<{ ledger: [] }>(`${second.simulators}/_sim/ledger`)).ledger).toEqual([]);
});

it("a setting of the environment reaches the worker, and a presigned upload accepts exactly the signed file", async () => {
  const { url } = second;
  const account = { email: "a@example.com", password: "correct horse" };
  const signedUp = await json<{ token: string; workspaces: { id: string; plan: string }[] }>(
    `${url}/v1/auth/signup`,
    undefined,
    account,
  );
  expect(signedUp.workspaces[0]?.plan).toBe("free");
  const { key } = await json<{ key: string }>(`${url}/v1/workspaces/${signedUp.workspaces[0]?.id}/key`, signedUp.token);
  const image = new Uint8Array(makePng(64, 64, 3));
  const upload = await json<{ upload_url: string; public_url: string; media: { id: string } }>(
    `${url}/v1/media/upload-url`,
    key,
    {
      content_type: "image/png",
      bytes: image.byteLength,
    },
  );
  const sendFile = async (body: Uint8Array<ArrayBuffer>, type: string) =>
    (await fetch(upload.upload_url, { method: "PUT", body, headers: { "content-type": type } })).status;
  expect(await sendFile(image.slice(1), "image/png")).toBe(403);
  expect(await sendFile(image, "text/html")).toBe(403);
  expect(await sendFile(image, "image/png")).toBe(200);
  const file = await fetch(upload.public_url);
  expect(Object.fromEntries(file.headers)).toMatchObject({
    "content-length": String(image.byteLength),
    "content-type": "image/png",
  });
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(image);
  const head = await fetch(upload.public_url, { method: "HEAD" });
  expect(head.headers.get("content-length")).toBe(String(image.byteLength));
  const ranged = await fetch(upload.public_url, { headers: { range: "bytes=8-15" } });
  expect(ranged).toMatchObject({ status: 206 });
  expect(ranged.headers.get("content-length")).toBe("8");
  expect(new Uint8Array(await ranged.arrayBuffer())).toEqual(image.slice(8, 16));

  const credentials = { bot_token: `123456789:${"A".repeat(35)}`, chat_id: "@local_run" };
  const channel = await json<{ id: string }>(`${url}/v1/channels`, key, {
    platform: "telegram",
    handle: "@local_run",
    credentials,
  });
  await json(`${url}/v1/posts`, key, { text: "uploaded", media: [upload.media.id], channels: [channel.id] });
  await eventually(async () => {
    const { ledger } = await json<{ ledger: LedgerEntry[] }>(`${second.simulators}/_sim/ledger`);
    expect(ledger).toMatchObject([{ text: "uploaded", media: [{ bytes: image.byteLength }] }]);
  });
});

it("clients that disconnect during a request do no harm", async () => {
  const { port } = new URL(second.url);
  for (const head of ["POST /v1/auth/login", "PUT /cdn-cgi/local/r2/s3/crier-media/x", "POST /v1/posts"]) {
    await new Promise<void>((resolve) => {
      const socket = connectSocket(Number(port), "127.0.0.1", () => {
        socket.write(
          `${head} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"email":`,
          () => socket.destroy(),
        );
      });
      socket.once("close", () => resolve());
      socket.once("error", () => resolve());
    });
  }
  expect((await fetch(`${second.url}/healthz`)).status).toBe(200);
});

it("SIGTERM ends all processes of a run, and none of another run", async () => {
  const ended = new Promise<number | null>((resolve) => first.process.once("exit", resolve));
  first.process.kill("SIGTERM");
  expect(await ended).toBe(0);
  await expect(fetch(`${first.url}/healthz`)).rejects.toThrow();
  await expect(fetch(first.simulators)).rejects.toThrow();
  expect((await fetch(`${second.url}/healthz`)).status).toBe(200);
  const secondEnded = new Promise<number | null>((resolve) => second.process.once("exit", resolve));
  second.process.kill("SIGTERM");
  expect(await secondEnded).toBe(0);
});
