// The files of an item: at public addresses, or in its binary fields.
import type { IExecuteFunctions } from "n8n-workflow";
import type { Body, Client } from "../client/client.ts";
import { connectionTrouble } from "../client/errors.ts";
import { type Put, readPutAnswer } from "../client/put.ts";
import { type FileFacts, uploadAll } from "../client/upload.ts";
import { isObject } from "../domain/json.ts";
import { kindOfAddress } from "../domain/media/kind-of-address.ts";
import type { MediaKind } from "../domain/posts/platform-rule.ts";
import { REQUEST, toResponse } from "./client.ts";
import { type ItemContext, readChoice, readCollection, readText, refuseInput } from "./inputs.ts";
import { digest } from "./repeats.ts";

type Preview = NonNullable<Body<"posts.create">["media_preview"]>[number];

/** A file that the node's input names. */
export interface NamedFile {
  /** The same for the same file, description and source. */
  key: string;
  preview: Preview;
  /** Makes it a file of the library, and returns its id. */
  store(client: Client): Promise<string>;
}
interface Described {
  alt: string | null;
  kind: MediaKind | null;
}
interface BinaryFile extends FileFacts {
  content: Uint8Array<ArrayBuffer>;
}

const KINDS = ["auto", "image", "video"] as const;

export async function readFiles(itemContext: ItemContext): Promise<NamedFile[]> {
  const media = readCollection(
    itemContext,
    "Media",
    itemContext.context.getNodeParameter("media", itemContext.item, {}),
  );
  const rows = media.get("file") ?? [];
  const isList = Array.isArray(rows) && rows.every(isObject) && [...media.keys()].every((name) => name === "file");
  // A file that is not understood must not be left out of the post.
  if (!isList)
    throw refuseInput(itemContext, "Media must be a list of files", 'Use { "file": [{ "url": "https://..." }] }');
  const files: NamedFile[] = [];
  for (const row of rows.filter(isObject)) {
    const url = readText(itemContext, "URL", row.url);
    const field = readText(itemContext, "Input Binary Field", row.binaryField);
    const choice = readChoice(itemContext, "Kind", row.kind ?? "auto", KINDS);
    const described = {
      alt: readText(itemContext, "Description", row.alt) ?? null,
      kind: choice === "auto" ? null : choice,
    };
    if (url !== undefined && field !== undefined) {
      throw refuseInput(itemContext, "A file has a URL and a binary field", "Use one of them for each file.");
    }
    files.push(
      field === undefined
        ? nameAddress(itemContext, url ?? "", described)
        : await readBinary(itemContext, field, described),
    );
  }
  return files;
}

function nameAddress(itemContext: ItemContext, url: string, { alt, kind: chosen }: Described): NamedFile {
  const kind = chosen ?? kindOfAddress(url);
  if (kind === null) {
    const message = `The type of the file cannot be determined from its address: ${url}`;
    throw refuseInput(itemContext, message, "Set Kind to Image or Video.");
  }
  if (kind === "document" || kind === "captions") {
    const message = `${kind === "document" ? "A document" : "A captions file"} cannot be taken from an address`;
    throw refuseInput(itemContext, message, "Read it into a binary field with the HTTP Request node.");
  }
  const file = { url, kind, alt };
  return {
    key: JSON.stringify(file),
    preview: { kind, alt },
    store: async (client) => (await client.call("media.register", { body: file })).body.id,
  };
}

/** Reads a binary field into memory. The error for a field that the item does not have is n8n's own. */
async function readBinary(
  itemContext: ItemContext,
  field: string,
  { alt, kind: chosen }: Described,
): Promise<NamedFile> {
  const { context, item } = itemContext;
  const { mimeType: contentType, fileName: name = field } = context.helpers.assertBinaryData(item, field);
  const kind = chosen ?? KINDS.find((known) => known !== "auto" && contentType.startsWith(`${known}/`));
  if (kind === undefined || kind === "auto") {
    throw refuseInput(
      itemContext,
      `The binary field ${field} is neither an image nor a video`,
      `Its type is ${contentType}. Set the type in the node that reads the file.`,
    );
  }
  const content = await context.helpers.getBinaryDataBuffer(item, field);
  const bytes = content.byteLength;
  const file: BinaryFile = { name, contentType, bytes, alt, content };
  return {
    key: JSON.stringify({ contentType, alt, sha256: await digest(content) }),
    preview: { kind, type: contentType, bytes, alt },
    store: async (client) => {
      const [id = ""] = await uploadAll(client, [file], { put: putBy(context) });
      return id;
    },
  };
}

/** Sends a file with n8n's own requests, and without the key of the credential: the address is signed. */
const putBy =
  (context: IExecuteFunctions): Put<BinaryFile> =>
  async ({ content }, { upload_url: url, headers }, { range: { offset, length }, signal }) => {
    try {
      const body = content.subarray(offset, offset + length);
      const request = { ...REQUEST, url, method: "PUT", headers, body, abortSignal: signal } as const;
      const response = toResponse(await context.helpers.httpRequest(request));
      return readPutAnswer(response.status, response.headers.get("etag"), await response.text());
    } catch (error) {
      return { message: connectionTrouble(error), status: null, passes: true };
    }
  };
