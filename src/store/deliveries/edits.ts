// Edits of live texts, on request of a caller. The network is called later, by a follow-up of the delivery.
import { and, eq, not, type SQL, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import type { RequestedEdit } from "../../domain/delivery/edit.ts";
import { FOLLOW_UP_MOVES } from "../../domain/delivery/follow-up-moves.ts";
import type { EventRecord } from "../../domain/event-body.ts";
import { recordWorkspaceAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { deliveries, followUps, idempotencyKeys } from "../db/schema.ts";
import { endpointsToNotify } from "../webhooks/messages.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { dueAfter, isTakedownDue, isWork, mayFollowUpMove, type StoredWork } from "./follow-up-rows.ts";
import { noteStatements } from "./notes.ts";

/** The use of an idempotency key by an edit. */
export interface EditKey {
  key: string;
  fingerprint: string;
  /** Epoch milliseconds. */
  createdAt: number;
}

/** True of a live delivery that nobody takes down. */
const mayBeEdited = (key: DeliveryKey) => and(isDelivery(key), eq(deliveries.state, "live"), not(isTakedownDue));

/**
 * Requests the edit of a live text, unless another edit is due. Returns whether this call requested it. Fails on
 * `idempotency_keys.workspace_id` if the key was used in the meantime.
 */
export async function askForEdit(
  db: Database,
  key: DeliveryKey,
  { edit, entry, idempotency }: { edit: RequestedEdit; entry: AuditEntry; idempotency: EditKey | null },
): Promise<boolean> {
  const { to } = FOLLOW_UP_MOVES.edited_again;
  const isRequested = sql`EXISTS (SELECT 1 FROM ${followUps} WHERE ${isWork(key, "edit")} AND ${followUps.state} = ${to}
    AND ${followUps.edit} = ${JSON.stringify(edit)})`;
  const { rows } = await batch(db, {
    rows: insertFrom(
      db,
      followUps,
      { ...key, kind: "edit", state: to, edit },
      sql`FROM ${deliveries} WHERE ${mayBeEdited(key)}`,
    )
      .onConflictDoUpdate({
        target: [followUps.workspaceId, followUps.postId, followUps.channelId, followUps.kind],
        set: { state: to, tries: 0, edit, detail: null, networkMessage: null },
        setWhere: sql`${mayFollowUpMove("edited_again")} OR ${mayFollowUpMove("asked_again")}`,
      })
      .returning({ kind: followUps.kind }),
    recorded: recordWorkspaceAct(db, entry),
    dueNow: db
      .update(deliveries)
      .set({ checkAt: NOW })
      .where(and(mayBeEdited(key), isRequested)),
    used:
      idempotency === null
        ? []
        : [
            insertFrom(
              db,
              idempotencyKeys,
              { workspaceId: key.workspaceId, postId: key.postId, ...idempotency },
              sql`WHERE ${isRequested}`,
            ),
          ],
  });
  return rows.length === 1;
}

/** An edit that the network confirmed. */
export interface ConfirmedEdit {
  text: string;
  /** How many edits were confirmed so far, this one included. */
  count: number;
  /** Sealed; undefined: it stays. */
  publishKey: string | undefined;
  event: EventRecord;
  /** When the delivery is due again, in epoch milliseconds; null: never. */
  dueAt: number | null;
}

/**
 * Records a confirmed edit, unless the work has changed since `stored` was read. The post is compared once more with what it
 * should be. Returns the endpoints to notify.
 */
export async function recordEdited(
  db: Database,
  key: DeliveryKey,
  { state, tries }: Pick<StoredWork, "state" | "tries">,
  { text, count, publishKey, event, dueAt }: ConfirmedEdit,
): Promise<string[]> {
  const asRead = and(
    isWork(key, "edit"),
    eq(followUps.state, state),
    tries === null ? undefined : eq(followUps.tries, tries),
  );
  const isOpen: SQL = sql`${deliveries.state} = 'live' AND EXISTS (SELECT 1 FROM ${followUps} WHERE ${asRead})`;
  const edit = sql`json_object('text', ${text}, 'at', ${NOW}, 'count', ${count})`;
  const { messages } = await batch(db, {
    ...noteStatements(db, key, event, count, isOpen),
    delivery: db
      .update(deliveries)
      .set({
        networkPost: sql`json_remove(json_set(${deliveries.networkPost}, '$.edit', ${edit}), '$.readback')`,
        checkAt: dueAfter("edit", dueAt),
        ...(publishKey === undefined ? {} : { publishKey }),
      })
      .where(and(isDelivery(key), isOpen)),
    work: db
      .update(followUps)
      .set({ state: FOLLOW_UP_MOVES.edited.to, detail: null, networkMessage: null })
      .where(asRead),
  });
  return endpointsToNotify(messages);
}
