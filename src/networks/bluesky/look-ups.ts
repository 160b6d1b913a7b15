// Accounts to mention in a text: app.bsky.actor.searchActorsTypeahead of Bluesky's public service, which needs no sign-in
// (atproto lexicons/app/bsky/actor/searchActorsTypeahead.json, read 2026-11-27).
import * as z from "zod";
import type { LookUps } from "../network.ts";
import { readResult } from "../shared/http-call.ts";
import { APPVIEW, onHost } from "./api.ts";
import type { Credential } from "./credential.ts";
import { harmless } from "./errors.ts";

const Actors = z.object({
  actors: z.array(z.object({ handle: z.string().min(1), displayName: z.string().optional().catch(undefined) })),
});
/** A list for a person who is typing. */
const ACTORS_MAX = "10";
/** Stands for a handle that does not lead back to its account, and mentions nobody: atproto.com/specs/handle, read 2026-11-27. */
const INVALID = "handle.invalid";

export const lookUps: LookUps<Credential> = {
  mention: {
    searches: true,
    async list({ q }, { io }) {
      if (q === undefined) return { is: "options", options: [] };
      const query = new URLSearchParams({ q: q.replace(/^@/, ""), limit: ACTORS_MAX });
      const answer = await onHost(io, APPVIEW, `/xrpc/app.bsky.actor.searchActorsTypeahead?${query}`);
      const actors = readResult(answer, Actors)?.actors;
      if (actors === undefined) return harmless(answer, io.now());
      const options = actors
        .filter(({ handle }) => handle !== INVALID)
        .map(({ handle, displayName = "" }) => ({
          value: `@${handle}`,
          label: displayName.trim() === "" ? handle : displayName,
          description: `@${handle}`,
          disabledReason: null,
        }));
      return { is: "options", options };
    },
  },
};
