// RSS feeds on the host of files.
import { expect } from "vitest";
import { testEnv } from "./env.ts";
import type { Hosted } from "./file-host.ts";
import { unique } from "./world.ts";

/** An RSS document whose items have these titles, the newest first. */
const rss = (titles: readonly string[]): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>Engines</title>${titles
    .map(
      (title) =>
        `<item><title>${title}</title><link>https://blog.example.com/${encodeURIComponent(title)}</link><guid>${title}</guid></item>`,
    )
    .join("")}</channel></rss>`;

/** Puts `text` at `address`, or at a new address. `size`: the bytes of the document, which zeros fill up. */
export async function hostText(
  text: string,
  address = `${testEnv.FILE_HOST}${unique("/feed")}`,
  size?: number,
): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const hosted: Hosted = {
    head: btoa(String.fromCharCode(...bytes)),
    bytes: size ?? bytes.byteLength,
    headers: { etag: `"${bytes.byteLength}-${text.length}-${unique("e")}"` },
    length: true,
    ranges: false,
  };
  const answer = await fetch(address, { method: "PUT", body: JSON.stringify(hosted) });
  expect(answer.status).toBe(204);
  return address;
}

/** Hosts a feed whose items have these titles, the newest first. */
export const hostFeed = (titles: readonly string[], address?: string, size?: number): Promise<string> =>
  hostText(rss(titles), address, size);
