// Judges a post that asks for approval. The first check uses what is known, so that no file is copied for a post that is refused anyway.
// If files were copied, a second check uses the copies.
import type { Context } from "../../context.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { refuseAfterWait } from "../rights.ts";
import { type CheckedPost, type CheckHow, checkPost } from "./check.ts";
import { type CopiedFiles, copyFiles, isAtAddress } from "./copy-files.ts";
import { inspectUploads } from "./inspect.ts";
import type { CheckMaterial, PostBody } from "./read-for-check.ts";
import { sealUploads } from "./seal-uploads.ts";

/** Judges a post that is to wait, and puts its files where nobody can replace them. Throws as `checkPost`, `copyFiles` and `sealUploads`. */
export async function checkWaiting(
  ctx: Context,
  caller: WorkspaceCaller,
  body: PostBody,
  found: CheckMaterial,
  how: Pick<CheckHow, "judgeTime"> = {},
): Promise<CheckedPost> {
  let checked = await checkPost(ctx, caller, body, found, { ...how, files: "arrived" });
  if (checked.files.some(isAtAddress)) {
    const copied = await copyFiles(ctx, checked.workspace, checked.files);
    const media = withCopies(found.media, copied);
    const looked = { ...(await inspectUploads(ctx, media)), uncopied: copied.failed };
    checked = await checkPost(ctx, caller, body, { ...found, media }, { ...how, files: "copied", looked });
  }
  await sealUploads(ctx, [checked]);
  if (checked.files.length > 0) await refuseAfterWait(ctx, caller);
  return checked;
}

const withCopies = <Row extends { id: string }>(rows: Row[], { rows: copied }: CopiedFiles) =>
  rows.map((row) => copied.get(row.id) ?? row);
