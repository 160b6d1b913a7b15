import { and, eq, isNull } from "drizzle-orm";
import type { In } from "../db/db.ts";
import { channels } from "../db/schema.ts";

/** Matches the channel with this id, even if it was removed. */
export const isChannel = (workspaceId: In<string>, id: In<string>) =>
  and(eq(channels.workspaceId, workspaceId), eq(channels.id, id));

/** Matches the channel with this id, unless it was removed. */
export const isPresentChannel = (workspaceId: string, id: string) =>
  and(isChannel(workspaceId, id), isNull(channels.removedAt));
