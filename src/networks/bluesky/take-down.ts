// com.atproto.repo.deleteRecord answers 200 even if the record does not exist (lexicon and packages/pds, read 2026-11-20).
import * as z from "zod";
import type { TakenDown } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext, Published } from "../network.ts";
import { readResult, unknown } from "../shared/http-call.ts";
import { json, onPds } from "./api.ts";
import type { Credential } from "./credential.ts";
import { writeRejection } from "./errors.ts";
import { COLLECTION, parseRecordKey } from "./publish.ts";
import type { PublishKey } from "./rule.ts";

export async function takeDown(
  { id, publishKey }: Published<PublishKey>,
  context: ConnectorContext<Credential>,
): Promise<TakenDown> {
  const remove = (collection: string) => {
    const body = { repo: context.credential.did, collection, rkey: parseRecordKey(id) };
    return onPds(context, "com.atproto.repo.deleteRecord", json(body));
  };
  const answer = await remove(COLLECTION);
  // Without its post, a gate has no effect, so it does not matter whether it could be removed.
  if (publishKey?.step === "ready") for (const { collection } of publishKey.gates ?? []) await remove(collection);
  // A 200 without the server's JSON, or with an error in it, is not the server's answer: it may come from a proxy.
  if (readResult(answer, z.strictObject({ commit: z.unknown() }).partial()) !== undefined) return { is: "taken_down" };
  return writeRejection(answer, context.io.now()) ?? unknown(answer, context.io.now());
}
