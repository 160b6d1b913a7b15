// `npm run live`: tests networks with real accounts, or with the simulators. docs/networks.md#try-it-live
import { takeJson } from "../support/json-modules.ts";

takeJson();
// A static import would load the module before the line above runs.
await import("./main.ts");
