// Checks which networks the deployment has an app for, and how long the API versions in use are supported.
import { findVersionEnd } from "../../src/domain/api-version.ts";
import type { Client } from "../api/client.ts";
import { count } from "../output/format.ts";
import type { Tell } from "./finding.ts";

export async function networks(client: Client, tell: Tell): Promise<void> {
  const { body } = await client.call("platforms.list");
  const without = body.platforms.filter(({ publishes }) => publishes === "not_configured");
  const ready = body.platforms.length - without.length;
  if (ready > 0) tell("networks", "ok", `Posts can be published to ${count(ready, "network")}.`);
  const versions = body.platforms.flatMap(({ platform, publishes, api }) => {
    if (publishes === "not_configured" || !api?.version) return [];
    const facts = [api.supported_until && `until ${api.supported_until}`, api.setting].filter(Boolean).join(", ");
    return [`${platform} ${api.version}${facts === "" ? "" : ` (${facts})`}`];
  });
  if (versions.length > 0) tell("versions", "ok", `API versions in use: ${versions.join(", ")}.`);
  for (const { platform, publishes, api } of body.platforms) {
    // The previous release does not send this field.
    const ending = api && findVersionEnd(api, client.now());
    if (publishes === "not_configured" || !ending) continue;
    const { end, hasEnded } = ending;
    const ends = hasEnded
      ? `was retired on ${end}: ${platform} may reject every call`
      : `will be retired on ${end}: ${platform} may then reject every call`;
    const another = api.setting ? `to set ${api.setting} to another version` : "to set another version";
    const hint = `ask the operator to install a newer release or ${another}: see docs/networks.md, "Versions of their APIs"`;
    tell(
      "networks",
      "warning",
      `Version ${api.version} of the ${platform} API, which this deployment uses, ${ends}.`,
      hint,
    );
  }
  for (const { platform, access } of without) {
    // The previous release does not send this field.
    const kind = access?.app?.kind;
    const name = platform.toUpperCase();
    tell(
      "networks",
      "warning",
      `${platform}: this deployment has no app on this network.`,
      `ask the operator to set ${name}_CLIENT_ID and ${name}_CLIENT_SECRET${kind === undefined ? "" : ` of: ${kind}`}`,
    );
  }
}
