// Reads an RSS or Atom document. Lenient, because many feeds are not well-formed: what cannot be read is left out.
import { Parser } from "htmlparser2";
import { FEED_ITEMS_MAX } from "../limits.ts";
import { toPlainText } from "./plain-text.ts";

export interface FeedItem {
  /** What the feed identifies the item by: its id, or else its address, or else its title and date. */
  identity: string;
  title: string;
  /** null: the item has no web address. */
  link: string | null;
  /** The description as plain text; empty if there is none. */
  summary: string;
  author: string;
  /** As the feed writes it; empty if it does not say. */
  date: string;
}

export interface FeedDocument {
  title: string;
  /** In the order of the document, which is usually the newest first. At most `FEED_ITEMS_MAX`. */
  items: FeedItem[];
}

type Field = "id" | "title" | "link" | "summary" | "content" | "author" | "date" | "updated";

/** The fields by the names of elements, in lower case. Names of other vocabularies, such as `media:title`, are not read. */
const FIELDS: Record<string, Field> = {
  guid: "id",
  id: "id",
  title: "title",
  "dc:title": "title",
  link: "link",
  description: "summary",
  summary: "summary",
  "content:encoded": "content",
  content: "content",
  author: "author",
  "dc:creator": "author",
  pubdate: "date",
  published: "date",
  "dc:date": "date",
  updated: "updated",
};
/** RSS 2.0, Atom, and RSS 1.0. */
const ROOTS = ["rss", "feed", "rdf:rdf"];
const ITEMS = ["item", "entry"];
/** Elements whose texts are HTML unless their `type` says otherwise. */
const HTML_FIELDS: readonly Field[] = ["title", "summary", "content"];

/** Texts that are not HTML once the elements inside them are left out. */
const PLAIN_TYPES = ["text", "text/plain", "xhtml", "application/xhtml+xml"];
const HIDDEN = ["script", "style"];

/** The element whose text is being read. */
interface Reading {
  field: Field;
  depth: number;
  isPlain: boolean;
  text: string[];
  /** The depth of an element inside it whose text nobody sees; null: none is open. */
  hidden: number | null;
}

/** The document in `text`; null if it is neither RSS nor Atom. `address`: where it was read; its links may be relative. */
export function readFeedDocument(text: string, address: string): FeedDocument | null {
  let isFeed = false;
  let depth = 0;
  let itemDepth: number | null = null;
  let reading: Reading | null = null;
  let fields: Partial<Record<Field, string>> = {};
  let title = "";
  const items: FeedItem[] = [];
  const isFull = () => items.length >= FEED_ITEMS_MAX;

  const begin = (name: string, attributes: Record<string, string>) => {
    if (depth === 1) isFeed = ROOTS.includes(name);
    if (reading !== null && HIDDEN.includes(name)) reading.hidden ??= depth;
    if (!isFeed || isFull() || reading !== null) return;
    if (itemDepth === null && ITEMS.includes(name)) {
      itemDepth = depth;
      fields = {};
      return;
    }
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    const isChannelTitle = itemDepth === null && field === "title" && depth <= 3 && title === "";
    if (field === undefined || (itemDepth === null ? !isChannelTitle : depth !== itemDepth + 1)) return;
    if (field === "link" && attributes.href !== undefined) {
      const isPage = (attributes.rel ?? "alternate") === "alternate";
      if (isPage) fields.link ??= attributes.href;
      return;
    }
    reading = { field, depth, isPlain: PLAIN_TYPES.includes(attributes.type ?? ""), text: [], hidden: null };
  };

  const end = () => {
    if (reading !== null && reading.hidden === depth) reading.hidden = null;
    if (reading !== null && reading.depth === depth) {
      const { field, isPlain } = reading;
      const raw = reading.text.join("");
      const value = HTML_FIELDS.includes(field) && !isPlain ? toPlainText(raw) : raw.trim();
      reading = null;
      if (itemDepth === null) title = toLine(value);
      else if (value !== "") fields[field] ??= value;
    } else if (itemDepth === depth) {
      itemDepth = null;
      const item = toItem(fields, address);
      if (item !== null) items.push(item);
    }
  };

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth++;
        begin(name.toLowerCase(), attributes);
      },
      ontext(data) {
        if (reading !== null && reading.hidden === null) reading.text.push(data);
      },
      onclosetag() {
        end();
        depth--;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(text);
  return isFeed ? { title, items } : null;
}

const toLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** null: the item has neither a title, a text nor an address. */
function toItem(fields: Partial<Record<Field, string>>, address: string): FeedItem | null {
  const title = toLine(fields.title ?? "");
  const summary = fields.summary ?? fields.content ?? "";
  const link = fields.link === undefined ? toLink(fields.id) : toLink(fields.link, address);
  const date = fields.date ?? fields.updated ?? "";
  if (title === "" && summary === "" && link === null) return null;
  const identity = fields.id ?? link ?? `${title}\n${date}`;
  return { identity, title, link, summary, author: toLine(fields.author ?? ""), date };
}

/** A web address, or null. `base`: what a relative address begins at; an id, which counts as a link if it is absolute, has none. */
function toLink(text: string | undefined, base?: string): string | null {
  if (text === undefined || !URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  return ["http:", "https:"].includes(url.protocol) ? url.href : null;
}
