// What was being written when its person signs out. Nothing of it may stay in a browser that somebody else uses next, and none of it may
// be lost: it becomes a draft.
import { clientOf } from "../api.ts";
import { bodyOf, hasContent } from "./draft.ts";
import { forget, type Kept, readKept } from "./kept.ts";

/** `crier:compose:<workspace>:<post, or what is new>`, and a number where several tabs write. */
const PLACE = /^crier:compose:(ws_[^:]+):/;

interface KeptText {
  place: string;
  workspace: string;
  kept: Kept;
}

function findKept(): KeptText[] {
  return Object.keys(localStorage).flatMap((place) => {
    const workspace = PLACE.exec(place)?.[1];
    const kept = workspace === undefined ? null : readKept(place);
    return workspace === undefined || kept === null || !hasContent(kept.draft) ? [] : [{ place, workspace, kept }];
  });
}

/** Saves every text that waits in this browser as a draft, and returns how many could not be saved. */
export async function saveKept(): Promise<number> {
  let unsaved = 0;
  for (const { place, workspace, kept } of findKept()) {
    try {
      await clientOf(workspace).call("posts.create", { body: bodyOf(kept.draft, "draft") });
      forget(place);
    } catch {
      // Why does not matter here: the person decides what becomes of the text.
      unsaved++;
    }
  }
  return unsaved;
}
