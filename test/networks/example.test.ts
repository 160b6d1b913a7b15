// The worked example of docs/add-a-network.md is a network: it compiles, and passes the suite that every network passes. That
// the document shows it as it is, test/unit/documents.test.ts says.
import { startSimulators } from "../../simulators/server.ts";
import { examplenet } from "./example/examplenet/index.ts";
import * as simulator from "./example/simulator.ts";
import { everyNetwork } from "./suite.ts";

everyNetwork([examplenet], () => startSimulators({ port: 0, others: [simulator] }));
