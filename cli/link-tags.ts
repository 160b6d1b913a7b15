// The parameters that a post adds to its links, as typed: --link-tag utm_campaign=spring, or --plain-links.
import type { Body, Client } from "./api/client.ts";
import type { Arguments } from "./command.ts";
import { usage } from "./failure.ts";

export const LINK_FLAGS = {
  "link-tag": {
    type: "string",
    value: "NAME=VALUE",
    multiple: true,
    description: "Parameter to add to links, instead of the workspace's: utm_source={network}.",
  },
  "plain-links": { type: "boolean", description: "Leave links as they are, even if the workspace adds parameters." },
} as const;

/** Undefined: the workspace's own parameters. */
export function readLinkTags(args: Arguments<keyof typeof LINK_FLAGS>): Body<"posts.create">["link_tags"] {
  const typed = args.getAll("link-tag");
  if (args.has("plain-links")) {
    if (typed.length > 0) throw usage("--link-tag and --plain-links cannot be used together.");
    return null;
  }
  if (typed.length === 0) return undefined;
  const parameters = typed.map((parameter) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(parameter) ?? [];
    if (name === undefined || value === undefined)
      throw usage(`--link-tag '${parameter}' has no value.`, "for example utm_campaign=spring");
    return [name, value] as const;
  });
  return { parameters: Object.fromEntries(parameters) };
}

/** The workspace's own parameters. */
export const getLinkTags = async (client: Client): Promise<Body<"posts.create">["link_tags"]> =>
  (await client.call("workspaces.current")).body.link_tags;
