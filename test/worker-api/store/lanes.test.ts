import { expect, it } from "vitest";
import { CHANNELS_PER_LANE } from "../../../src/store/channels/channels.ts";
import { testEnv } from "../../support/env.ts";
import { connect, signUp } from "../../support/world.ts";

it("channels get lanes of sixteen in the order in which they were connected", async () => {
  const account = await signUp();
  for (let i = 0; i <= CHANNELS_PER_LANE; i++) await connect(account.key, "telegram");
  const { results } = await testEnv.DB.prepare(
    "SELECT lane, typeof(lane) AS type, COUNT(*) AS channels FROM channels WHERE workspace_id = ? GROUP BY lane ORDER BY lane",
  )
    .bind(account.workspace)
    .all();
  expect(results).toEqual([
    { lane: 0, type: "integer", channels: CHANNELS_PER_LANE },
    { lane: 1, type: "integer", channels: 1 },
  ]);
});
