// Does the work that an option asks for under a live post. Its intent is written before its call, which is made once. If the
// answer is lost, the result is looked for where the network shows it.
import { errorText, log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { unavailable } from "../delivery/publication.ts";
import { sealPublishKey, unsealFor } from "../delivery/publish-key.ts";
import { decideOptionWork } from "../domain/delivery/follow-up.ts";
import type { OptionKind } from "../domain/delivery/follow-up-moves.ts";
import {
  type Added,
  askedWait,
  type Commented,
  type NotFound,
  notFound,
  type Unknown,
} from "../domain/delivery/outcome.ts";
import type { Json } from "../domain/json.ts";
import { MediaUnavailable } from "../networks/media-file.ts";
import type { ConnectorContext, Network, Published } from "../networks/network.ts";
import {
  type FollowUpRow,
  type StoredWork,
  saveFollowUpKey,
  writeFollowUpIntent,
} from "../store/deliveries/follow-up-rows.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";
import { withFreshToken } from "./fresh-token.ts";
import { recordOutcome } from "./record.ts";
import { findCalls, type WorkCalls } from "./work-calls.ts";

interface ConnectedFollowUp extends FollowUp {
  tools: DeliveryTools;
  network: Network;
  context: ConnectorContext<Json>;
}

/** The answer to a piece of work, and the work as it is stored at that time. */
interface Attempt {
  answer: Added | Commented | NotFound;
  stored: StoredWork;
}

/** Does the next piece of work of a live post, or reconciles it. */
export async function doOptionWork(
  followUp: ConnectedFollowUp,
  post: Published<Json>,
  kind: OptionKind,
  work: FollowUpRow,
): Promise<{
  /** Until when the network asked to wait (epoch milliseconds). */
  notBefore?: number | undefined;
  /** Whether another step is due for the post now. */
  isMoreDue: boolean;
}> {
  const attempt = await attemptWork(followUp, post, kind, work);
  if (attempt === null) return { isMoreDue: false };
  const { answer, stored } = attempt;
  const outcome = decideOptionWork(answer, { kind, tries: work.tries }, followUp.now);
  const isMoreDue = await recordOutcome(followUp.tools.ctx, followUp, stored, outcome);
  return { notBefore: askedWait(answer), isMoreDue };
}

/** Returns null if another session has taken over the work. */
async function attemptWork(
  followUp: ConnectedFollowUp,
  published: Published<Json>,
  kind: OptionKind,
  { state, tries, publishKey }: FollowUpRow,
): Promise<Attempt | null> {
  const read: StoredWork = { kind, state, tries };
  const calls = findCalls(followUp, published, kind);
  if (calls === null) {
    return { answer: { is: "rejected", error: "content_refused", detail: "there is none" }, stored: read };
  }
  const { tools, delivery, context } = followUp;
  const unsealed = await unsealFor(tools.ctx, delivery, publishKey);
  const preparedKey = unsealed === "unreadable" ? null : unsealed.publishKey;
  if (state === "sending") {
    return { answer: await reconcileCall(followUp, calls, { lost: BROKE_OFF, preparedKey, context }), stored: read };
  }
  const prepared = await prepare(followUp, calls, { kind, publishKey }, preparedKey);
  if (prepared === null) return null;
  if (prepared.is !== "prepared") return { answer: prepared, stored: read };
  return makeCall(followUp, calls, { kind, tries }, prepared.publishKey);
}

/** Prepares the call, which is harmless. Returns null if another session has stored what it prepared. */
async function prepare(
  { tools, delivery, context }: ConnectedFollowUp,
  calls: WorkCalls,
  { kind, publishKey }: { kind: OptionKind; publishKey: string | null },
  preparedKey: Json | null,
) {
  if (calls.prepare === undefined) return { is: "prepared", publishKey: preparedKey } as const;
  const { ctx } = tools;
  const db = ctx.databaseOf(delivery.workspaceId);
  let stored = publishKey;
  let isOvertaken = false;
  const prepared = await calls.prepare(context, preparedKey, async (next) => {
    const sealed = await sealPublishKey(ctx, delivery, next);
    if (await saveFollowUpKey(db, delivery, { kind, stored, publishKey: sealed })) stored = sealed;
    else isOvertaken = true;
  });
  return isOvertaken && prepared.is === "prepared" ? null : prepared;
}

/** Makes the one call, after its intent. Returns null if another session has begun it. */
async function makeCall(
  followUp: ConnectedFollowUp,
  calls: WorkCalls,
  { kind, tries }: { kind: OptionKind; tries: number },
  preparedKey: Json | null,
): Promise<Attempt | null> {
  const { tools, network, channel, context, delivery } = followUp;
  if (!(await writeFollowUpIntent(tools.ctx.databaseOf(delivery.workspaceId), delivery, kind))) return null;
  // Another process may have looked for the result meanwhile, and knows no more than the answer itself.
  const answered: StoredWork = { kind, state: "sending", tries: null };
  const lost: StoredWork = { kind, state: "sending", tries };
  try {
    const { answer, context: current } = await withFreshToken<Added | Commented>(
      tools,
      network,
      channel,
      context,
      (freshContext) => calls.make(freshContext, preparedKey),
    );
    if (answer.is !== "unknown") return { answer, stored: answered };
    return {
      answer: await reconcileCall(followUp, calls, { lost: answer, preparedKey, context: current }),
      stored: lost,
    };
  } catch (error) {
    if (error instanceof MediaUnavailable) return { answer: unavailable(error), stored: answered };
    log("error", "follow_up_call_failed", { platform: delivery.platform, error: errorText(error) });
    return { answer: await reconcileCall(followUp, calls, { lost: BROKE_OFF, preparedKey, context }), stored: lost };
  }
}

/** Looks for the result of a call without an answer. `lost` is the answer if nothing more can be found out. */
async function reconcileCall(
  { tools, network, channel, delivery }: ConnectedFollowUp,
  { reconcile, endsSearch }: WorkCalls,
  { lost, preparedKey, context }: { lost: Unknown; preparedKey: Json | null; context: ConnectorContext<Json> },
): Promise<Added | Commented | NotFound> {
  if (reconcile === undefined) return lost;
  if (lost.notBefore !== undefined) return notFound(lost, lost.notBefore);
  try {
    const { answer } = await withFreshToken<Added | Commented | NotFound>(
      tools,
      network,
      channel,
      context,
      (freshContext) => reconcile(freshContext, preparedKey),
    );
    if (answer.is === "added" || answer.is === "commented") return answer;
    return endsSearch(answer) ? lost : notFound(lost, askedWait(answer));
  } catch (error) {
    log("error", "follow_up_look_failed", { platform: delivery.platform, error: errorText(error) });
    return notFound(lost);
  }
}

const BROKE_OFF: Unknown = { is: "unknown", detail: "the call broke off" };
