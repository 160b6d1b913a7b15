// The worked example of docs/add-a-network.md is a network: it compiles and passes the suite of every network.
// test/unit/documents.test.ts checks that the document shows these files unchanged.
import { startSimulators } from "../../simulators/server.ts";
import { examplenet } from "./example/examplenet/index.ts";
import * as simulator from "./example/simulator.ts";
import { testEveryNetwork } from "./suite.ts";

testEveryNetwork([examplenet], () => startSimulators({ port: 0, others: [simulator] }));
