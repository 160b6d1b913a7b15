// Announces that an account has a new owner: a person has verified its address without having a session of the account.
import type { Context } from "../../context.ts";
import { getConnectionName } from "../../domain/ids.ts";
import { letter } from "../../domain/letter.ts";

/** Closes the MCP connections of the revoked keys and notifies the account's owner by mail. */
export function announceEmptied(ctx: Context, to: string, revokedKeys: string[]): void {
  if (revokedKeys.length > 0) ctx.later(ctx.mcp.end(revokedKeys.map((keyId) => getConnectionName({ keyId }))));
  if (ctx.mail === null) return;
  const text =
    "You have confirmed that this email address is yours. An account with this address already existed, but its address had never been confirmed. The account is now " +
    "yours alone: its password, sessions, workspace keys, members, invitations, webhooks, channels, connect links, review " +
    "links and connected applications were removed, and so was any requested change of its address. Posts " +
    "that were scheduled or waiting for approval are now drafts, and the settings for approval, time zone and notifications " +
    "are those of a new workspace. Reconnect your channels, create a new workspace key, and delete any drafts that are not yours.";
  ctx.later(ctx.mail.send(letter(to, "Your Crier account is now yours alone", [text])));
}
