// Answers that break the contract: from a proxy, or from a release that does not match this page.
import type { Answer, CallName } from "../client/client.ts";

/** The service answered, but not in the expected form. */
export class UnexpectedAnswer extends Error {
  override name = "UnexpectedAnswer";
  constructor() {
    super("Crier sent a response that this page cannot read.");
  }
}

/** The fields of answers that pages use without checking that they exist. */
const REQUIRED: { [Name in CallName]?: readonly (keyof Answer<Name> & string)[] } = {
  "accounts.me": ["user", "workspaces"],
  "channels.list": ["channels"],
  "events.list": ["events"],
  "media.list": ["media"],
  "platforms.list": ["platforms"],
  "posts.get": ["deliveries"],
  "posts.list": ["posts"],
};

/** Throws `UnexpectedAnswer` if the answer to a call lacks a field that pages need. */
export function expectShape(name: CallName, body: object | undefined): void {
  const fields: ReadonlyMap<string, unknown> = new Map(Object.entries(body ?? {}));
  for (const field of REQUIRED[name] ?? []) {
    const value = fields.get(field);
    if (typeof value !== "object" || value === null) throw new UnexpectedAnswer();
  }
}
