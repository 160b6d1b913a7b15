// `npm run live`: networks tried with real accounts, or with the simulators. docs/networks.md#try-it-live
import { takeJson } from "../support/json-modules.ts";

takeJson();
// Not before: what a module imports is loaded before its first line runs.
await import("./main.ts");
