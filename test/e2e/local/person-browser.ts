// Connects an account as a person's browser does: it opens the link, submits the forms of each page, and follows redirects.

interface ShownPage {
  url: string;
  status: number;
  text: string;
}
interface Form {
  /** The address of the form; absent: that of its page. */
  action: string | undefined;
  isPost: boolean;
  fields: [string, string][];
  buttons: [string, string][];
}

const ENTITIES: Record<string, string> = { "&amp;": "&", "&quot;": '"', "&#39;": "'", "&lt;": "<", "&gt;": ">" };
const decodeEntities = (text: string) =>
  text.replace(/&(?:amp|quot|#39|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);

function readAttributes(tag: string): Record<string, string> {
  return Object.fromEntries(
    [...tag.matchAll(/([\w-]+)(?:="([^"]*)")?/g)]
      .slice(1)
      .map(([, name = "", value = ""]) => [name, decodeEntities(value)]),
  );
}

/** The form of a page, with its initial values. */
function readForm({ text, url }: ShownPage): Form {
  const [, tag, content] = /(<form[^>]*>)(.*?)<\/form>/s.exec(text) ?? [];
  if (tag === undefined || content === undefined) throw new Error(`${url} has no form:\n${text}`);
  const { action, method } = readAttributes(tag);
  const fields: [string, string][] = [];
  for (const [input] of content.matchAll(/<input[^>]*>/g)) {
    const { name = "", value = "", type, checked } = readAttributes(input);
    if (type !== "checkbox" || checked !== undefined) fields.push([name, value]);
  }
  const buttons = [...content.matchAll(/<button[^>]*>/g)].map(([button]): [string, string] => {
    const { name = "", value = "" } = readAttributes(button);
    return [name, value];
  });
  return { action, isPost: method === "post", fields, buttons };
}

class PersonBrowser {
  /** Cookies by host. */
  readonly #cookies = new Map<string, string>();

  /** Opens an address and follows redirects up to a page. */
  async open(address: string, body?: URLSearchParams, from?: string): Promise<ShownPage> {
    const { host } = new URL(address);
    const headers = new Headers();
    const cookie = this.#cookies.get(host);
    if (cookie !== undefined) headers.set("cookie", cookie);
    if (from !== undefined && body !== undefined) headers.set("origin", new URL(from).origin);
    const answer = await fetch(address, {
      method: body === undefined ? "GET" : "POST",
      headers,
      redirect: "manual",
      ...(body && { body }),
    });
    const set = answer.headers.get("set-cookie")?.split(";")[0];
    if (set !== undefined) this.#cookies.set(host, set);
    const text = await answer.text();
    const next = answer.headers.get("location");
    return next === null ? { url: address, status: answer.status, text } : this.open(new URL(next, address).href);
  }

  /** Submits the form of a page with its first button. `typed` replaces the values of fields. */
  send(page: ShownPage, typed: Record<string, string> = {}): Promise<ShownPage> {
    const { action, isPost, fields, buttons } = readForm(page);
    const form = new URLSearchParams([...fields, ...buttons.slice(0, 1)].filter(([name]) => name !== ""));
    for (const [name, value] of Object.entries(typed)) form.set(name, value);
    const address = new URL(action ?? page.url, page.url);
    if (isPost) return this.open(address.href, form, page.url);
    address.search = form.toString();
    return this.open(address.href);
  }
}

/** Connects an account by a link: allows what the app requests, and chooses the offered accounts. */
export async function connectByLink(link: string, account: string): Promise<ShownPage> {
  const browser = new PersonBrowser();
  const invitation = await browser.open(link);
  const consent = await browser.send(invitation);
  const choice = await browser.send(consent, { account });
  return browser.send(choice);
}
