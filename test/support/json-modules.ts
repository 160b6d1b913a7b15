// A bundler takes JSON as it comes; Node wants to be told, and the code of the Worker does not tell.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/** From now on what is imported may be JSON. */
export function takeJson(): void {
  registerHooks({
    load(url, context, next) {
      if (!url.endsWith(".json") || context.conditions.includes("require")) return next(url, context);
      const source = `export default ${readFileSync(fileURLToPath(url), "utf8")}`;
      return { format: "module", source, shortCircuit: true };
    },
  });
}
