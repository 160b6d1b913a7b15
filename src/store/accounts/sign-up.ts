// The conditions for creating an account, for use in the statements that create it.
import { type SQL, sql } from "drizzle-orm";
import { type Database, NOW } from "../db/db.ts";
import { invitations, users } from "../db/schema.ts";

/** The request of a person who wants an account. */
export interface SignUpRequest {
  email: string;
  /** The hash of the token in an invitation's link; null: no link was used. */
  invitationHash: string | null;
  /** Whether an identity provider has verified the address. If so, an invitation for the address is enough, without its token. */
  isAddressVerified: boolean;
}

/** The first account is the operator's. Every later account needs an invitation. */
function mayBeginByInvitation({ email, invitationHash, isAddressVerified }: SignUpRequest): SQL {
  const isShown = isAddressVerified ? sql`TRUE` : sql`${invitations.tokenHash} = ${invitationHash}`;
  return sql`(NOT EXISTS (SELECT 1 FROM ${users}) OR EXISTS (SELECT 1 FROM ${invitations}
    WHERE ${invitations.email} = ${email} AND ${invitations.expiresAt} > ${NOW} AND ${isShown}))`;
}

/** The condition for creating an account. */
export const maySignUp = (mode: "open" | "invite", request: SignUpRequest): SQL =>
  mode === "open" ? sql`TRUE` : mayBeginByInvitation(request);

/** The condition for rows of a user who is created in the same batch. */
export const isMade = (userId: string): SQL => sql`EXISTS (SELECT 1 FROM ${users} WHERE ${users.id} = ${userId})`;

/** Whether a condition holds now. */
export async function holds(db: Database, condition: SQL): Promise<boolean> {
  const [row] = await db.all<{ holds: number }>(sql`SELECT ${condition} AS holds`);
  return row?.holds === 1;
}

/** Whether any account exists. */
export const hasUsers = (db: Database): Promise<boolean> => holds(db, sql`EXISTS (SELECT 1 FROM ${users})`);
