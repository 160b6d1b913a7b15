// The tests of a mutation run.
import { defineConfig } from "vitest/config";

/** Limits the run to the tests of some folders, which is faster if only a few files are mutated: `MUTATION_TESTS=operations`. */
const { MUTATION_TESTS = "{domain,follow-up,operations,publisher,store,webhooks}" } = process.env;

export default defineConfig({
  test: {
    include: [`test/unit/${MUTATION_TESTS}/**/*.test.ts`],
    // This test reads the source files, which Stryker has changed.
    exclude: ["test/unit/store/largest-inputs.test.ts"],
    setupFiles: ["test/support/after-each-test.ts"],
    // Stryker starts a worker for each mutant, so mutants stay isolated. Test files share their imports in it, because loading
    // the imports again for each file took most of the time.
    isolate: false,
  },
});
