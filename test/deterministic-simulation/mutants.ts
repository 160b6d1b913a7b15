// Planted bugs, which show what the simulation can see. Each one replaces exports of the real code (planting.ts) and must be
// caught within 200 schedules.

import { OF_ADDITIONS } from "./mutants/additions.ts";
import { AFTERWARDS } from "./mutants/afterwards.ts";
import { OF_DOMAIN } from "./mutants/domain.ts";
import { OF_DRAFTS } from "./mutants/drafts.ts";
import { OF_ENDPOINTS } from "./mutants/endpoints.ts";
import { OF_LATER } from "./mutants/later.ts";
import { OF_MONTHS } from "./mutants/months.ts";
import type { Mutants } from "./mutants/mutant.ts";
import { OF_PUBLISHER } from "./mutants/publisher.ts";
import { OF_READERS } from "./mutants/readers.ts";
import { OF_RESTORES } from "./mutants/restores.ts";
import { OF_RETENTION } from "./mutants/retention.ts";
import { OF_SERIES } from "./mutants/series.ts";
import { OF_SLOTS } from "./mutants/slots.ts";
import { OF_STORE } from "./mutants/store.ts";
import { OF_THREADS } from "./mutants/threads.ts";
import { OF_VERSIONS } from "./mutants/versions.ts";

export const MUTANTS: Mutants = {
  ...OF_DOMAIN,
  ...OF_STORE,
  ...OF_RESTORES,
  ...OF_READERS,
  ...OF_RETENTION,
  ...OF_SLOTS,
  ...OF_MONTHS,
  ...OF_DRAFTS,
  ...OF_VERSIONS,
  ...OF_ENDPOINTS,
  ...OF_PUBLISHER,
  ...OF_THREADS,
  ...AFTERWARDS,
  ...OF_ADDITIONS,
  ...OF_LATER,
  ...OF_SERIES,
};
/** The schedules within which each bug must be caught. */
export const WITHIN = 200;
