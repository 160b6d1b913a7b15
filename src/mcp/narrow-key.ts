// Adapts the MCP server to a limited key: offers only the tools that the key may use, and names its limits in the
// instructions.
import { SCOPES, type Scope } from "../domain/roles.ts";
import { mayDo, type WorkspaceCaller } from "../operations/caller.ts";
import { INSTRUCTIONS } from "./guidance.ts";
import type { Tool } from "./tool.ts";
import { tools } from "./tools.ts";

/**
 * A user's role can change while their application is connected, so the application sees every tool and gets a refusal where
 * the role is too low.
 */
export function toolsFor(caller: WorkspaceCaller): readonly Tool[] {
  if (caller.kind !== "key") return tools();
  return tools().filter(
    ({ abilities }) => abilities.length === 0 || abilities.some((ability) => mayDo(caller, ability)),
  );
}

/** For each scope: the actions that a key without it cannot take, and the alternative. */
const WITHOUT: Record<Scope, string> = {
  read: "It cannot read posts, channels, files, events or figures: ask the user for the ids that you need.",
  draft: "It cannot write drafts.",
  publish:
    "It cannot publish or schedule posts, or change scheduled ones. If the workspace uses approval, `queue_post` requests it: the post is " +
    "`awaiting_approval`, and nothing is sent until it is approved. If that is refused with `scope_missing`, save it " +
    "with `draft_post`. Either way, show it to the user, give them its id, and ask them to publish it: only they can.",
  manage: "It cannot delete files, or manage channels, slots and webhooks.",
};

export function instructionsFor(caller: WorkspaceCaller): string {
  if (caller.kind !== "key") return INSTRUCTIONS;
  const missing = SCOPES.filter((scope) => !caller.scopes.includes(scope));
  const limits = [
    ...missing.map((scope) =>
      scope === "publish" && missing.includes("draft") ? "It cannot publish anything." : WITHOUT[scope],
    ),
    ...(caller.channels === null ? [] : ["It is limited to some channels and cannot use any others."]),
  ];
  if (limits.length === 0) return INSTRUCTIONS;
  const scopes = caller.scopes.map((scope) => `\`${scope}\``).join(", ");
  return `The key of this connection is limited to ${scopes}; this overrides the text below. ${limits.join(" ")}

${INSTRUCTIONS}`;
}
