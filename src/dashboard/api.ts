// Calls `/v1` with the browser's session, reports ended sessions and forbidden calls, and puts failures into words.
import { type Client, createClient } from "../client/client.ts";
import { isRefusalBody, Refusal } from "../client/errors.ts";
import { expectShape, UnexpectedAnswer } from "./answers.ts";
import { callWithFactor, type Shown } from "./factor/ask.ts";
import { ShownError } from "./shown-error.ts";
import { describeRefusal } from "./words/refusals.ts";
import { describeViolation } from "./words/violations.ts";

type Listener = () => void;
const listenTo = (listeners: Set<Listener>) => (listener: Listener) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
const whenEnded = new Set<Listener>();
const whenForbidden = new Set<Listener>();
/** Called when a call finds that the session has ended. */
export const onSessionEnd = listenTo(whenEnded);
/**
 * Called when a call is forbidden although the page expected it to be allowed: the person's role has changed, or they are no
 * longer a member.
 */
export const onForbidden = listenTo(whenForbidden);

let endIsExpected = false;
/** With `true`, calls that find the session ended are expected, because the person is signing out. */
export function expectSessionEnd(isExpected: boolean): void {
  endIsExpected = isExpected;
}

/** Makes a client for calls in a workspace; `workspace` is null for calls that concern no workspace. */
export function makeClient(workspace: string | null): Client {
  const client = createClient({
    url: location.origin,
    key: null,
    workspace: workspace ?? undefined,
    fetch: async (url, init) => {
      const answer = await fetch(url, { ...init, credentials: "same-origin", keepalive: isSmallChange(init) });
      if (
        answer.status === 401 &&
        !endIsExpected &&
        !url.pathname.startsWith("/v1/auth/log") &&
        !(await asksForFactor(answer))
      )
        for (const listener of whenEnded) listener();
      if (answer.status === 403) for (const listener of whenForbidden) listener();
      return answer;
    },
  });
  return {
    ...client,
    async call(name, ...input) {
      const call = () => client.call(name, ...input);
      const reply = await (name === "accounts.sign-in" ? call() : callWithFactor(call, proveInSession));
      expectShape(name, reply.body);
      return reply;
    },
  };
}

/** Presents the second factor for the next call of the session. */
async function proveInSession(challenge: string, factor: Shown): Promise<void> {
  await makeClient(null).call("factors.prove", { body: { challenge, ...factor } });
}

/** Whether a 401 asks for the second factor, in which case the session continues. */
async function asksForFactor(answer: Response): Promise<boolean> {
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => null);
  return isRefusalBody(body) && (body.error === "factor_required" || body.error === "factor_invalid");
}

/** The limit that browsers set for all keepalive requests of a closing page together. */
const KEPT_ALIVE_MAX = 8_000;

/** A small change is sent with keepalive, so that it reaches the service even if its page is closed at that moment. */
const isSmallChange = ({ method, body }: RequestInit) =>
  method === "PATCH" && typeof body === "string" && body.length < KEPT_ALIVE_MAX;

/** A failure as a sentence for a person. The texts of the API are for programs, and are not shown. */
export function describeError(error: unknown): string {
  if (error instanceof Refusal) {
    const [first] = error.body.violations ?? [];
    return first === undefined ? describeRefusal(error.body) : describeViolation(first).text;
  }
  if (error instanceof ShownError) return error.message;
  return error instanceof UnexpectedAnswer
    ? "Crier sent something that this page can't read. Reload the page."
    : "Crier can't be reached. Nothing you typed is lost. Try again in a moment.";
}
