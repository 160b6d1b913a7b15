import { expect, it } from "vitest";
import { runScript } from "../e2e/local/operator-script.ts";

const SCRIPT = "test/deterministic-simulation/run.ts";

it("`npm run simulate` says how it is used, and names a word that it does not know", async () => {
  const [help, wrong] = await Promise.all([
    runScript([SCRIPT, "--help"], process.env),
    runScript([SCRIPT, "--sedes", "5"], process.env),
  ]);
  expect(help).toMatchObject({ code: 0, output: expect.stringContaining("--seeds N") });
  expect(wrong).toMatchObject({ code: 2, output: expect.stringContaining("'--sedes'") });
  for (const { output } of [help, wrong]) expect(output).not.toContain("    at ");
});
