// Asks for confirmation before an irreversible action, and shows the refusal if it fails.
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
  /** The dialog that a button opens. */
  dialog: RefObject<HTMLDialogElement | null>;
  question: string;
  /** The consequences of the action. */
  children: ReactNode;
  /** The label of the button that confirms. */
  yes: string;
  /** The label of the button that cancels. */
  no?: string;
  act: {
    error: unknown;
    isPending: boolean;
    reset(): void;
    mutate(input: null, options: { onSuccess(result: Done): void }): void;
  };
  onDone(result: Done): void;
}) {
  const close = () => dialog.current?.close();
  return (
    // A reopened question does not show the previous refusal.
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
                onSuccess(result) {
                  close();
                  onDone(result);
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
