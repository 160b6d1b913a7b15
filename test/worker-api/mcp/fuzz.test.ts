// Invalid arguments for each tool. The answer is always a success or a refusal from the table of refusals.
import fc from "fast-check";
import { expect, it } from "vitest";
import { REFUSALS } from "../../../src/domain/refusal-codes.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { testEnv } from "../../support/env.ts";
import { connect, post, signUp } from "../../support/world.ts";
import { callTool, connectClient } from "./clients.ts";

const runs = Number(testEnv.CRIER_FUZZ_RUNS);
const seed = Number(testEnv.CRIER_FUZZ_SEED);

it("no arguments make a tool fail with an internal error", { timeout: 30_000 + runs * 200 }, async () => {
  const account = await signUp();
  const ids = [
    (await connect(account.key, "bluesky")).id,
    (await post(account.key, { draft: true, text: "A draft" })).id,
    (await connect((await signUp()).key, "bluesky")).id,
  ];
  const client = await connectClient(account.key, "2026-07-28");
  const { tools } = await client.listTools();
  const value = fc.oneof(
    fc.constantFrom(...ids, null, "", "2026-12-01T09:00", "feed", 0, -1, 1e300, true, "\u0000", "\ud800"),
    fc.constantFrom([ids[0]], [ids[0], ids[2]], { [ids[0] ?? ""]: { text: "other" } }, { "": {} }),
    fc.string({ unit: anyCharacter, maxLength: 400 }),
    fc.jsonValue({ maxDepth: 5 }),
  );
  const call = fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
    const names = [...Object.keys(inputSchema.properties ?? {}), "__unknown", "constructor"];
    return fc.tuple(fc.constant(name), fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true }));
  });
  const codes = new Set<string>();
  const tryCall = async ([name, args]: [string, Record<string, unknown>]) => {
    const { refused, body } = await callTool(client, name, args);
    if (!refused) return;
    codes.add(String(body.error));
    expect(Object.keys(REFUSALS), name).toContain(body.error);
    expect(body.error, name).not.toBe("internal_error");
  };
  await fc.assert(fc.asyncProperty(call, tryCall), { numRuns: runs, seed });
  // The calls have reached more than the first check of each tool.
  expect(codes.size).toBeGreaterThan(4);
});
