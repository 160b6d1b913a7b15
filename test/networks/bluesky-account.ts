// A signed-in Bluesky account, and faults for its calls.
import { fault, signIn } from "./network-io.ts";
import { simulators } from "./simulators.ts";

export const account = () => signIn(simulators);

export const faultCall = (handle: string, call: string, faultFields: object) =>
  fault(simulators, { platform: "bluesky", account: handle, call, ...faultFields });
export const answerStatus = (status: number, body: unknown, fields: object = {}) => ({
  do: "status",
  status,
  body,
  ...fields,
});
