// Connects an account with a password or token that its owner makes at the network.
import { useState } from "react";
import { Refusal } from "../../client/errors.ts";
import { networkName } from "../../domain/network-name.ts";
import { useAct } from "../reads.ts";
import type { Channel, Rule } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { type CredentialField, findGuide } from "./guides.ts";

interface CredentialsProps {
  rule: Rule;
  /** The channel to reconnect; null: connect a new one. */
  again: Channel | null;
  onClose(): void;
}

export function Credentials({ rule: { platform }, again, onClose }: CredentialsProps) {
  const say = useSay();
  const name = networkName(platform);
  const { steps, fields } = findGuide(platform);
  const account = fields.find(({ isAccount }) => isAccount === true);
  const [values, setValues] = useState<Record<string, string>>(() =>
    again === null || account === undefined ? {} : { [account.name]: account.fromHandle?.(again.handle) ?? "" },
  );
  const connect = useAct(
    async (client, _: null) => {
      const credentials = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ""));
      const handle = again?.handle ?? (account === undefined ? name : (values[account.name] ?? name)).trim();
      return client.call("channels.connect", { body: { platform, handle, credentials } });
    },
    ["channels"],
  );
  const refused = connect.error instanceof Refusal ? connect.error.body.field : undefined;
  const wrong = fields.find((field) => refused === `/credentials/${field.name}`);
  const show = (field: CredentialField) => (
    <Field
      key={field.name}
      label={field.label}
      type={field.isSecret === true ? "password" : "text"}
      value={values[field.name] ?? ""}
      required={field.isOptional !== true}
      placeholder={field.example}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      dir="ltr"
      data-first-field={field === fields[0] ? "" : undefined}
      aria-invalid={field === wrong ? true : undefined}
      onChange={({ target }) => setValues((current) => ({ ...current, [field.name]: target.value }))}
    >
      {field.help !== undefined && <small>{field.help}</small>}
      {field === wrong && (
        <span className="alert" role="alert">
          {field.refused}
        </span>
      )}
    </Field>
  );
  const optional = fields.filter(({ isOptional }) => isOptional === true);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        connect.mutate(null, {
          onSuccess({ body }) {
            say(`${networkName(body.platform)} ${body.handle} is connected`);
            onClose();
          },
        });
      }}
    >
      {steps.length > 0 && (
        <ol className="connect-steps">
          {steps.map(({ text, link }) => (
            <li key={text}>
              {text}
              {link !== undefined && (
                <>
                  {" "}
                  <a href={link.href} target="_blank" rel="noreferrer">
                    {link.name}
                  </a>
                </>
              )}
            </li>
          ))}
        </ol>
      )}
      {fields.filter(({ isOptional }) => isOptional !== true).map(show)}
      {optional.length > 0 && (
        <details open={wrong?.isOptional}>
          <summary>More options</summary>
          <div className="stack tight">{optional.map(show)}</div>
        </details>
      )}
      {wrong === undefined && <Refused error={connect.error} />}
      <div className="row end">
        <Button variant="quiet" onClick={onClose}>
          Close
        </Button>
        <Button type="submit" variant="primary" isBusy={connect.isPending}>
          {connect.isPending ? `Asking ${name}` : "Connect"}
        </Button>
      </div>
    </form>
  );
}
