// The text of a draft with the parameters in its links, while the service has not answered yet.
import { mayHaveLinks, storedLinkTags, tagLinks } from "../../domain/posts/link-tags.ts";
import { type Draft, listLabels } from "./draft.ts";

const LINK = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}]/giu;

export function tagDraftText(text: string, draft: Draft, delivery: Parameters<typeof tagLinks>[3]): string {
  const tags = storedLinkTags(draft.linkTags, listLabels(draft));
  if (tags === null || !mayHaveLinks(text)) return text;
  const links = Array.from(text.matchAll(LINK), ({ 0: link, index }) => ({
    indices: [index, index + link.length] as const,
  }));
  return tagLinks(text, links, tags, delivery);
}
