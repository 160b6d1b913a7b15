// Runs all checks when a test ends. Modules are loaded once for many files, but a hook belongs to the file that sets it.
import { afterEach } from "vitest";
import { whenATestEnds } from "./when-a-test-ends.ts";

afterEach(() => {
  for (const check of whenATestEnds) check();
});
