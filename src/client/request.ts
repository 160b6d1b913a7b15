// The request of a call. It is built once, before the first try: a request that cannot be sent is an error of its caller, and
// no retry helps. Its errors never contain the key, the address or a header, because programs log them.
import { CrierError } from "./errors.ts";
import { ROUTES } from "./routes.ts";

export interface CallOptions {
  /** Makes a retry safe. If a call accepts a key and you give no key, the client generates one. */
  idempotencyKey?: string;
  /** Change only this revision of a post (`If-Match`). */
  rev?: number | string;
  /** Aborts this call, in place of the client's own signal. */
  signal?: AbortSignal;
}

/** The input of any call. */
export interface Loose extends CallOptions {
  params?: Record<string, string | undefined>;
  query?: object;
  body?: unknown;
}

/** The sender of a request: where it goes, and with which credential. */
export interface Sender {
  url: string;
  key: string | null;
  workspace?: string;
  userAgent?: string;
}

export interface PreparedRequest {
  address: URL;
  init: { method: string; headers: Record<string, string>; body: string | undefined };
}

/** The request of an operation. Throws `CrierError` if it cannot be sent. */
export function prepareRequest(
  sender: Sender,
  name: keyof typeof ROUTES,
  { params = {}, query = {}, body, idempotencyKey, rev }: Loose,
): PreparedRequest {
  const [method = "GET", path = ""] = ROUTES[name].split(" ");
  const segments = path.replace(/:(\w+)/g, (_, field) => toPathSegment(field, params[field] ?? ""));
  const address = new URL(toBaseUrl(sender.url) + segments);
  for (const [field, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(field, String(value));
  }
  // A file is sent unchanged.
  const file = isFile(name, body) ? body : { type: "application/json", text: toJson(body) };
  const values: Record<string, string | undefined> = {
    "user-agent": sender.userAgent,
    authorization: sender.key === null ? undefined : `Bearer ${sender.key.trim()}`,
    "x-workspace": sender.workspace,
    "content-type": body === undefined ? undefined : file.type,
    "idempotency-key": idempotencyKey,
    "if-match": rev === undefined ? undefined : `"${toRevision(rev)}"`,
  };
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(values)) {
    if (value !== undefined) headers[header] = toHeaderValue(header, value);
  }
  return { address, init: { method, headers, body: body === undefined ? undefined : file.text } };
}

/** The address without trailing slashes and spaces. A password is rejected, because fetch would repeat it in its message. */
function toBaseUrl(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : null;
  const isPlain = address !== null && /^https?:$/.test(address.protocol) && !/[?#]/.test(url);
  if (!isPlain) throw new CrierError("The url of the client must be an http or https address without a query.");
  if (address.username !== "" || address.password !== "") {
    throw new CrierError("The url of the client must not contain a user name or password.");
  }
  return address.origin + address.pathname.replace(/\/+$/, "");
}

/** A path parameter. Throws if it would lead to another path: URLs resolve `..`, however it is encoded. */
function toPathSegment(field: string, value: string): string {
  if (["", ".", ".."].includes(value)) throw new CrierError(`"${value}" cannot be the ${field} of a call.`);
  try {
    return encodeURIComponent(value);
  } catch {
    throw new CrierError(`The ${field} of the call has half a character.`);
  }
}

/** A header's value. Platforms reject other characters with a message that repeats the value, even if it is the key. */
function toHeaderValue(header: string, value: string): string {
  if (!/^[\x20-\x7e]*$/.test(value)) throw new CrierError(`${header} has a character that a header cannot have.`);
  return value;
}

/** A revision. With a quotation mark it would be a list of several revisions. */
function toRevision(rev: number | string): string {
  if (/["\\]/.test(String(rev))) throw new CrierError("if-match has a character that a revision cannot have.");
  return String(rev);
}

function toJson(body: unknown): string | undefined {
  try {
    return JSON.stringify(body);
  } catch {
    throw new CrierError("The body of the call cannot be written as JSON.");
  }
}

/** Whether a call's body is a file with its type. */
const isFile = (name: keyof typeof ROUTES, _body: unknown): _body is { type: string; text: string } =>
  name === "posts.import" && _body !== undefined;
