// Deployments with their own settings and bindings, in addition to the one that all tests of a file share.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import worker from "../../src/index.ts";
import { testEnv } from "./env.ts";

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request to a deployment. Redirects are not followed. */
export async function askExisting(deployment: typeof testEnv, url: string, init: Asked = {}): Promise<Response> {
  const execution = createExecutionContext();
  const request = new Request<unknown, IncomingRequestCfProperties>(url, { redirect: "manual", ...init });
  const response = await worker.fetch(request, deployment, execution);
  await waitOnExecutionContext(execution);
  return response;
}

/** Sends a request to a new deployment, whose settings override those of the tests. */
export const askDeployment = (url: string, settings: object) => askExisting({ ...testEnv, ...settings }, url);
