// Hand-written schedules, most of them after a failure that an engine of ours once had. They must end without a broken promise.
import { approvalScenarios } from "./approval.ts";
import { callerScenarios } from "./callers.ts";
import { laterScenarios } from "./callers-later.ts";
import { credentialScenarios } from "./credentials.ts";
import { databaseScenarios } from "./database.ts";
import { deployScenarios } from "./deploys.ts";
import { draftScenarios } from "./drafts.ts";
import { endpointScenarios } from "./endpoints.ts";
import { listenerScenarios } from "./listeners.ts";
import { moveScenarios } from "./moves.ts";
import { networkScenarios } from "./networks.ts";
import { platformScenarios } from "./platform.ts";
import { processScenarios } from "./processes.ts";
import { readerScenarios } from "./readers.ts";
import { reconnectionScenarios } from "./reconnections.ts";
import { refusalScenarios } from "./refusals.ts";
import { restoreScenarios } from "./restores.ts";
import { retentionScenarios } from "./retention.ts";
import type { Scenario } from "./scenario.ts";
import { seriesScenarios } from "./series.ts";
import { slotScenarios } from "./slots.ts";
import { versionScenarios } from "./versions.ts";

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...networkScenarios,
  ...processScenarios,
  ...deployScenarios,
  ...callerScenarios,
  ...approvalScenarios,
  ...databaseScenarios,
  ...credentialScenarios,
  ...moveScenarios,
  ...restoreScenarios,
  ...readerScenarios,
  ...endpointScenarios,
  ...retentionScenarios,
  ...slotScenarios,
  ...draftScenarios,
  ...versionScenarios,
  ...platformScenarios,
  ...laterScenarios,
  ...reconnectionScenarios,
  ...listenerScenarios,
  ...refusalScenarios,
  ...seriesScenarios,
};
