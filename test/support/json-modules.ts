// A bundler imports JSON without an import attribute. Node requires one, and the Worker's code has none.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/** Lets later imports load JSON files. */
export function takeJson(): void {
  registerHooks({
    load(url, context, next) {
      if (!url.endsWith(".json") || context.conditions.includes("require")) return next(url, context);
      const source = `export default ${readFileSync(fileURLToPath(url), "utf8")}`;
      return { format: "module", source, shortCircuit: true };
    },
  });
}
