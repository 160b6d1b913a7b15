// Saves unsent texts as drafts when their author signs out. A text must not stay in a browser that the next person may use,
// and it must not be lost.
import { makeClient } from "../api.ts";
import { buildPostBody, isWorthKeeping } from "./draft.ts";
import { forget, type Kept, readKept } from "./kept.ts";

/** `crier:compose:<workspace>:<post id, or kind of new post>`, with a number if several tabs write. */
const PLACE = /^crier:compose:(ws_[^:]+):/;

interface KeptText {
  place: string;
  workspace: string;
  kept: Kept;
}

function findKept(): KeptText[] {
  return Object.keys(localStorage).flatMap((place) => {
    const workspace = PLACE.exec(place)?.[1];
    const keptEntry = workspace === undefined ? null : readKept(place);
    return workspace === undefined || keptEntry === null || !isWorthKeeping(keptEntry.draft)
      ? []
      : [{ place, workspace, kept: keptEntry }];
  });
}

/** Saves every unsent text of this browser as a draft. Returns how many could not be saved. */
export async function saveKept(): Promise<number> {
  let unsaved = 0;
  for (const { place, workspace, kept } of findKept()) {
    try {
      await makeClient(workspace).call("posts.create", { body: buildPostBody(kept.draft, "draft") });
      forget(place);
    } catch {
      // Whatever the reason, the author decides what happens to the text.
      unsaved++;
    }
  }
  return unsaved;
}
