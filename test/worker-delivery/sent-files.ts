// Files of a post that is being published.
import { createExecutionContext } from "cloudflare:test";
import { makePng } from "../../scripts/local/png.ts";
import { compose } from "../../src/compose.ts";
import { openMedia } from "../../src/delivery/media-source.ts";
import { findNetwork } from "../../src/networks/index.ts";
import { mediaByIds } from "../../src/store/media/media.ts";
import { testEnv } from "../support/env.ts";
import type { Account } from "../support/world.ts";

export const PNG = new Uint8Array(makePng(64, 48, 1));

/** Opens a file as a delivery does, without sending it. */
export async function openFile(
  account: Account,
  media: string,
  { platform = "telegram", env = testEnv, delivery = "" } = {},
) {
  const ctx = compose(env, (work) => createExecutionContext().waitUntil(work));
  const network = findNetwork(platform);
  if (network === undefined) throw new Error(`no network ${platform}`);
  const rows = await mediaByIds(ctx.databaseOf(account.workspace), account.workspace, [media]);
  const use = {
    rule: network.rule,
    deliveryId: delivery || `dlv_${"0".repeat(26)}`,
    inspectOnly: false,
    copies: new Map(),
  };
  const [file] = await openMedia(ctx, [media], rows, use);
  if (file === undefined) throw new Error("no file was opened");
  return file;
}
