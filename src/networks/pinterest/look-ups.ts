// The boards of an account and their sections: GET /boards and /boards/{id}/sections, pinterest/api-description 5.23.0,
// read 2026-11-20.
import * as z from "zod";
import type { OptionValue } from "../../domain/option-lookup.ts";
import type { ConnectorContext, LookUps, OptionsOutcome } from "../network.ts";
import { readResult } from "../shared/http-call.ts";
import { call } from "./api.ts";
import { readProblem } from "./errors.ts";
import type { Credential } from "./rule.ts";

/** 250 a page; an account has 2,000 boards at most, and a board 500 sections. */
const PAGE_SIZE = 250;
const PAGES_MAX = 20;

const Items = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string().nullish(),
      is_ads_only: z.boolean().nullish(),
    }),
  ),
  bookmark: z.string().nullish(),
});

async function listAt(path: string, { credential, io }: ConnectorContext<Credential>): Promise<OptionsOutcome> {
  const options: OptionValue[] = [];
  let bookmark: string | null | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = new URLSearchParams({ page_size: String(PAGE_SIZE), ...(bookmark ? { bookmark } : {}) });
    const answer = await call(io, credential.access_token, "GET", `${path}?${query}`);
    const list = readResult(answer, Items);
    if (list === undefined) return readProblem(answer, io.now());
    for (const { id: value, name: label, description, is_ads_only } of list.items) {
      const disabledReason = is_ads_only === true ? "The board accepts advertisements only." : null;
      options.push({ value, label, description: description || null, disabledReason });
    }
    bookmark = list.bookmark;
    if (!bookmark) break;
  }
  return { is: "options", options };
}

export const lookUps: LookUps<Credential> = {
  board: { list: (_values, context) => listAt("/boards", context) },
  board_section: {
    needs: ["board"],
    list: ({ board = "" }, context) => listAt(`/boards/${encodeURIComponent(board)}/sections`, context),
  },
};
