/** The value of `publish_at` that stands for the next free slot. */
export const NEXT_SLOT = "next_slot";
