// Adds the file that an answer is about to its reason.
import type { Reason } from "../../domain/delivery/outcome.ts";
import type { MediaFile } from "../media-file.ts";

/** Adds to a reason which file of the post it is about; the network's own words stay separate. */
export function reasonOfFile(file: Pick<MediaFile, "position" | "id">, reason: Reason, prefix = ""): Reason {
  const name = `${prefix}file ${file.position + 1} (${file.id})`;
  return { ...reason, detail: reason.detail === undefined ? name : `${name}: ${reason.detail}` };
}
