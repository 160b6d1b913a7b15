// Finds the slot candidates of a post that asks for the next slot. The statement that writes the post takes the first
// candidate that is still free.
import { PUBLISH_AHEAD_MAX_MS } from "../../domain/limits.ts";
import { refuse } from "../../domain/refusal.ts";
import type { Slot } from "../../domain/slots.ts";
import type { Database } from "../../store/db/db.ts";
import type { SlotWish } from "../../store/slots.ts";
import { findFree, listInstants, type SlotSearch } from "../slots/free.ts";
import type { CheckedPost } from "./check.ts";

/** How many candidates a post gets, so that up to this many concurrent calls each find a free slot. */
const CANDIDATES = 100;

/** Adds the slots to the content tag of a check, so that the call that carries out the check uses these slots or fails. */
export function withSlot(content: string | null, slot: SlotWish | null, ownSlots: SlotWish[] = []): string | null {
  if (content === null || (slot === null && ownSlots.length === 0)) return content;
  return [content, slot?.candidates[0] ?? "", ...ownSlots.map(({ candidates }) => candidates[0])].join("@");
}

/**
 * The slot candidates of a post; null if the post has its own time. The first candidate was free at the time of the read.
 * `content` is the tag from `withSlot`, if the call carries out an earlier check. Throws `no_free_slot`.
 */
export async function slotFor(
  db: Database,
  { id, checked, slots, content }: { id: string | null; checked: CheckedPost; slots: Slot[]; content?: string },
): Promise<SlotWish | null> {
  if (!checked.inNextSlot) return null;
  const { workspace, now } = checked;
  // A channel with a time of its own does not need this slot.
  const followers = checked.targets.filter(({ ownTime }) => ownTime === null);
  const search: SlotSearch = {
    workspaceId: workspace.id,
    post: id,
    channels: (followers.length > 0 ? followers : checked.targets).map(({ channel }) => channel),
    slots,
    timezone: workspace.timezone,
  };
  const [first] = await findFree(db, search, now, 1);
  if (first === undefined) throw refuse("no_free_slot", { field: "/publish_at" });
  const { slots: _slots, timezone: _timezone, ...post } = search;
  const checkedSlot = content?.split("@")[1];
  if (checkedSlot !== undefined) {
    if (Number(checkedSlot) === first) return { ...post, candidates: [first] };
    throw refuse("no_free_slot", {
      field: "/publish_at",
      message: "The next free slot is another one than when the post was checked.",
      hint: "Check the post again.",
    });
  }
  const range = { from: first, until: now + PUBLISH_AHEAD_MAX_MS };
  return { ...post, candidates: listInstants(search, range).take(CANDIDATES).toArray() };
}
