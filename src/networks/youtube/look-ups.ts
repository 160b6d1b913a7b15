// The categories of videos and the playlists of the channel: videoCategories.list and playlists.list, 1 unit a call,
// discovery revision 20260427. The categories differ a little by country, and the API does not report a channel's country.
import * as z from "zod";
import type { OptionValue } from "../../domain/option-lookup.ts";
import type { LookUps } from "../network.ts";
import { readResult } from "../shared/http-call.ts";
import { API, call } from "./api.ts";
import { harmless } from "./errors.ts";
import type { Credential } from "./rule.ts";

const Categories = z.object({
  items: z.array(
    z.object({ id: z.string(), snippet: z.object({ title: z.string(), assignable: z.boolean().default(true) }) }),
  ),
});

const Playlists = z.object({
  items: z.array(z.object({ id: z.string(), snippet: z.object({ title: z.string() }) })).default([]),
  nextPageToken: z.string().optional(),
});
/** Each page has 50 entries. */
const PAGES_MAX = 20;

export const lookUps: LookUps<Credential> = {
  playlist: {
    async list(_values, context) {
      const options: OptionValue[] = [];
      const query = new URLSearchParams({ part: "snippet", mine: "true", maxResults: "50" });
      for (let page = 0; page < PAGES_MAX; page++) {
        const answer = await call(context, `${API}/playlists?${query}`);
        const playlists = readResult(answer, Playlists);
        if (playlists === undefined) return harmless(answer, context.io.now());
        for (const { id: value, snippet } of playlists.items)
          options.push({ value, label: snippet.title, description: null, disabledReason: null });
        if (playlists.nextPageToken === undefined) break;
        query.set("pageToken", playlists.nextPageToken);
      }
      return { is: "options", options };
    },
  },
  category_id: {
    async list(_values, context) {
      const answer = await call(context, `${API}/videoCategories?part=snippet&regionCode=US&hl=en`);
      const categories = readResult(answer, Categories);
      if (categories === undefined) return harmless(answer, context.io.now());
      const options = categories.items.map(({ id: value, snippet: { title: label, assignable } }) => ({
        value,
        label,
        description: null,
        disabledReason: assignable ? null : "Videos cannot be added to this category.",
      }));
      return { is: "options", options };
    },
  },
};
