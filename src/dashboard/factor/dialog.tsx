// Asks for the second factor, above everything else.
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { looksLikeAppCode } from "../../domain/factor.ts";
import { describeError } from "../api.ts";
import { Field } from "../ui/field.tsx";
import { answerQuestions, type Question, type Shown } from "./ask.ts";
import { getPasskey } from "./passkey.ts";

interface Asked {
  question: Question;
  settle(isShown: boolean): void;
}

export function FactorDialog({ children }: { children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [pendingQuestion, setAsked] = useState<Asked | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);

  useEffect(
    () =>
      answerQuestions(
        (question) =>
          new Promise((settle) => {
            setTrouble(null);
            setAsked({ question, settle });
            dialog.current?.showModal();
          }),
      ),
    [],
  );

  function close(isShown: boolean) {
    dialog.current?.close();
    pendingQuestion?.settle(isShown);
    setAsked(null);
  }

  async function show(getShown: () => Promise<Shown>): Promise<boolean> {
    setSending(true);
    setTrouble(null);
    try {
      await pendingQuestion?.question.send(await getShown());
      close(true);
      return true;
    } catch (error) {
      setTrouble(describeError(error));
      return false;
    } finally {
      setSending(false);
    }
  }

  async function sendCode(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const typed = String(new FormData(form).get("code") ?? "").trim();
    if (await show(async () => (looksLikeAppCode(typed) ? { code: typed } : { recovery_code: typed }))) form.reset();
  }

  const passkey = pendingQuestion?.question.passkey ?? null;
  const hasApp = pendingQuestion?.question.methods.includes("totp") ?? false;
  return (
    <>
      {children}
      <dialog
        ref={dialog}
        className="dialog"
        aria-labelledby="factor-title"
        onCancel={(event) => {
          event.preventDefault();
          close(false);
        }}
      >
        <form onSubmit={sendCode} className="stack">
          <h2 id="factor-title">Confirm that it is you</h2>
          {passkey !== null && (
            <div>
              <button
                type="button"
                disabled={isSending}
                onClick={() => void show(async () => ({ passkey: await getPasskey(passkey) }))}
              >
                Use a passkey
              </button>
            </div>
          )}
          <p>
            {hasApp
              ? "Enter the six digits that your authenticator app shows, or one of your recovery codes."
              : "Or enter one of your recovery codes."}
          </p>
          {trouble !== null && (
            <p className="alert" role="alert">
              {trouble}
            </p>
          )}
          <Field
            label="Code"
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            required
          />
          <div className="row end">
            <button type="button" onClick={() => close(false)}>
              Cancel
            </button>
            <button type="submit" className="primary" disabled={isSending}>
              Confirm
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
