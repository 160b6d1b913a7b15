// The accounts' pictures: a different one for each account, at addresses that stay the same.
import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import type { Hono } from "hono";
import type { Simulator, SimulatorEnv } from "./simulator.ts";

/** The address of an account's picture at its network. The sandbox fetches it from here whatever the host is. */
export const avatarUrl = (host: string, account: string): string =>
  `https://${host}/avatars/${encodeURIComponent(account)}.png`;

/** Serves the pictures of all networks. */
export function mountAvatars(app: Hono<SimulatorEnv>, simulators: Simulator[]): void {
  for (const { platform } of simulators) {
    app.get(`/${platform}/avatars/:file{.+\\.png}`, (c) => {
      const picture = drawAvatar(`${platform} ${c.req.param("file").slice(0, -".png".length)}`);
      return c.body(picture, 200, { "Content-Type": "image/png" });
    });
  }
}

/** Squares on each side of the pattern, and pixels on each side of a square. */
const SQUARES = 8;
const PIXELS = 12;
const SIZE = SQUARES * PIXELS;

/** A PNG with a symmetric pattern in two colors, both chosen by the name. */
function drawAvatar(name: string): Uint8Array<ArrayBuffer> {
  const hash = createHash("sha256").update(name).digest();
  const byteAt = (index: number) => hash[index % hash.length] ?? 0;
  const isFilled = (x: number, y: number) => (byteAt(6 + y) >> Math.min(x, SQUARES - 1 - x)) % 2 === 1;
  const colors = Buffer.from([230, 230, 230, byteAt(0) / 2 + 40, byteAt(1) / 2 + 40, byteAt(2) / 2 + 40]);
  const rows = Buffer.alloc(SIZE * (SIZE + 1));
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      rows[y * (SIZE + 1) + 1 + x] = isFilled(Math.floor(x / PIXELS), Math.floor(y / PIXELS)) ? 1 : 0;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  // Eight bits for each pixel, which is the number of a color.
  header.set([8, 3, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [
    frame("IHDR", header),
    frame("PLTE", colors),
    frame("IDAT", deflateSync(rows)),
    frame("IEND", Buffer.alloc(0)),
  ];
  return new Uint8Array(Buffer.concat([signature, ...chunks]));
}

/** A chunk of a PNG. */
function frame(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
