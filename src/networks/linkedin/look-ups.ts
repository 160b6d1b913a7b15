// Organizations to mention in a text. LinkedIn finds an organization only by its exact vanity name, with a scope of the product
// "Community Management API": organization lookup API, version 202609, read 2026-11-27. A search for people (people typeahead) is
// for the followers of a page, with a scope that LinkedIn grants to few apps, so it is not offered.
import * as z from "zod";
import { findNamedMentions } from "../../domain/posts/named-mentions.ts";
import type { LookUps } from "../network.ts";
import { readResult } from "../shared/http-call.ts";
import { callFor } from "./api.ts";
import { readProblem } from "./errors.ts";
import { fetchPages, PAGE } from "./pages.ts";
import type { Credential } from "./rule.ts";

const Organizations = z.object({
  elements: z.array(
    z.object({ id: z.int(), localizedName: z.string().min(1), vanityName: z.string().optional().catch(undefined) }),
  ),
});
/** The address of a page, of which a person may copy more than its name. */
const ADDRESS = /^(?:https?:\/\/)?(?:[a-z]{2,3}\.)?linkedin\.com\/(?:company|school|showcase)\/([^/?#]+)/i;

/** The vanity name in what a person typed: a page's address, its name in that address, or words. */
const toVanityName = (q: string): string => (ADDRESS.exec(q)?.[1] ?? q).trim().toLowerCase().replace(/\s+/g, "-");

function toMention(urn: string, name: string, vanityName: string | undefined) {
  const value = `@[${name}](${urn})`;
  const isWritable = findNamedMentions(value).length === 1;
  const disabledReason = isWritable ? null : "A mention cannot contain this name.";
  return { value, label: name, description: vanityName ?? null, disabledReason };
}

export const lookUps: LookUps<Credential> = {
  mention: {
    searches: true,
    async list({ q }, context) {
      if (q === undefined) {
        const pages = await fetchPages(context.io, context.credential.access_token);
        if (!Array.isArray(pages)) return pages;
        return { is: "options", options: pages.map(({ urn, name, handle }) => toMention(urn, name ?? handle, handle)) };
      }
      const path = `/rest/organizations?q=vanityName&vanityName=${encodeURIComponent(toVanityName(q))}`;
      const answer = await callFor(context, "GET", path, { finder: true });
      const organizations = readResult(answer, Organizations)?.elements;
      if (organizations === undefined) return readProblem(answer, context);
      const options = organizations.map(({ id, localizedName, vanityName }) =>
        toMention(`${PAGE}${id}`, localizedName, vanityName),
      );
      return { is: "options", options };
    },
  },
};
