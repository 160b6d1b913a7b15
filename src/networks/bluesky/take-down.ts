// com.atproto.repo.deleteRecord answers 200 even if the record does not exist (lexicon and packages/pds, read 2026-11-20).
import * as z from "zod";
import type { TakenDown } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../network.ts";
import { readResult, unknown } from "../shared/http-call.ts";
import { json, onPds } from "./api.ts";
import { writeRejection } from "./errors.ts";
import { COLLECTION, parseRecordKey } from "./publish.ts";
import type { Credential } from "./rule.ts";

export async function takeDown({ id }: { id: string }, context: ConnectorContext<Credential>): Promise<TakenDown> {
  const body = { repo: context.credential.did, collection: COLLECTION, rkey: parseRecordKey(id) };
  const answer = await onPds(context, "com.atproto.repo.deleteRecord", json(body));
  // A 200 without the server's JSON, or with an error in it, is not the server's answer: it may come from a proxy.
  if (readResult(answer, z.strictObject({ commit: z.unknown() }).partial()) !== undefined) return { is: "taken_down" };
  return writeRejection(answer, context.io.now()) ?? unknown(answer, context.io.now());
}
