// How a channel's files differ from the originals.
import { networkName } from "../../domain/network-name.ts";
import { describeFile } from "../../domain/posts/sent-file.ts";
import type { DryRun, Media, Post } from "../types.ts";

type SentFile = DryRun["deliveries"][number]["files"][number];
type WaitingFile = NonNullable<NonNullable<Post["approval"]>["files"]>[number];

type Shape = Pick<SentFile, "content_type" | "width" | "height" | "bytes">;
const inWords = ({ content_type: contentType, ...file }: Shape) => describeFile({ ...file, contentType });

/** A file as a channel gets it: its converted copy, if there is one. */
export const asSent = (file: Media, convertedCopy: WaitingFile | undefined): Media =>
  convertedCopy === undefined || convertedCopy.url === null ? file : { ...file, public_url: convertedCopy.url };

/**
 * A line for each converted file. Until it is converted, a file with too many bytes may still be scaled down. `media`: the
 * known originals.
 */
export function AdaptedFiles({
  platform,
  files,
  media = [],
}: {
  platform: string;
  files: SentFile[];
  media?: Media[];
}) {
  return files.flatMap((file, i) => {
    if (file.adapted.length === 0) return [];
    const original = media.find(({ id }) => id === file.media);
    return (
      <p key={`${file.media}-${file.content_type}-${file.width}`} className="note">
        {files.length > 1 && `File ${i + 1}: `}Adapted for {networkName(platform)}:{" "}
        {file.bytes === null && file.adapted.includes("quality") && "at most "}
        {inWords(file)}
        {original !== undefined && `. The original is ${inWords(original)}.`}
      </p>
    );
  });
}
