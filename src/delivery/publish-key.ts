// The publish key of a delivery as it is stored. It is sealed, because a network lets anyone who holds the key continue the
// publish that it belongs to.
import type { Context } from "../context.ts";
import type { LiveThreadPart } from "../domain/delivery/thread.ts";
import type { Json } from "../domain/json.ts";
import type { Published } from "../networks/network.ts";
import type { DeliveryRow } from "../store/deliveries/due.ts";

/** Seals a publish key. Throws if this deployment has no sealing key; without one, no channel could be connected. */
export async function sealPublishKey(ctx: Context, delivery: DeliveryRow, publishKey: Json): Promise<string> {
  if (ctx.seal === null) throw new Error("there is no sealing key");
  return ctx.seal.seal(JSON.stringify(publishKey), getSealContext(delivery));
}

/** Returns the publish key of a delivery as `publishKey` (null before it has a key), or `unreadable` if unsealing fails. */
export function unsealPublishKey(ctx: Context, delivery: DeliveryRow): Promise<{ publishKey: Json } | "unreadable"> {
  return unsealFor(ctx, delivery, delivery.publishKey);
}

/** Unseals a publish key that was sealed for a delivery, wherever it is stored. */
export async function unsealFor(
  ctx: Context,
  delivery: DeliveryRow,
  sealed: string | null,
): Promise<{ publishKey: Json } | "unreadable"> {
  if (sealed === null) return { publishKey: null };
  const unsealed = (await ctx.seal?.unseal(sealed, getSealContext(delivery))) ?? null;
  return unsealed === null ? "unreadable" : { publishKey: JSON.parse(unsealed) };
}

/** A published thread part, as calls to its network need it. If its publish key cannot be unsealed, the part has no key. */
export async function publishedThreadPart(
  ctx: Context,
  delivery: DeliveryRow,
  { id, publishKey: sealed }: Pick<LiveThreadPart, "id" | "publishKey">,
): Promise<Published<Json>> {
  const unsealed = await unsealFor(ctx, delivery, sealed);
  return { id, publishKey: unsealed === "unreadable" ? null : unsealed.publishKey };
}

function getSealContext({ workspaceId, id }: DeliveryRow) {
  return { purpose: "publish-key", workspace: workspaceId, row: id } as const;
}
