// Runs the common suite for every registered network.

import { startSimulators } from "../../simulators/server.ts";
import { networks } from "../../src/networks/index.ts";
import { testEveryNetwork } from "./suite.ts";

testEveryNetwork(networks, () => startSimulators({ port: 0 }));
