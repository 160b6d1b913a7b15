// Changes a draft as the button of a problem says.

import { POST_TYPES } from "../../domain/posts/platform-rule.ts";
import type { Fix } from "../words/violation-words.ts";
import { type Draft, withOverride } from "./draft.ts";
import { locateViolation } from "./violations.ts";

/** The list of files that a JSON pointer names, and the position in it; null: all of it. */
interface FilePlace {
  ids: string[];
  index: number | null;
  replace(ids: string[]): Draft;
}

function findFiles(draft: Draft, pointer: string): FilePlace | null {
  const spot = locateViolation({ field: pointer, code: "invalid_field", message: "" });
  const last = Number(pointer.split("/").pop());
  const index = Number.isInteger(last) ? last : null;
  if (spot.at === "file" || spot.at === "media") {
    return { ids: draft.media, index, replace: (media) => ({ ...draft, media }) };
  }
  if (spot.at === "own" && spot.option === "media") {
    const ids = draft.overrides[spot.channel]?.media ?? [];
    return { ids, index, replace: (media) => withOverride(draft, spot.channel, "media", media) };
  }
  if (spot.at === "part" && spot.field === "media") {
    const replace = (media: string[]) => ({
      ...draft,
      thread: draft.thread.map((part, i) => (i === spot.index ? { ...part, media } : part)),
    });
    return { ids: draft.thread[spot.index]?.media ?? [], index, replace };
  }
  return null;
}

/** The file that a JSON pointer names. */
export function findFileAt(draft: Draft, pointer: string): string | undefined {
  const files = findFiles(draft, pointer);
  return files === null || files.index === null ? undefined : files.ids[files.index];
}

/** Removes the file at a pointer; for a pointer to all files, the last `count` of them. */
function removeFiles(draft: Draft, pointer: string, count: number): Draft {
  const files = findFiles(draft, pointer);
  if (files === null) return draft;
  const { ids, index, replace } = files;
  return replace(index === null ? ids.slice(0, Math.max(0, ids.length - count)) : ids.toSpliced(index, 1));
}

/** The draft after a fix; null: the fix does not change the draft, but opens something. */
export function applyFix(draft: Draft, fix: Fix): Draft | null {
  switch (fix.kind) {
    case "clear_text":
      return withOverride(draft, fix.channel, "text", "");
    case "first_part_only":
      return withOverride(draft, fix.channel, "thread", []);
    case "without_poll":
      return withOverride(draft, fix.channel, "poll", null);
    case "remove_option":
      return withOverride(draft, fix.channel, fix.option, undefined);
    case "remove_file":
      return removeFiles(draft, fix.field, fix.count);
    case "replace_file":
      return removeFiles(draft, fix.field, 1);
    case "post_type": {
      const postType = POST_TYPES.find((type) => type === fix.type);
      return postType === undefined ? draft : { ...draft, postType };
    }
    case "adapt":
      return { ...draft, mediaFit: "adapt" };
    default:
      return null;
  }
}
