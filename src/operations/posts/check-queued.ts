// Judges a post that is to be written, and fixes its files. Before a post waits for approval, its files are moved to
// where they cannot be replaced; the images of a post with `media_fit: "adapt"` are converted. The first check uses the
// facts that are already known, so no file is copied for a post that is refused anyway. If files were copied, a second
// check uses the copies.
import type { Context, Reviewer } from "../../context.ts";
import type { SentFile } from "../../domain/posts/sent-file.ts";
import type { MediaRow } from "../../store/media/media.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { refuseAfterWait } from "../rights.ts";
import { adaptFiles } from "./adapt-files.ts";
import { type CheckedPost, type CheckHow, checkPost } from "./check.ts";
import { type CopiedFiles, copyFiles, isAtAddress } from "./copy-files.ts";
import { inspectUploads } from "./inspect.ts";
import type { CheckMaterial, PostBody } from "./read-for-check.ts";
import { sealUploads } from "./seal-uploads.ts";

export interface QueuedPost {
  checked: CheckedPost;
  /** null: its files are published as they are. */
  sentFiles: SentFile[] | null;
}

/**
 * Judges a post that is queued, or will wait for approval. Throws like `checkPost`, `copyFiles`, `adaptFiles` and
 * `sealUploads`.
 */
export async function checkQueued(
  ctx: Context,
  caller: WorkspaceCaller | Reviewer,
  body: PostBody,
  material: CheckMaterial,
  { waits, ...options }: Pick<CheckHow, "judgeTime" | "acceptedTimes" | "judgeChannels"> & { waits: boolean },
): Promise<QueuedPost> {
  const adapts = body.media_fit === "adapt";
  let checked = await checkPost(ctx, caller, body, material, { ...options, files: waits ? "arrived" : "any" });
  if (!waits && !adapts) return { checked, sentFiles: null };
  const remote = checked.files.filter((row) => isAtAddress(row) && (waits || isConvertible(row)));
  if (remote.length > 0) {
    const copied = await copyFiles(ctx, checked.workspace, remote);
    const media = withCopies(material.media, copied);
    const uploads = { ...(await inspectUploads(ctx, media)), uncopied: copied.failed };
    checked = await checkPost(
      ctx,
      caller,
      body,
      { ...material, media },
      { ...options, files: waits ? "copied" : "any", looked: uploads },
    );
  }
  const sentFiles = adapts ? await adaptFiles(ctx, checked) : null;
  if (waits) await sealUploads(ctx, [checked]);
  if (checked.files.length > 0) await refuseAfterWait(ctx, caller);
  return { checked, sentFiles };
}

/** Whether a file at an address must be copied before it can be adapted. */
export const isConvertible = ({ kind }: MediaRow): boolean => kind === "image";

const withCopies = <Row extends { id: string }>(rows: Row[], { rows: copied }: CopiedFiles) =>
  rows.map((row) => copied.get(row.id) ?? row);
