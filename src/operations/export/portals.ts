// The portals of a workspace in its export, and the decisions in them. The tokens in their addresses are stored nowhere.

import type * as z from "zod";
import type { ExportedLine } from "../../contract/export.ts";
import { isoInstant } from "../../domain/instant.ts";
import type { DecisionKey, PortalDecisionRow, PortalRow } from "../../store/posts/portals.ts";
import { storedPortalView } from "../portals/view.ts";

type Line = z.input<typeof ExportedLine>;

export const portalLine = (row: PortalRow): Line => ({ type: "portal", ...storedPortalView(row) });

export const decisionLine = (row: PortalDecisionRow): Line => ({
  type: "portal_decision",
  portal: row.portalId,
  post: row.postId,
  rev: row.rev,
  content_tag: row.contentTag,
  decision: row.decision,
  by: row.by,
  reason: row.reason,
  at: isoInstant(row.decidedAt),
});

/** A decision's place in an export. */
export const writeDecisionKey = ({ portalId, postId, rev }: DecisionKey) => `${portalId}.${postId}.${rev}`;

/** The reverse of `writeDecisionKey`; null: from the first decision. */
export function readDecisionKey(text: string | null): DecisionKey | null {
  if (text === null) return null;
  const [portalId = "", postId = "", rev] = text.split(".");
  return { portalId, postId, rev: Number(rev) };
}
