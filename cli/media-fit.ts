import type { MediaFit } from "../src/domain/posts/sent-file.ts";
import type { Client } from "./api/client.ts";
import type { Words } from "./command.ts";
import { usage } from "./failure.ts";

/** Whether files are adapted: as the flags say, or else as the workspace does by default; undefined: there is no file. */
export async function readFit(
  words: Words<"adapt" | "exact">,
  client: Client,
  hasFiles: boolean,
): Promise<MediaFit | undefined> {
  if (words.on("adapt") && words.on("exact")) throw usage("--adapt and --exact exclude each other.");
  if (words.on("adapt")) return "adapt";
  if (words.on("exact") || !hasFiles) return undefined;
  const { media_fit: fit } = (await client.call("workspaces.current")).body;
  return fit === "adapt" ? fit : undefined;
}
