// Reads a page's own title, description and picture, for the card under a post.

export interface PageFacts {
  title: string;
  description: string;
  imageUrl: string | null;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Reads the `<title>` and the Open Graph properties of an HTML page. Returns null if it has no title. */
export function readPage(html: string, pageUrl: string): PageFacts | null {
  const meta = new Map<string, string>();
  for (const { tag } of findTags(html, /<meta\b/gi, META_LENGTH_MAX)) {
    const name = (attribute(tag, "property") ?? attribute(tag, "name"))?.toLowerCase();
    const content = attribute(tag, "content");
    if (name !== undefined && content !== undefined && !meta.has(name)) meta.set(name, content);
  }
  const title = meta.get("og:title") ?? findTitle(html);
  if (title === undefined || title.trim() === "") return null;
  const image = meta.get("og:image");
  const imageUrl =
    image !== undefined && URL.canParse(decode(image), pageUrl) ? new URL(decode(image), pageUrl).href : null;
  const description = meta.get("og:description") ?? meta.get("description") ?? "";
  return { title: tidy(title).slice(0, 300), description: tidy(description).slice(0, 1_000), imageUrl };
}

/** Characters between a tag's name and its end. */
const META_LENGTH_MAX = 4_000;
const TITLE_TAG_LENGTH_MAX = 500;
const TITLE_LENGTH_MAX = 2_000;

/**
 * Finds the tags that begin with `name`, one after the other. If tags lack their `>`, the search for the next `>` is not
 * repeated for each of them, so that it takes linear time.
 */
function* findTags(html: string, name: RegExp, lengthMax: number): Generator<{ tag: string; end: number }> {
  let end = -1;
  let after = 0;
  for (const { 0: start, index } of html.matchAll(name)) {
    if (index < after) continue;
    const inside = index + start.length;
    if (end < inside) end = html.indexOf(">", inside);
    if (end === -1) return;
    if (end - inside > lengthMax) continue;
    after = end + 1;
    yield { tag: html.slice(index, after), end: after };
  }
}

function findTitle(html: string): string | undefined {
  for (const { end } of findTags(html, /<title/gi, TITLE_TAG_LENGTH_MAX)) {
    const titleText = html.slice(end, end + TITLE_LENGTH_MAX + "</title>".length);
    const length = titleText.indexOf("<");
    if (length !== -1 && /^<\/title>/i.test(titleText.slice(length))) return titleText.slice(0, length);
  }
  return undefined;
}

function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(tag);
  return match?.[1] ?? match?.[2] ?? match?.[3];
}

function tidy(text: string): string {
  return decode(text).replace(/\s+/g, " ").trim();
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}
