// The files of a checked post, each with its position and its planned conversion.
import type { ImagePlan } from "../../domain/posts/adapt-image.ts";
import type { FilePlace } from "../../domain/posts/sent-file.ts";
import { getThumbnailOption } from "../../domain/posts/thumbnail.ts";
import type { MediaRow } from "../../store/media/media.ts";
import { sentFileView } from "../../views/post.ts";
import type { CheckedPost } from "./check.ts";
import type { ChannelTarget } from "./targets.ts";

export interface PlannedFile {
  target: ChannelTarget;
  place: FilePlace;
  /** Its index among the files of its thread part; null: it is the thumbnail of a video. */
  index: number | null;
  row: MediaRow;
  /** JSON pointer to the field that names the file. */
  field: string;
  plan: ImagePlan | null;
}

/** The files of all targets in order: those of each thread part, then the thumbnail of the video. */
export function listFiles({ targets }: Pick<CheckedPost, "targets">): PlannedFile[] {
  return targets.flatMap((target) => [
    ...[target, ...target.threadParts].flatMap((threadPart, place) =>
      threadPart.rows.flatMap((row, index) => {
        const plan = threadPart.filePlans.plans[index] ?? null;
        return row === null
          ? []
          : [{ target: threadPart, place, index, row, field: threadPart.files[index] ?? threadPart.mediaField, plan }];
      }),
    ),
    ...(target.thumbnailRow === null || target.rule.thumbnail === undefined
      ? []
      : [
          {
            target,
            place: "thumbnail" as const,
            index: null,
            row: target.thumbnailRow,
            field: `${target.optionsField}/${getThumbnailOption(target.rule)}`,
            plan: target.filePlans.thumbnailPlan,
          },
        ]),
  ]);
}

/** A file in a dry run. Its size is known only after the conversion. */
export const plannedFileView = ({ row, plan }: PlannedFile) =>
  sentFileView(
    plan === null
      ? { ...row, media: row.id, adapted: [] }
      : {
          media: row.id,
          contentType: plan.contentType,
          width: plan.width,
          height: plan.height,
          bytes: null,
          adapted: plan.isTooLarge ? [...plan.changes, "quality"] : plan.changes,
        },
  );
