import type { Context } from "../../context.ts";
import { BlockedAddress } from "../../domain/blocked-address.ts";
import { refuse } from "../../domain/refusal.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { limitOutbound } from "../rate-limit.ts";
import { refuseAfterWait } from "../rights.ts";

/** Returns the address of an endpoint if events may be sent there. Throws the refusal otherwise. */
export async function admitAddress(ctx: Context, caller: WorkspaceCaller, url: string): Promise<URL> {
  const checked = ctx.outbound.check(url);
  if (typeof checked === "string") throw refuse(checked, { field: "/url" });
  await limitOutbound(ctx, caller.workspaceId);
  const address = await ctx.outbound.admit(url).catch((error: unknown) => {
    if (error instanceof BlockedAddress) throw refuse(error.refusal, { field: "/url" });
    throw refuse("url_unreachable", { field: "/url", message: "The host of the address could not be resolved." });
  });
  await refuseAfterWait(ctx, caller);
  return address;
}
