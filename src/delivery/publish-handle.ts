// A delivery's publish handle as it is stored: sealed, because a network lets any holder of one go on with what it began.
import type { Context } from "../context.ts";
import type { LivePart } from "../domain/delivery/thread.ts";
import type { Json } from "../domain/json.ts";
import type { Published } from "../networks/network.ts";
import type { DeliveryRow } from "../store/deliveries/due.ts";

/** Seals a publish handle. Throws when this deployment has no sealing key; no channel could be connected without one. */
export async function sealHandle(ctx: Context, delivery: DeliveryRow, handle: Json): Promise<string> {
  if (ctx.seal === null) throw new Error("there is no sealing key");
  return ctx.seal.seal(JSON.stringify(handle), placeOf(delivery));
}

/** The publish handle of a delivery, null before it has one; `unreadable`: it cannot be unsealed. */
export function unsealHandle(ctx: Context, delivery: DeliveryRow): Promise<{ handle: Json } | "unreadable"> {
  return unsealFor(ctx, delivery, delivery.publishHandle);
}

/** A publish handle that was sealed for a delivery, wherever it is kept. */
export async function unsealFor(
  ctx: Context,
  delivery: DeliveryRow,
  sealed: string | null,
): Promise<{ handle: Json } | "unreadable"> {
  if (sealed === null) return { handle: null };
  const unsealed = (await ctx.seal?.unseal(sealed, placeOf(delivery))) ?? null;
  return unsealed === null ? "unreadable" : { handle: JSON.parse(unsealed) };
}

/** A part of a thread as its network knows it. A handle that cannot be unsealed is lost. */
export async function publishedPart(
  ctx: Context,
  delivery: DeliveryRow,
  { id, handle }: LivePart,
): Promise<Published<Json>> {
  const unsealed = await unsealFor(ctx, delivery, handle ?? null);
  return { id, handle: unsealed === "unreadable" ? null : unsealed.handle };
}

function placeOf({ workspaceId, id }: DeliveryRow) {
  return { purpose: "publish-handle", workspace: workspaceId, row: id } as const;
}
