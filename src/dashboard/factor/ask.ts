// If a call needs the second factor, asks the person for it, and then makes the call again.
import type { RefusalBody } from "../../client/calls.ts";
import { Refusal } from "../../client/errors.ts";
import type { PasskeyRequest, ShownPasskey } from "./passkey.ts";

/** The second factor that a person presents. */
export type Shown = { code: string } | { recovery_code: string } | { passkey: ShownPasskey };

export interface Question {
  challenge: string;
  methods: readonly string[];
  /** The passkey options for the browser; null: the person has no passkey. */
  passkey: PasskeyRequest | null;
  /** Sends the second factor. Throws the error that the dialog shows. */
  send(proof: Shown): Promise<void>;
}

/** Asks a person. Resolves to false if they decline. */
type Ask = (question: Question) => Promise<boolean>;
let ask: Ask | null = null;

/** Directs questions to `asker`, until the returned function is called. */
export function answerQuestions(asker: Ask): () => void {
  ask = asker;
  return () => {
    if (ask === asker) ask = null;
  };
}

/** The refusal of a call that needs the second factor; null for any other error. */
function readQuestion(error: unknown): Pick<Question, "challenge" | "methods" | "passkey"> | null {
  if (!(error instanceof Refusal) || error.code !== "factor_required") return null;
  const { challenge, methods = [], passkey = null }: RefusalBody = error.body;
  return challenge === undefined ? null : { challenge, methods, passkey };
}

/**
 * Makes a call. If it needs the second factor, `prove` sends the one that the person presents, and the call is made again.
 * If the person declines, the refusal is thrown.
 */
export async function callWithFactor<Reply>(
  call: () => Promise<Reply>,
  prove: (challenge: string, proof: Shown) => Promise<void>,
): Promise<Reply> {
  try {
    return await call();
  } catch (error) {
    const question = readQuestion(error);
    if (question === null || ask === null) throw error;
    const isShown = await ask({ ...question, send: (proof) => prove(question.challenge, proof) });
    if (!isShown) throw error;
    return call();
  }
}
