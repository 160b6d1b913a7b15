import { counted } from "../../adapters/outbound.ts";
import type { Context } from "../../context.ts";
import type { NetworkIO } from "../../networks/network.ts";
import { takeOutbound } from "../rate-limit.ts";

/**
 * The network for one attempt of a workspace to connect a channel. The attempt is counted at its first call, and so is
 * each call to a foreign host.
 */
export function limitedIO(ctx: Context, workspaceId: string, platform: string): NetworkIO {
  const io = ctx.networkIO(platform);
  let waited: Promise<number> | undefined;
  const wait = () => {
    waited ??= takeOutbound(ctx, workspaceId);
    return waited;
  };
  const isCalled = (url: string) => typeof ctx.outbound.check(url) !== "string";
  return {
    ...io,
    fetch: counted(io.fetch, wait),
    fetchPublic: counted(io.fetchPublic, async (url) =>
      isCalled(url) ? (await wait()) || ctx.takeHost(workspaceId, url) : 0,
    ),
  };
}
