// Runs the common suite for every registered network.

import { startSimulators } from "../../simulators/server.ts";
import { networks } from "../../src/networks/index.ts";
import { everyNetwork } from "./suite.ts";

everyNetwork(networks, () => startSimulators({ port: 0 }));
