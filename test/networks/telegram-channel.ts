// A Telegram channel at the simulator, for tests of the connector.
import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import type { ConnectorContext, Publication } from "../../src/networks/network.ts";
import { telegram } from "../../src/networks/telegram/index.ts";
import { type Call, fault, ledger, makeIO, prepareOnce, unique } from "./network-io.ts";
import { simulators } from "./simulators.ts";

export const SECRET = "S".repeat(35);
export const BOT_TOKEN = `123456789:${SECRET}`;
export const GIF = new Uint8Array(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));

export const connectChat = (chat_id: string | number, bot_token = BOT_TOKEN) =>
  telegram.connect({ bot_token, chat_id }, makeIO(simulators, "telegram"));

export interface Channel {
  handle: string;
  context: ConnectorContext<Json>;
  calls: Call[];
}
export async function channel(prefix = "channel_"): Promise<Channel> {
  const handle = `@${unique(prefix)}`;
  const connected = await connectChat(handle);
  if (connected.is !== "connected") throw new Error(JSON.stringify(connected));
  const io = makeIO(simulators, "telegram");
  return { handle, context: { credential: connected.credential, io }, calls: io.calls };
}
export const faultCall = (handle: string, call: string, faultFields: object) =>
  fault(simulators, { platform: "telegram", account: handle, call, ...faultFields });
export const rejection = (status: number, description: string, parameters?: object) => ({
  do: "status",
  status,
  body: { ok: false, error_code: status, description, parameters },
});

export async function publish(post: Publication<Json>, { handle, context }: Channel) {
  const outcome = await telegram.publish(post, await prepareOnce(telegram, post, context), context);
  const entries = await ledger(simulators, handle);
  expect(entries).toHaveLength(1);
  expect(outcome).toMatchObject({ is: "live", id: entries[0]?.id, url: entries[0]?.url, urlState: "none" });
  return entries[0] ?? expect.fail("nothing was published");
}

export async function computeSums(files: MediaFile[]) {
  return Promise.all(
    files.map(async (file) => {
      const bytes = Buffer.from(await new Response(await file.open()).arrayBuffer());
      return { bytes: file.bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
    }),
  );
}
