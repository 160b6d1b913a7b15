// videos.update, 50 units a call, after videos.list, 1 unit: developers.google.com/youtube/v3/docs/videos/update, read 2026-11-27. The
// call replaces the whole snippet, so what it does not repeat is lost. The upload scope is not enough: see MANAGE in rule.ts.
import * as z from "zod";
import type { Edited } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext, TextEdit } from "../network.ts";
import { readResult, unknown } from "../shared/http-call.ts";
import { API, call } from "./api.ts";
import { readRejection, says } from "./errors.ts";
import type { Credential, Options } from "./rule.ts";
import { list, makeListSchema, refusedRead } from "./video.ts";

/** The properties of a snippet that an update can set. The first two are required. */
const Snippet = z.object({
  title: z.string(),
  categoryId: z.string(),
  tags: z.array(z.string()).optional(),
  defaultLanguage: z.string().optional(),
  defaultAudioLanguage: z.string().optional(),
});
const Snippets = makeListSchema(z.object({ snippet: Snippet }));

const MISSING: Edited = { is: "missing", detail: "YouTube does not know this video." };

export async function editText(
  { id }: { id: string },
  { text }: TextEdit<Options>,
  context: ConnectorContext<Credential>,
): Promise<Edited> {
  const { now } = context.io;
  const { found, answer: read } = await list(context, id, "snippet", Snippets);
  if (found === undefined) return refusedRead(read, now());
  const [video] = found.items;
  if (video === undefined) return MISSING;
  const snippet = { ...video.snippet, description: text };
  const answer = await call(context, `${API}/videos?part=snippet`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, snippet }),
  });
  if (readResult(answer, z.object({ id: z.literal(id) })) !== undefined) return { is: "edited" };
  if (says(answer, "videoNotFound")) return MISSING;
  return readRejection(answer, now()) ?? unknown(answer, now());
}
