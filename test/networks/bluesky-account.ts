// An account of Bluesky that is signed in, and what its calls meet.
import { fault, signIn } from "./network-io.ts";
import { simulators } from "./simulators.ts";

export const account = () => signIn(simulators);

export const onCall = (handle: string, call: string, what: object) =>
  fault(simulators, { platform: "bluesky", account: handle, call, ...what });
export const status = (status: number, body: unknown, more: object = {}) => ({ do: "status", status, body, ...more });
