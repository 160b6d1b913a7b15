// Calls `/v1` with the browser's session, reports ended sessions and forbidden calls, and puts failures into words.
import { type Client, createClient } from "../client/client.ts";
import { isRefusalBody, Refusal } from "../client/errors.ts";
import { expectShape } from "./answers.ts";
import { callWithFactor, type Shown } from "./factor/ask.ts";
import { findSentence } from "./refusal-words.ts";

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

/** A failure as text for a person. */
export function describeError(error: unknown): { message: string; hint: string | null } {
  if (error instanceof Refusal) {
    const sentence = findSentence(error.code);
    return sentence === null ? { message: error.message, hint: error.hint } : { message: sentence, hint: null };
  }
  return {
    message: error instanceof Error ? error.message : String(error),
    hint: "Nothing you typed is lost. Try again in a moment.",
  };
}
