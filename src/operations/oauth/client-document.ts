// A client's metadata document, published at the address that is its id
// (draft-ietf-oauth-client-id-metadata-document-00).
import { errorText, log } from "../../adapters/log.ts";
import type { Context } from "../../context.ts";
import { BlockedAddress } from "../../domain/blocked-address.ts";
import { OAUTH_DOCUMENT_BYTES_MAX, OAUTH_DOCUMENT_TIMEOUT_MS } from "../../domain/limits.ts";
import { OAuthRefusal } from "../../domain/oauth.ts";
import { readAtMost } from "../../domain/read-at-most.ts";
import { getRegistrableDomain } from "../../domain/registrable-domain.ts";
import { withTimeLimit } from "../../domain/time-limit.ts";

/** Whether a client's id is the address of its document: https, with a path; in local runs also http. */
export function isDocumentAddress(ctx: Context, id: string): boolean {
  return id.startsWith("https://") || (ctx.settings.allowPrivateAddresses && id.startsWith("http://"));
}

/**
 * Reads a client's document, or uses a cached copy that is a few minutes old. Throws `OAuthRefusal` if the address is invalid,
 * does not answer in time, or returns something else.
 */
export async function readClientDocument(ctx: Context, id: string): Promise<Record<string, unknown>> {
  const refused = (reason: string) => new OAuthRefusal("invalid_client", `The client metadata document ${reason}.`);
  // The id is compared character by character: an address that changes when it is parsed is not a valid id.
  if (!URL.canParse(id) || new URL(id).href !== id || new URL(id).pathname === "/" || id.includes("#")) {
    throw refused("is not at an address with a path, written as a browser would write it");
  }
  const cachedDocument = ctx.clientDocuments.get(id, ctx.now());
  if (cachedDocument !== null) return cachedDocument;
  const domain = getRegistrableDomain(new URL(id).hostname);
  if ((await ctx.limits.take("client_document_host", domain)) > 0)
    throw refused("is asked for too often at the moment");
  let text: string;
  try {
    text = await withTimeLimit(OAUTH_DOCUMENT_TIMEOUT_MS, async (signal) => {
      const response = await ctx.outbound.fetch(id, { headers: { accept: "application/json" }, signal });
      const type = response.headers.get("content-type") ?? "";
      if (response.status !== 200 || !/^application\/([\w.-]+\+)?json\b/i.test(type)) {
        await response.body?.cancel();
        throw refused("is not there as JSON");
      }
      return readShort(response, refused);
    });
  } catch (error) {
    if (error instanceof OAuthRefusal) throw error;
    if (error instanceof BlockedAddress) throw refused("is not at a public https address");
    log("info", "client_document_unread", { error: errorText(error) });
    throw refused("cannot be read at the moment");
  }
  const document = parseObject(text);
  if (document === null) throw refused("is not a JSON object");
  if (document.client_id !== id) throw refused("names another `client_id`");
  if (document.client_secret !== undefined) throw refused("has a secret in it");
  const { token_endpoint_auth_method: authMethod = "none", token_endpoint_auth_methods_supported: several } = document;
  if (authMethod !== "none" && !(Array.isArray(several) && several.includes("none"))) {
    throw refused("asks for a `token_endpoint_auth_method` other than `none`");
  }
  ctx.clientDocuments.keep(id, document, ctx.now());
  return document;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

async function readShort({ body }: Response, refused: (reason: string) => OAuthRefusal): Promise<string> {
  const bytes = await readAtMost(body, OAUTH_DOCUMENT_BYTES_MAX + 1);
  if (bytes.byteLength > OAUTH_DOCUMENT_BYTES_MAX) throw refused(`is longer than ${OAUTH_DOCUMENT_BYTES_MAX} bytes`);
  return new TextDecoder().decode(bytes);
}
