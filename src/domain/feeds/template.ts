// The text of a post that a feed makes: a template with names in braces, which an item's values replace.
import type { FeedItem } from "./read-document.ts";

export const FEED_TEMPLATE_DEFAULT = "{title}\n\n{link}";

const VALUES: Record<string, (item: FeedItem) => string> = {
  title: ({ title }) => title,
  link: ({ link }) => link ?? "",
  summary: ({ summary }) => summary,
  author: ({ author }) => author,
};
export const TEMPLATE_NAMES = Object.keys(VALUES);

const NAME_IN_BRACES = /\{([a-z_]+)\}/g;

/** The names in braces that are not of `TEMPLATE_NAMES`. */
export const unknownNames = (template: string): string[] =>
  [...template.matchAll(NAME_IN_BRACES)].map(([, name = ""]) => name).filter((name) => !Object.hasOwn(VALUES, name));

/** The text for an item. Lines that consist of an empty value are left out. */
export function fillTemplate(template: string, item: FeedItem): string {
  const lines = template.split("\n").flatMap((line) => {
    const filled = line.replaceAll(NAME_IN_BRACES, (name: string, inside: string) => VALUES[inside]?.(item) ?? name);
    return filled.trim() === "" && line.trim() !== "" ? [] : [filled];
  });
  return lines
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .trim();
}
