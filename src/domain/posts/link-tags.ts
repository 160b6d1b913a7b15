// Parameters that a workspace adds to the links of its posts, such as `utm_source`. Only links with a scheme are tagged, and
// only where it is certain that the link ends: a link that the network could read as longer than we do stays as it is. A
// parameter that the link already has is never changed, and nothing else of the text is.

export interface LinkTags {
  /** By name; a value may have the placeholders of `PLACEHOLDERS`. */
  parameters: Record<string, string>;
  /** Hosts whose links are tagged, with their subdomains; null: all. */
  domains: string[] | null;
}

/** Tags as callers write them. */
export interface WrittenLinkTags {
  parameters: Record<string, string>;
  domains?: string[] | null | undefined;
}

/** `{label}`: the post's first label when its tags were set. */
export const PLACEHOLDERS = ["network", "channel", "post", "label"] as const;
const PLACEHOLDER = /\{(\w*)\}/g;
export const TAG_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** Whether all placeholders of a value exist. */
export const hasKnownPlaceholders = (value: string): boolean =>
  [...value.matchAll(PLACEHOLDER)].every(([, name]) => PLACEHOLDERS.some((known) => known === name)) &&
  !/[{}]/.test(value.replaceAll(PLACEHOLDER, ""));

const replacePlaceholders = (value: string, values: Partial<Record<string, string>>): string =>
  value.replaceAll(PLACEHOLDER, (written, name: string) => values[name] ?? written);

/** The tags with a list of domains in lower case; null: all of them. */
export const normalizeLinkTags = ({ parameters, domains }: WrittenLinkTags): LinkTags => ({
  parameters,
  domains: domains?.length ? domains.map((domain) => domain.toLowerCase()) : null,
});

/** The tags as they are stored with a post: labels may change without a new approval, so the label is filled in at once. */
export function storedLinkTags(
  tags: WrittenLinkTags | null | undefined,
  labels: readonly string[] = [],
): LinkTags | null {
  if (tags === null || tags === undefined) return null;
  const { parameters, domains } = normalizeLinkTags(tags);
  const label = labels[0] ?? "";
  return {
    domains,
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, replacePlaceholders(value, { label })]),
    ),
  };
}

/** The delivery whose links are tagged. */
export interface TaggedDelivery {
  platform: string;
  channel: string;
  /** null: the post does not exist yet; a placeholder of the same length stands for its id. */
  post: string | null;
}

const FUTURE_POST = `post_${"0".repeat(26)}`;

/**
 * What follows a link that certainly ends: closing punctuation before a space, or punctuation that no link contains. A link
 * before anything else is left alone, because a network may read it as longer than we do.
 */
const IS_END = /^(?:[.,;:!?)\]}'"»”’>…*`]*(?:\s|$)|[。，、！？）」』】#])/u;

/** Closing punctuation is not longer. */
const END_LENGTH_MAX = 16;

/** The text with these links tagged. `links`: where they are, in order; those without a scheme stay as they are. */
export function tagLinks(
  text: string,
  links: readonly { indices: readonly [number, number] }[],
  tags: LinkTags,
  delivery: TaggedDelivery,
): string {
  let tagged = "";
  let from = 0;
  for (const { indices } of links) {
    const [start, end] = indices;
    if (start < from || !IS_END.test(text.slice(end, end + END_LENGTH_MAX))) continue;
    tagged += text.slice(from, start) + tagAddress(text.slice(start, end), tags, delivery);
    from = end;
  }
  return tagged + text.slice(from);
}

/** Whether a text may have links that are tagged: those with a scheme. */
export const mayHaveLinks = (text: string): boolean => /https?:\/\//i.test(text);

/** The address with the parameters that it lacks. The rest of it stays exactly as it is written. */
export function tagAddress(
  address: string,
  tags: LinkTags | null,
  { platform, channel, post }: TaggedDelivery,
): string {
  if (tags === null || !/^https?:\/\//i.test(address)) return address;
  const url = URL.parse(address);
  if (url === null || !isTaggedHost(url.hostname, tags.domains)) return address;
  const values = { network: platform, channel, post: post ?? FUTURE_POST };
  const added = Object.entries(tags.parameters).flatMap(([name, written]) => {
    const value = replacePlaceholders(written, values);
    return value === "" || url.searchParams.has(name) ? [] : [`${encode(name)}=${encode(value)}`];
  });
  if (added.length === 0) return address;
  const [, path = "", query, fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? [];
  const joint = query === undefined ? "?" : /[?&]$/.test(query) ? "" : "&";
  return `${path}${query ?? ""}${joint}${added.join("&")}${fragment}`;
}

const isTaggedHost = (host: string, domains: string[] | null): boolean =>
  domains === null || domains.some((domain) => host === domain || host.endsWith(`.${domain}`));

/** Only characters with which every network recognizes a link to its end. */
const encode = (value: string): string =>
  encodeURIComponent(value).replace(
    /[!'()*~]|\.$/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
