import type * as z from "zod";
import type { Context } from "../../context.ts";
import type { Portal } from "../../contract/portals.ts";
import { isoInstant } from "../../domain/instant.ts";
import type { PortalRow } from "../../store/posts/portals.ts";
import { brandView } from "../brand.ts";
import { mayMakerStill } from "../maker.ts";

/** Whether a portal's creator may still publish. Otherwise the portal is closed. */
export const isActive = (ctx: Context, { workspaceId, createdBy }: PortalRow) =>
  mayMakerStill(ctx, workspaceId, createdBy, "publish");

export const portalView = (row: PortalRow, isRowActive: boolean): z.input<typeof Portal> => ({
  ...storedPortalView(row),
  is_active: isRowActive,
});

/** A portal without what depends on the rights of its creator. */
export const storedPortalView = (row: PortalRow) => ({
  id: row.id,
  name: row.name,
  channels: row.channels,
  labels: row.labels,
  brand: brandView(row.brand),
  created_by: row.createdBy,
  created_at: isoInstant(row.createdAt),
  expires_at: isoInstant(row.expiresAt),
});
