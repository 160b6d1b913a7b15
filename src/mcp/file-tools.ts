// The tools for files.
import { operations } from "../contract/index.ts";
import { type Definition, reads } from "./tool.ts";

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The upload call as a command, to run where the file is. */
function withCurl(body: unknown): object {
  const { upload_url: url, headers } = operations["media.request-upload"].result.parse(body);
  const curl = `curl --fail-with-body --upload-file FILE --header ${quoted(`Content-Type: ${headers["Content-Type"]}`)} ${quoted(url)}`;
  return { ...Object(body), curl };
}

/** Names and tags are for people, who sort their library by them. */
const NAMING = ["name", "tags"];

export const FILE_TOOLS: readonly Definition[] = [
  {
    name: "create_upload",
    title: "Upload a file",
    description:
      "Creates an address for one file and the `curl` line that uploads it. Run that line where the file is, with its path " +
      "for FILE. A post can use the returned `media.id` at once; upload " +
      "before it is due. For a file already on the web, use `register_media` instead.",
    operation: "media.request-upload",
    without: NAMING,
    hints: { idempotentHint: false },
    gives: { curl: { type: "string", description: "The upload as a shell command." } },
    answer: async (body) => withCurl(body),
  },
  {
    name: "register_media",
    title: "Use a file from the web",
    description:
      "Makes a file at a public https address usable in posts. It is not copied, so it must stay there until the post is " +
      "published. `verify: true` checks the address once, now.",
    operation: "media.register",
    without: NAMING,
    hints: { openWorldHint: true, idempotentHint: false },
  },
  {
    name: "list_media",
    title: "List files",
    description:
      "Lists the workspace's files, newest first, or those in `ids`, with type, size, pixels, seconds and alt text.",
    operation: "media.list",
    hints: reads,
  },
  {
    name: "set_alt_text",
    title: "Describe a file",
    description:
      "Sets the alt text of a file, for people who cannot see it. Null removes it. Works until the post is published.",
    operation: "media.describe",
    without: NAMING,
    result: operations["media.describe"].result.pick({ id: true, alt: true }),
    hints: { destructiveHint: true },
    required: ["alt"],
  },
];
