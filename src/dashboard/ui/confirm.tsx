// Asks before something is done that cannot be taken back, and shows why it was refused.
import type { ReactNode, RefObject } from "react";
import { Refused } from "./states.tsx";

export function Confirm<Done>({
  dialog,
  question,
  children,
  yes,
  no = "Keep it",
  act,
  onDone,
}: {
  /** By it a button opens the question. */
  dialog: RefObject<HTMLDialogElement | null>;
  question: string;
  /** What comes of it. */
  children: ReactNode;
  /** On the button that does it. */
  yes: string;
  /** On the button that leaves everything as it is. */
  no?: string;
  act: {
    error: unknown;
    isPending: boolean;
    reset(): void;
    mutate(input: null, how: { onSuccess(done: Done): void }): void;
  };
  onDone(done: Done): void;
}) {
  const close = () => dialog.current?.close();
  return (
    // Asked again, the question does not begin with the refusal of the last time.
    <dialog ref={dialog} className="dialog" aria-label={question} onClose={() => act.reset()}>
      <form method="dialog" className="stack">
        <h2>{question}</h2>
        <p>{children}</p>
        <Refused error={act.error} />
        <div className="row end">
          <button type="submit">{no}</button>
          <button
            type="button"
            className="primary"
            disabled={act.isPending}
            onClick={() =>
              act.mutate(null, {
                onSuccess(done) {
                  close();
                  onDone(done);
                },
              })
            }
          >
            {yes}
          </button>
        </div>
      </form>
    </dialog>
  );
}
