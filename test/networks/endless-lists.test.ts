// Networks whose lists never end: connecting an account or choosing a board must not take forever.
import { describe, expect, it } from "vitest";
import { facebook } from "../../src/networks/facebook/index.ts";
import { networks } from "../../src/networks/index.ts";
import { startSession } from "./harness.ts";
import { hostileIO, rewrite } from "./hostile-answers.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

/** The same answer, which now says that there are more pages. */
const markUnfinished = (body: string): string =>
  JSON.stringify({
    ...JSON.parse(body),
    bookmark: "more",
    nextPageToken: "more",
    paging: { next: "https://graph.facebook.com/more", cursors: { after: "more" } },
  });

// LinkedIn's list is the page of one search.
const listing = networks.filter(({ rule, lookUps }) => lookUps !== undefined && rule.platform !== "linkedin");

describe.each(listing.map((network) => ({ platform: network.rule.platform, network })))(
  "the lists of $platform",
  ({ network }) => {
    it("are read up to twenty pages, and offer the values of these pages", async () => {
      const session = await startSession(simulators, network);
      const chosen = Object(session.simulator.demo.options);
      for (const { list, needs = [] } of Object.values(network.lookUps ?? {})) {
        const { io, count } = hostileIO(network.rule.platform, (_position, ask) => rewrite(ask, markUnfinished));
        const values = Object.fromEntries(needs.map((name) => [name, String(chosen[name])]));
        const answer = await list(values, { ...session.context, io });
        expect(answer.is).toBe("options");
        expect(count()).toBeLessThanOrEqual(20);
      }
    });
  },
);

it("limits the number of Facebook business portfolios that it reads", async () => {
  const page = { id: "1", name: "A page", access_token: "t", tasks: ["CREATE_CONTENT"] };
  const granted = ["pages_show_list", "pages_read_engagement", "pages_manage_posts", "business_management"];
  let calls = 0;
  const io = {
    ...hostileIO("facebook", () => undefined).io,
    app: null,
    async fetch(url: string) {
      calls++;
      const { pathname } = new URL(url);
      const data = pathname.endsWith("/me/permissions")
        ? granted.map((permission) => ({ permission, status: "granted" }))
        : pathname.endsWith("/me/businesses")
          ? Array.from({ length: 5_000 }, (_, i) => ({ id: `b${i}` }))
          : [{ ...page, id: `p${calls}` }];
      return new Response(markUnfinished(JSON.stringify({ data })));
    },
  };
  const connected = await facebook.connect({ access_token: "token", account_id: "p1" }, io);
  expect(connected.is).toBe("connected");
  expect(calls).toBeLessThanOrEqual(160);
});
