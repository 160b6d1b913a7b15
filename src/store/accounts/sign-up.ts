// Who may make an account, as a condition of the statements that make it.
import { type SQL, sql } from "drizzle-orm";
import { type Database, NOW } from "../db/db.ts";
import { invitations, users } from "../db/schema.ts";

/** What somebody shows who wants an account. */
export interface SignUpClaim {
  email: string;
  /** Of the token of an invitation's link; null: none was shown. */
  invitationHash: string | null;
  /** Whether somebody else has verified that the address is theirs: then an invitation of the address is enough. */
  isAddressVerified: boolean;
}

/** The first account is the operator's; whoever comes later is invited. */
function mayBeginByInvitation({ email, invitationHash, isAddressVerified }: SignUpClaim): SQL {
  const isShown = isAddressVerified ? sql`TRUE` : sql`${invitations.tokenHash} = ${invitationHash}`;
  return sql`(NOT EXISTS (SELECT 1 FROM ${users}) OR EXISTS (SELECT 1 FROM ${invitations}
    WHERE ${invitations.email} = ${email} AND ${invitations.expiresAt} > ${NOW} AND ${isShown}))`;
}

/** The condition under which an account is made. */
export const maySignUp = (mode: "open" | "invite", claim: SignUpClaim): SQL =>
  mode === "open" ? sql`TRUE` : mayBeginByInvitation(claim);

/** The condition of what belongs to a user who is made by the same batch. */
export const isMade = (userId: string): SQL => sql`EXISTS (SELECT 1 FROM ${users} WHERE ${users.id} = ${userId})`;

/** Whether a condition holds now. */
export async function holds(db: Database, condition: SQL): Promise<boolean> {
  const [row] = await db.all<{ holds: number }>(sql`SELECT ${condition} AS holds`);
  return row?.holds === 1;
}

/** Whether anybody has an account. */
export const hasUsers = (db: Database): Promise<boolean> => holds(db, sql`EXISTS (SELECT 1 FROM ${users})`);
