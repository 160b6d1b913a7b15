// The networks of the worker's tests, over real HTTP.
import type { TestProject } from "vitest/node";
import { startSimulators } from "../simulators/server.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const simulators = await startSimulators({ port: 0 });
  project.provide("simulators", simulators.url);
  return () => simulators.close();
}

declare module "vitest" {
  interface ProvidedContext {
    simulators: string;
  }
}
