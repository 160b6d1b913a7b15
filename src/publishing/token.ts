// A delivery's token as it is stored: sealed, because a network lets whoever holds one go on with what it began.
import type { Context } from "../context.ts";
import type { Json } from "../domain/json.ts";
import type { DeliveryRow } from "../store/deliveries.ts";

/** Throws when this deployment has no sealing key; no channel could be connected without one. */
export async function sealToken(ctx: Context, delivery: DeliveryRow, token: Json): Promise<string> {
  if (ctx.seal === null) throw new Error("there is no sealing key");
  return ctx.seal.close(JSON.stringify(token), placeOf(delivery));
}

/** The token of a delivery, null before it has one; `closed`: it cannot be opened. */
export function openToken(ctx: Context, delivery: DeliveryRow): Promise<{ token: Json } | "closed"> {
  return openPlacedToken(ctx, delivery, delivery.netToken);
}

/** A token that was sealed for a delivery, wherever it is kept. */
export async function openPlacedToken(
  ctx: Context,
  delivery: DeliveryRow,
  sealed: string | null,
): Promise<{ token: Json } | "closed"> {
  if (sealed === null) return { token: null };
  const opened = (await ctx.seal?.open(sealed, placeOf(delivery))) ?? null;
  return opened === null ? "closed" : { token: JSON.parse(opened) };
}

function placeOf({ workspaceId, id }: DeliveryRow) {
  return { purpose: "delivery-token", workspace: workspaceId, row: id } as const;
}
