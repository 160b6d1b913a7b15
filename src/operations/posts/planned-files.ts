// The files of a checked post, each at its place with what is to become of it.
import type { ImagePlan } from "../../domain/posts/adapt-image.ts";
import type { FilePlace } from "../../domain/posts/sent-file.ts";
import { THUMBNAIL } from "../../domain/posts/thumbnail.ts";
import type { MediaRow } from "../../store/media/media.ts";
import { sentFileView } from "../../views/post.ts";
import type { CheckedPost } from "./check.ts";
import type { ChannelTarget } from "./targets.ts";

export interface PlannedFile {
  target: ChannelTarget;
  place: FilePlace;
  /** Among the files of its part; null: it is the picture of a video. */
  index: number | null;
  row: MediaRow;
  /** JSON pointer to where the file is named. */
  field: string;
  plan: ImagePlan | null;
}

/** The files of all targets in their order: those of each part, and then the picture of the video. */
export function listFiles({ targets }: Pick<CheckedPost, "targets">): PlannedFile[] {
  return targets.flatMap((target) => [
    ...[target, ...target.parts].flatMap((part, place) =>
      part.rows.flatMap((row, index) => {
        const plan = part.filePlans.plans[index] ?? null;
        return row === null
          ? []
          : [{ target: part, place, index, row, field: part.files[index] ?? part.mediaField, plan }];
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
            field: `${target.optionsField}/${THUMBNAIL}`,
            plan: target.filePlans.thumbnailPlan,
          },
        ]),
  ]);
}

/** A file as a dry run shows it. Its bytes are known once it is converted. */
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
