// A call that the second factor protects: the person is asked for it, and the call is sent again.
import type { RefusalBody } from "../../client/calls.ts";
import { Refusal } from "../../client/errors.ts";
import type { PasskeyRequest, ShownPasskey } from "./passkey.ts";

/** What a person shows. */
export type Shown = { code: string } | { recovery_code: string } | { passkey: ShownPasskey };

export interface Question {
  challenge: string;
  methods: readonly string[];
  /** What the browser is asked for; null: the person has no passkey. */
  passkey: PasskeyRequest | null;
  /** Sends what the person shows. It throws what the dialog tells them. */
  send(shown: Shown): Promise<void>;
}

/** Asks a person. Answers false if they would rather not. */
type Ask = (question: Question) => Promise<boolean>;
let ask: Ask | null = null;

/** Has questions go to `asker`, until the function that this returns is called. */
export function answerQuestions(asker: Ask): () => void {
  ask = asker;
  return () => {
    if (ask === asker) ask = null;
  };
}

/** The refusal of a call that waits for the second factor; null: it is another error. */
function readQuestion(error: unknown): Pick<Question, "challenge" | "methods" | "passkey"> | null {
  if (!(error instanceof Refusal) || error.code !== "factor_required") return null;
  const { challenge, methods = [], passkey = null }: RefusalBody = error.body;
  return challenge === undefined ? null : { challenge, methods, passkey };
}

/**
 * Makes a call. If it asks for the second factor, `prove` sends what the person shows, and the call is made again. A person who
 * does not want to show anything gets the refusal.
 */
export async function callWithFactor<Reply>(
  call: () => Promise<Reply>,
  prove: (challenge: string, shown: Shown) => Promise<void>,
): Promise<Reply> {
  try {
    return await call();
  } catch (error) {
    const question = readQuestion(error);
    if (question === null || ask === null) throw error;
    const isShown = await ask({ ...question, send: (shown) => prove(question.challenge, shown) });
    if (!isShown) throw error;
    return call();
  }
}
