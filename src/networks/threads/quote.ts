// The post that a post quotes: posts/quote-posts of 2025-12-22, read 2026-11-27. The API takes its id, and shows the ids of the
// account's own posts only, so a foreign post cannot be named by its address.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../network.ts";
import { harmless, listPath, read, readBody } from "../shared/meta/container.ts";
import { notDone } from "../shared/meta/container-state.ts";
import type { MetaCredential } from "../shared/meta/login.ts";
import { containers } from "./api.ts";
import { POST_ADDRESS } from "./rule.ts";

/** How many of the account's newest posts are searched. */
const SEARCHED_MAX = 100;

const Listed = z.object({ data: z.array(z.object({ id: z.string(), permalink: z.string().optional() })) });

/** The id of the quoted post, or why there is none. */
export async function findQuoted(
  value: string,
  context: ConnectorContext<MetaCredential>,
): Promise<string | Rejected | Retryable | Unauthorized> {
  const shortcode = readShortcode(value);
  if (shortcode === undefined) return value;
  const query = { fields: "id,permalink", limit: String(SEARCHED_MAX) };
  const answer = await read(containers, context, listPath(containers, undefined, context), query);
  const listed = readBody(answer, Listed)?.data;
  if (listed === undefined) return notDone({ answer, ...harmless(containers, answer, context) }, context);
  const post = listed.find(({ permalink }) => permalink !== undefined && readShortcode(permalink) === shortcode);
  if (post !== undefined) return post.id;
  const detail = "`quote` is not among the account's newest posts; give the API's id of a post of another account";
  return { is: "rejected", error: "content_refused", detail };
}

const readShortcode = (address: string): string | undefined => POST_ADDRESS.exec(address)?.[1];
