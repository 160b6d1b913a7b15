/** In place of a post's time: the next free slot. */
export const NEXT_SLOT = "next_slot";
