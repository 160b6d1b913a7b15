// What of the files of a channel is other than in the originals.
import { networkName } from "../../domain/network-name.ts";
import type { DryRun } from "../types.ts";

type SentFile = DryRun["deliveries"][number]["files"][number];

/**
 * What a converted file is, as in "JPEG, 1440 × 1080 px". Before it is converted, one that has too many bytes may still lose pixels.
 */
const describeFile = ({ content_type: type, width, height, bytes, adapted }: SentFile): string =>
  [
    (type ?? "").replace("image/", "").toUpperCase(),
    `${bytes === null && adapted.includes("quality") ? "at most " : ""}${width} × ${height} px`,
    ...(bytes === null ? [] : [`${(bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 })} MB`]),
  ].join(", ");

/** A line for each converted file. */
export function AdaptedFiles({ platform, files }: { platform: string; files: SentFile[] }) {
  return files.flatMap((file, i) =>
    file.adapted.length === 0
      ? []
      : [
          <p key={`${file.media}-${file.content_type}-${file.width}`} className="note">
            {files.length > 1 && `File ${i + 1}: `}Adapted for {networkName(platform)}: {describeFile(file)}
          </p>,
        ],
  );
}
