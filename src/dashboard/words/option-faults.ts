// The sentences for options that are missing or do not fit.
import { count, formatChoices, formatList } from "./counts.ts";
import { findOption, labelOption } from "./options/index.ts";
import { pluralPostType } from "./post-types.ts";
import { describeCode } from "./refusals.ts";
import { type Describe, type Fix, nameNetwork, type Violation } from "./violation-words.ts";

/** The option's name, and its label in quotation marks. */
function readOption({ option, field = "", platform = "" }: Violation) {
  const name = option ?? field.split("/")[3] ?? "";
  return { name, label: `“${labelOption(platform, name)}”` };
}

function fixOption(violation: Violation, kind: "choose" | "remove_option"): Fix[] {
  const { channel, platform = "" } = violation;
  if (channel === undefined) return [];
  const { name } = readOption(violation);
  const label = labelOption(platform, name).toLowerCase();
  const chooseLabel = findOption(platform, name)?.askButton ?? `Set ${label}`;
  return [{ kind, channel, option: name, label: kind === "choose" ? chooseLabel : `Remove ${label}` }];
}

/** An option that has no value. */
export const describeRequiredOption: Describe = (violation) => {
  const { name, label } = readOption(violation);
  const text = findOption(violation.platform ?? "", name)?.ask ?? `Fill in ${label}.`;
  return { text, fixes: fixOption(violation, "choose") };
};

const MEDIA = { image: "images", video: "videos", document: "documents", any: "photos or videos" };

/** The posts that an option is for: "videos, in posts or reels". */
function describeNeeds({ option_needs: needs = {}, limit }: Violation): string | null {
  if (limit !== undefined) return limit === 0 ? "posts without files" : `posts with ${count(limit, "file")} or fewer`;
  const { media, post_types: types = [] } = needs;
  const kinds = media === undefined ? [] : [MEDIA[media]];
  const posts = types.length === 0 ? [] : [formatChoices(types.map(pluralPostType))];
  return kinds.length + posts.length === 0 ? null : formatList([...kinds, ...posts]);
}

/** An option whose value does not fit. */
export const describeOptionFault: Describe = (violation) => {
  const { option_fault: fault = "invalid_value", limit, unit } = violation;
  const { name, label } = readOption(violation);
  const network = nameNetwork(violation);
  const remove = fixOption(violation, "remove_option");
  switch (fault) {
    case "unknown":
      return { text: `${network} has no option ${label}.`, fixes: remove };
    case "wrong_mode":
      return { text: `${label} can't be set for a draft in the app's inbox. You choose it in the app.`, fixes: remove };
    case "permission_missing": {
      const { channel } = violation;
      const reconnect: Fix[] = channel === undefined ? [] : [{ kind: "reconnect", channel, label: "Reconnect" }];
      return {
        text: `${network} hasn't allowed this yet. Reconnect the account and allow everything.`,
        fixes: reconnect,
      };
    }
    case "wrong_post": {
      const needs = describeNeeds(violation);
      return {
        text: needs === null ? `${label} doesn't fit this post.` : `${label} is only for ${needs}.`,
        fixes: remove,
      };
    }
    default: {
      const choose = fixOption(violation, "choose");
      if (limit !== undefined && unit === "characters")
        return { text: `${label} can have up to ${count(limit, "character")}.`, fixes: choose };
      if (limit !== undefined && unit === "entries")
        return { text: `${label} can have up to ${count(limit, "entry", "entries")}.`, fixes: choose };
      if (name === "") return { text: describeCode("invalid_option"), fixes: [] };
      return { text: `Check ${label}: this value isn't valid.`, fixes: choose };
    }
  }
};
