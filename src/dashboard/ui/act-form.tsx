// A form with one action. It shows its refusal and announces its success.
import type { FormEvent, ReactNode } from "react";
import type { Client } from "../../client/client.ts";
import { useAct } from "../reads.ts";
import { Refused } from "./states.tsx";
import { useSay } from "./toasts.tsx";

export function ActForm<Done>({
  act,
  changes = [],
  done,
  button,
  of,
  why,
  danger = false,
  onDone,
  children,
}: {
  act(client: Client, form: (name: string) => string): Promise<Done>;
  /** The reads to repeat afterwards. */
  changes?: string[];
  done: string;
  button: string;
  /** What the button is about, for screen readers, if its own word says too little. */
  of?: string;
  /** null: they may. */
  why: string | null;
  danger?: boolean;
  onDone?: (result: Done) => void;
  children?: ReactNode;
}) {
  const say = useSay();
  const doing = useAct((client, form: FormData) => act(client, (name) => String(form.get(name) ?? "")), changes);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    doing.mutate(new FormData(form), {
      onSuccess(result) {
        if (form.isConnected) form.reset();
        say(done);
        onDone?.(result);
      },
    });
  }
  return (
    <form className="stack tight" onSubmit={submit}>
      <fieldset className="stack tight" disabled={why !== null}>
        {children}
      </fieldset>
      {why !== null && <p className="note">{why}</p>}
      <Refused error={doing.error} />
      <div>
        <button type="submit" className={danger ? "danger" : ""} disabled={why !== null || doing.isPending}>
          {button}
          {of !== undefined && <span className="visually-hidden"> {of}</span>}
        </button>
      </div>
    </form>
  );
}
