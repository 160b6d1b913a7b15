import type { MediaFit } from "../src/domain/posts/sent-file.ts";
import type { Client } from "./api/client.ts";
import type { Arguments } from "./command.ts";
import { usage } from "./failure.ts";

/** Whether to adapt files: from the flags, or else the workspace's default; undefined: there are no files. */
export async function readFit(
  args: Arguments<"adapt" | "exact">,
  client: Client,
  hasFiles: boolean,
): Promise<MediaFit | undefined> {
  if (args.has("adapt") && args.has("exact")) throw usage("--adapt and --exact cannot be used together.");
  if (args.has("adapt")) return "adapt";
  if (args.has("exact") || !hasFiles) return undefined;
  const { media_fit: fit } = (await client.call("workspaces.current")).body;
  return fit === "adapt" ? fit : undefined;
}
