// A poll as the ledger lists it, whatever its network calls its members.

export interface ShownPoll {
  /** null: the text of the post is the question. */
  question: string | null;
  options: string[];
  /** null: the network sets the duration. */
  minutes: number | null;
}

/** The poll in the details of a ledger entry, or null. */
export function findPoll(detail: Record<string, unknown>): ShownPoll | null {
  const { poll } = detail;
  if (typeof poll !== "object" || poll === null || !("options" in poll) || !Array.isArray(poll.options)) return null;
  const question = "question" in poll && typeof poll.question === "string" ? poll.question : null;
  const minutes = "minutes" in poll && typeof poll.minutes === "number" ? poll.minutes : null;
  return { question, options: poll.options.map(String), minutes };
}
