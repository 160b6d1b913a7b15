// Builds a condition for the writes of a call: the rights that allowed the call must still exist. A right may end during a
// call, because the call may wait for another server before it writes.
import { type SQL, sql } from "drizzle-orm";
import type { Role } from "../../domain/roles.ts";
import { type In, NOW } from "../db/db.ts";
import { members, namedKeys, oauthGrants, sessions, workspaceKeys, workspaces } from "../db/schema.ts";
import { isAccountKeyGood } from "./account-keys.ts";

/** Rights in a workspace. `roles`: the roles that allow the call. */
export type WorkspaceRights = { workspaceId: string } & (
  | { kind: "key"; keyId: string }
  | { kind: "account_key"; keyId: string }
  | { kind: "session"; tokenHash: string; roles: readonly Role[] }
  | { kind: "grant"; grantId: string; userId: string; roles: readonly Role[] }
  /**
   * The rights of a member who made a link at `since`. The link lets other people act for the member. It has ended if the
   * workspace was emptied after `since`.
   */
  | { kind: "member"; userId: string; roles: readonly Role[]; since: number }
);

/** The rights that allowed a call: in a workspace, or for a person's own account. */
export type Rights = { kind: "account"; tokenHash: string } | WorkspaceRights;

/** True, in the accounts database, as long as the rights have not ended. */
export const unlessEnded = (rights: Rights): SQL => sql`NOT ${haveEnded(rights)}`;

function haveEnded(rights: Rights): SQL {
  if (rights.kind === "account") {
    return sql`(NOT EXISTS (SELECT 1 FROM ${sessions} WHERE ${sessions.tokenHash} = ${rights.tokenHash}
      AND ${sessions.expiresAt} > ${NOW}))`;
  }
  const { workspaceId } = rights;
  if (rights.kind === "key") {
    const { keyId } = rights;
    return sql`(EXISTS (SELECT 1 FROM ${workspaceKeys} WHERE ${workspaceKeys.workspaceId} = ${workspaceId}
        AND ${workspaceKeys.id} = ${keyId} AND ${workspaceKeys.revokedAt} IS NOT NULL)
      OR EXISTS (SELECT 1 FROM ${namedKeys} WHERE ${namedKeys.workspaceId} = ${workspaceId} AND ${namedKeys.id} = ${keyId}
        AND (${namedKeys.revokedAt} IS NOT NULL OR ${namedKeys.expiresAt} <= ${NOW})))`;
  }
  if (rights.kind === "account_key") return sql`(NOT ${isAccountKeyGood(workspaceId, rights.keyId)})`;
  const isMember = (
    userId: In<string>,
  ) => sql`EXISTS (SELECT 1 FROM ${members} WHERE ${members.workspaceId} = ${workspaceId}
    AND ${members.userId} = ${userId}
    AND ${members.role} IN (SELECT value FROM json_each(${JSON.stringify(rights.roles)})))`;
  if (rights.kind === "session") {
    return sql`(NOT EXISTS (SELECT 1 FROM ${sessions} WHERE ${sessions.tokenHash} = ${rights.tokenHash}
      AND ${sessions.expiresAt} > ${NOW} AND ${isMember(sessions.userId)}))`;
  }
  if (rights.kind === "member") {
    return sql`(NOT ${isMember(rights.userId)} OR EXISTS (SELECT 1 FROM ${workspaces}
      WHERE ${workspaces.id} = ${workspaceId} AND ${workspaces.emptiedAt} >= ${rights.since}))`;
  }
  return sql`(NOT EXISTS (SELECT 1 FROM ${oauthGrants} WHERE ${oauthGrants.workspaceId} = ${workspaceId}
    AND ${oauthGrants.id} = ${rights.grantId} AND ${oauthGrants.expiresAt} > ${NOW} AND ${isMember(rights.userId)}))`;
}
