// Copies accounts' pictures again once a week, and those whose first copy failed. If a network's address has expired by then,
// the previous copy stays until the account is reconnected.
import { copyAvatar } from "../adapters/avatar.ts";
import type { Context } from "../context.ts";
import { base64Url } from "../domain/encoding.ts";
import { avatarKey } from "../domain/media/object-key.ts";
import { channelsWithDueAvatar, replaceAvatar } from "../store/channels/avatars.ts";
import type { Database } from "../store/db/db.ts";

/** How many pictures one sweep copies, at the same time. */
const AVATARS_MAX = 10;

/** Copies the pictures that are due. */
export async function refreshAvatars(ctx: Context, db: Database): Promise<void> {
  const { bucket } = ctx;
  if (bucket === null) return;
  const due = await channelsWithDueAvatar(db, AVATARS_MAX);
  await Promise.all(
    due.map((channel) => {
      const key = avatarKey(channel, base64Url(ctx.entropy(12)));
      const { fetchPublic } = ctx.networkIO(channel.platform);
      return replaceAvatar(db, channel, key, (url) =>
        copyAvatar(fetchPublic, ctx.addressOf(channel.platform, url), { bucket, key }),
      );
    }),
  );
}
