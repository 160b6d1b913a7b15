// The categories of videos: videoCategories.list, 1 unit, discovery revision 20260427. They differ a little by country, and
// nothing says which one a channel is in.
import * as z from "zod";
import type { LookUps } from "../network.ts";
import { resultOf } from "../shared/http-call.ts";
import { API, call } from "./api.ts";
import { harmless } from "./errors.ts";
import type { Credential } from "./rule.ts";

const Categories = z.object({
  items: z.array(
    z.object({ id: z.string(), snippet: z.object({ title: z.string(), assignable: z.boolean().default(true) }) }),
  ),
});

export const lookUps: LookUps<Credential> = {
  category_id: {
    async list(_values, context) {
      const answer = await call(context, `${API}/videoCategories?part=snippet&regionCode=US&hl=en`);
      const found = resultOf(answer, Categories);
      if (found === undefined) return harmless(answer, context.io.now());
      const options = found.items.map(({ id: value, snippet: { title: label, assignable } }) => ({
        value,
        label,
        description: null,
        disabledReason: assignable ? null : "No video can be put into it.",
      }));
      return { is: "options", options };
    },
  },
};
