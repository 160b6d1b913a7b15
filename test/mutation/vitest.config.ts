// The tests that a mutation run asks.
import { defineConfig } from "vitest/config";

/** A run of a few files is over sooner if it asks their tests alone: `MUTATION_TESTS=operations`. */
const { MUTATION_TESTS = "{domain,follow-up,operations,publisher,store,webhooks}" } = process.env;

export default defineConfig({
  test: {
    include: [`test/unit/${MUTATION_TESTS}/**/*.test.ts`],
    // It reads the sources, which the tool has changed.
    exclude: ["test/unit/store/largest-inputs.test.ts"],
    setupFiles: ["test/support/after-each-test.ts"],
    // Each mutant has a worker of its own all the same, in which the files share what they import: loading it took most of the time.
    isolate: false,
  },
});
