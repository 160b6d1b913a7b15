import { OAuthRefusal } from "../domain/oauth.ts";
import type { Form } from "../operations/oauth/tokens.ts";
import { readBytes } from "./request-body.ts";

/** The fields of a form body. Throws `OAuthRefusal` if the body is not a form or repeats a field, and `body_too_large`. */
export async function readForm(request: Request): Promise<Form> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get("content-type") ?? "")) {
    throw new OAuthRefusal("invalid_request", "The body must be `application/x-www-form-urlencoded`.");
  }
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(await readBytes(request)))) {
    if (form.has(name)) throw new OAuthRefusal("invalid_request", "A parameter is sent more than once.");
    form.set(name, value);
  }
  return form;
}

/** The fields that a page's form sent. A body that is not one of our forms has no fields. */
export async function readFields(request: Request): Promise<(name: string) => string> {
  const form = await readForm(request).catch((error: unknown): Form => {
    if (error instanceof OAuthRefusal) return new Map();
    throw error;
  });
  return (name) => form.get(name) ?? "";
}
