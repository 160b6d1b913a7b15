/** In place of a post's time: the next slot that is free. */
export const NEXT_SLOT = "next_slot";
