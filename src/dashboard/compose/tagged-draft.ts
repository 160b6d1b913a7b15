// The text of a draft with the parameters in its links, while the service has not answered yet.
import { mayHaveLinks, storedLinkTags, tagLinks } from "../../domain/posts/link-tags.ts";
import { SCHEME_LINK } from "../../domain/posts/measure-text.ts";
import { type Draft, listLabels } from "./draft.ts";

export function tagDraftText(text: string, draft: Draft, delivery: Parameters<typeof tagLinks>[3]): string {
  const tags = storedLinkTags(draft.linkTags, listLabels(draft));
  if (tags === null || !mayHaveLinks(text)) return text;
  const links = Array.from(text.matchAll(SCHEME_LINK), ({ 0: link, index }) => ({
    indices: [index, index + link.length] as const,
  }));
  return tagLinks(text, links, tags, delivery);
}
