// Connects an account in a dialog: by consent at the network, or by credentials.
import { useState } from "react";
import { Refusal } from "../../client/errors.ts";
import { networkName } from "../../domain/network-name.ts";
import { describeError } from "../api.ts";
import { readViolations } from "../compose/violations.ts";
import { useAct } from "../reads.ts";
import type { Channel, Rule } from "../types.ts";
import { useOpenDialog } from "../ui/open-dialog.ts";
import { isSchema, type Json } from "../ui/schema.ts";
import { SchemaField, SchemaFields } from "../ui/schema-field.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { AccessNeeds } from "./access-needs.tsx";

/** `again`: the channel to reconnect; null: connect a new one. */
export function ConnectDialog({ rule, again, onClose }: { rule: Rule; again: Channel | null; onClose(): void }) {
  const dialog = useOpenDialog();
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="connect-title" onClose={onClose}>
      <div className="stack">
        <h2 id="connect-title">
          {again === null ? "Connect" : "Reconnect"} {networkName(rule.platform)}
        </h2>
        {again !== null && <p className="soft">{again.handle} keeps its queue: scheduled posts stay scheduled.</p>}
        <AccessNeeds rule={rule} />
        {rule.auth === "oauth" ? (
          <Consent rule={rule} onClose={() => dialog.current?.close()} />
        ) : (
          <Credentials rule={rule} again={again} onClose={() => dialog.current?.close()} />
        )}
      </div>
    </dialog>
  );
}

/** Creates a link to connect an account. The browser returns to the channels page afterwards. */
export const useConnectLink = () =>
  useAct(
    async (client, platform: string) =>
      (await client.call("channels.start-connect", { body: { platform, return_to: `${location.origin}/channels` } }))
        .body,
    [],
  );

function Consent({ rule, onClose }: { rule: Rule; onClose(): void }) {
  const link = useConnectLink();
  return (
    <>
      <p>You give consent on {networkName(rule.platform)}, choose the account, and return here.</p>
      <Refused error={link.error} />
      {link.data !== undefined && (
        <label className="field">
          <span>Or send this link to the owner of the account. It can be used once, within ten minutes.</span>
          <input readOnly value={link.data.url} onFocus={({ target }) => target.select()} />
        </label>
      )}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Close
        </button>
        <button
          type="button"
          disabled={link.isPending || link.data !== undefined}
          onClick={() => link.mutate(rule.platform)}
        >
          Make a link
        </button>
        <button
          type="button"
          className="primary"
          disabled={link.isPending}
          onClick={() =>
            link.data === undefined
              ? link.mutate(rule.platform, { onSuccess: ({ url }) => location.assign(url) })
              : location.assign(link.data.url)
          }
        >
          Continue to {networkName(rule.platform)}
        </button>
      </div>
    </>
  );
}

function Credentials({ rule, again, onClose }: { rule: Rule; again: Channel | null; onClose(): void }) {
  const say = useSay();
  const [handle, setHandle] = useState(again?.handle ?? "");
  const [values, setValues] = useState<{ [name: string]: Json }>({});
  const connect = useAct(
    async (client, _: null) =>
      client.call("channels.connect", { body: { platform: rule.platform, handle, credentials: values } }),
    ["channels"],
  );
  const field = connect.error instanceof Refusal ? (connect.error.body.field ?? "") : "";
  const inField = (name: string) =>
    field.startsWith(`/credentials/${name}`) && (
      <p className="alert" role="alert">
        {readViolations(connect.error).map(({ message, hint }) => `${message} ${hint ?? ""}`)}
      </p>
    );
  const schema = isSchema(rule.credentials) ? rule.credentials : {};
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
      <label className="field">
        <span>Handle</span>
        <input
          value={handle}
          required
          readOnly={again !== null}
          autoComplete="off"
          onChange={({ target }) => setHandle(target.value)}
        />
      </label>
      <SchemaFields
        schema={schema}
        values={values}
        onChange={setValues}
        field={(props) => (
          <SchemaField {...props} secret={/password|token|secret/.test(props.name)}>
            {inField(props.name)}
          </SchemaField>
        )}
      />
      {connect.isError && !field.startsWith("/credentials/") && (
        <p className="alert" role="alert">
          {describeError(connect.error).message} {describeError(connect.error).hint}
        </p>
      )}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Close
        </button>
        <button type="submit" className="primary" disabled={connect.isPending}>
          {connect.isPending ? `Asking ${networkName(rule.platform)}` : "Connect"}
        </button>
      </div>
    </form>
  );
}
