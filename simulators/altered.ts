// A network that shows a post differently from what was sent: with another text, or with one file fewer.

/** Response members that contain a text, and lists that contain files. */
const TEXTS = new Set(["text", "caption", "message", "commentary", "description", "video_description"]);
const FILES = new Set(["images", "items", "children", "media_keys", "subattachments"]);

export type Alteration = "alter_text" | "drop_file";

/** A success as the network would return it for an altered post. Any other response stays unchanged. */
export async function altered(response: Response, alteration: Alteration): Promise<Response> {
  if (!response.ok || !response.headers.get("content-type")?.includes("json")) return response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return Response.json(walk(await response.json(), alteration), { status: response.status, headers });
}

function walk(value: unknown, alteration: Alteration): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, alteration));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(name, member, alteration)]));
}

function change(name: string, member: unknown, alteration: Alteration): unknown {
  if (alteration === "alter_text" && TEXTS.has(name) && typeof member === "string") return `Altered: ${member}`;
  if (alteration === "drop_file" && FILES.has(name)) {
    if (Array.isArray(member)) return member.slice(0, -1);
    const data: unknown = Object(member).data;
    if (Array.isArray(data)) return { ...Object(member), data: data.slice(0, -1) };
  }
  // A Telegram album is the list of its messages.
  if (alteration === "drop_file" && name === "result" && Array.isArray(member)) return member.slice(0, -1);
  return walk(member, alteration);
}
