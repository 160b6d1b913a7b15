// A Page of the simulator for a test, connected with a token.
import { expect } from "vitest";
import type { LedgerEntry } from "../../simulators/ledger.ts";
import type { Simulators } from "../../simulators/server.ts";
import type { Live, Outcome, ReconcileOutcome } from "../../src/domain/delivery/outcome.ts";
import type { Json } from "../../src/domain/json.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import type { ConnectorContext, Publication } from "../../src/networks/network.ts";
import { type Call, fault, hostFile, ledger, makeIO, png, unique } from "./network-io.ts";
import { simulators } from "./simulators.ts";

export interface TestPage {
  name: string;
  id: string;
  context: ConnectorContext<Json>;
  calls: Call[];
}

/** Connects a new Page. `flaws` are flaws of the simulator's token, such as `~no_read_insights`. */
export async function page(
  simulators: Simulators,
  flaws = "",
  kind: "user" | "page" = "user",
  name = unique("page"),
): Promise<TestPage> {
  const io = makeIO(simulators, "facebook");
  const connected = await facebook.connect({ access_token: `EAA${kind}-${name}${flaws}` }, io);
  if (connected.is !== "connected") throw new Error(JSON.stringify(connected));
  return { name, id: connected.accountId, context: { credential: connected.credential, io }, calls: io.calls };
}

export const account = (flaws?: string) => page(simulators, flaws);
export const photo = (position = 0, alt: string | null = null) => hostFile(simulators, png(position, alt));
/** The network's entries for the Page. */
export const posts = ({ name }: TestPage) => ledger(simulators, name);

/** Scripts the answer to the next call of this name by the Page. */
export const faultCall = (simulators: Simulators, { name }: TestPage, call: string, faultFields: object) =>
  fault(simulators, { platform: "facebook", account: name, call, ...faultFields });

export const graphError = (code: number, subcode?: number, fields: object = {}) => ({
  error: { message: "as the network says it", type: "OAuthException", code, error_subcode: subcode, ...fields },
});

/** Prepares until the post is prepared or rejected, each time from the last saved publish key. Returns every answer. */
export async function prepareAll(post: Publication<Json>, context: ConnectorContext<Json>, savedKeys: Json[] = []) {
  const answers = [];
  for (let round = 0; round < 12; round++) {
    const answer = await facebook.prepare(post, context, savedKeys.at(-1) ?? null, async (publishKey) => {
      savedKeys.push(publishKey);
    });
    answers.push(answer);
    if (answer.is !== "retryable") break;
  }
  return answers;
}

export async function ready(post: Publication<Json>, context: ConnectorContext<Json>): Promise<Json> {
  const last = (await prepareAll(post, context)).at(-1);
  if (last?.is !== "prepared") throw new Error(JSON.stringify(last));
  return last.publishKey;
}

/** Reconciles until the network has finished processing. */
export async function waitUntilProcessed(
  outcome: Outcome | ReconcileOutcome,
  context: ConnectorContext<Json>,
): Promise<Outcome | ReconcileOutcome> {
  let last = outcome;
  for (let i = 0; last.is === "processing" && i < 10; i++) {
    last = (await facebook.reconcile?.(last.publishKey, context)) ?? last;
  }
  return last;
}

/** Publishes a post, and returns the only new entry of the network with its outcome. */
export async function publish(
  simulators: Simulators,
  post: Publication<Json>,
  { name, context }: TestPage,
): Promise<{ entry: LedgerEntry; live: Live; publishKey: Json }> {
  const entriesBefore = (await ledger(simulators, name)).length;
  const publishKey = await ready(post, context);
  const live = await waitUntilProcessed(await facebook.publish(post, publishKey, context), context);
  const entries = await ledger(simulators, name);
  expect(live).toMatchObject({ is: "live", urlState: "none" });
  expect(entries).toHaveLength(entriesBefore + 1);
  const entry = entries.at(-1);
  if (entry === undefined || live.is !== "live") return expect.fail("nothing was published");
  expect(live).toMatchObject({ id: entry.id, url: entry.url });
  return { entry, live, publishKey };
}
