// Signs in again in place after the session has ended, so that typed text is kept.
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { describeError, makeClient, onSessionEnd } from "./api.ts";
import { callWithFactor } from "./factor/ask.ts";
import { signInAddress } from "./session.tsx";
import type { Me } from "./types.ts";

/** Signs in, with the second step if the account has a second factor. */
async function enter(body: { email: string; password: string }): Promise<Me["user"]> {
  const client = makeClient(null);
  let user: Me["user"] | null = null;
  return callWithFactor(
    async () => user ?? (await client.call("accounts.sign-in", { body })).body.user,
    async (challenge, proof) => {
      user = (await client.call("accounts.sign-in-with-factor", { body: { challenge, ...proof } })).body.user;
    },
  );
}

export function SignInAgain({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [email, setEmail] = useState("");
  const [busy, setBusy] = useState(false);

  useEffect(
    () =>
      onSessionEnd(() => {
        const me = queries.getQueryData<Me>(["me"]);
        // The user has not been loaded yet, so no work can be lost.
        if (me === undefined) return location.assign(signInAddress());
        setEmail(me.user.email);
        if (dialog.current?.open === false) dialog.current.showModal();
      }),
    [queries],
  );

  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setTrouble(null);
    try {
      const user = await enter({ email: String(form.get("email")), password: String(form.get("password")) });
      // Another user signed in, so the page reloads with their data.
      if (user.email !== queries.getQueryData<Me>(["me"])?.user.email) return location.assign("/");
      dialog.current?.close();
      await queries.invalidateQueries();
    } catch (error) {
      setTrouble(describeError(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      {children}
      <dialog ref={dialog} className="dialog" aria-labelledby="again-title">
        <form onSubmit={signIn} className="stack">
          <h2 id="again-title">Sign in again</h2>
          <p>Your session has ended. Nothing you typed is lost.</p>
          {trouble !== null && (
            <p className="alert" role="alert">
              {trouble}
            </p>
          )}
          <label className="field">
            <span>Email</span>
            <input
              type="email"
              name="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </label>
          <label className="field">
            <span>Password</span>
            <input type="password" name="password" autoComplete="current-password" required />
          </label>
          <div className="row end">
            <a href={signInAddress()}>Other ways to sign in</a>
            <button type="submit" className="primary" disabled={busy}>
              Sign in
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
