// What is looked at when any test ends: modules are loaded once for many files, but a hook belongs to the file that sets it.
import { afterEach } from "vitest";
import { whenATestEnds } from "./when-a-test-ends.ts";

afterEach(() => {
  for (const check of whenATestEnds) check();
});
