/** The value of `publish_at` that stands for the next free slot. */
export const NEXT_SLOT = "next_slot";

/** Whether a post, or one of its channels, asks for the next free slot. */
export const asksForSlot = ({
  publish_at: publishAt,
  overrides,
}: {
  publish_at?: string | null | undefined;
  overrides?: Record<string, { publish_at?: unknown }> | undefined;
}): boolean =>
  publishAt === NEXT_SLOT || Object.values(overrides ?? {}).some((override) => override.publish_at === NEXT_SLOT);
