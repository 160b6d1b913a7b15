// The accounts that this workspace posts to: connect, see how they stand, connect again, disconnect.
import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { Refusal } from "../../client/errors.ts";
import { wordsOf } from "../api.ts";
import { violationsOf } from "../compose/violations.ts";
import { useAct, useChannels, usePlatforms } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel, Rule } from "../types.ts";
import { Able, Instant, Mark, plain, State } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { isSchema, type Json } from "../ui/schema.ts";
import { SchemaField, SchemaFields } from "../ui/schema-field.tsx";
import { Empty, Found } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";

export function Channels() {
  const channels = useChannels();
  const platforms = usePlatforms();
  const { whyNot } = useSession();
  const [connecting, setConnecting] = useState<{ rule: Rule; again: Channel | null } | null>(null);
  const why = whyNot("manage_channels");
  const ruleOf = (platform: string) => platforms.data?.platforms.find((rule) => rule.platform === platform);
  return (
    <Page title="Channels" lead="The accounts that this workspace posts to.">
      <CameBack />
      <section className="card" aria-label="Connected accounts">
        <Found query={channels} what="Your channels">
          {(channels) =>
            channels.length === 0 ? (
              <Empty title="No channel yet">
                <p>Choose a network below.</p>
              </Empty>
            ) : (
              <ul className="rows">
                {channels.map((channel) => (
                  <li key={channel.id}>
                    <ChannelRow
                      channel={channel}
                      why={why}
                      onAgain={() => {
                        const rule = ruleOf(channel.platform);
                        if (rule !== undefined) setConnecting({ rule, again: channel });
                      }}
                    />
                  </li>
                ))}
              </ul>
            )
          }
        </Found>
      </section>
      <section className="card" aria-label="Connect an account">
        <h2>Connect an account</h2>
        {why !== null && <p className="note">{why}</p>}
        <Found query={platforms} what="The networks">
          {({ platforms }) => (
            <ul className="channel-grid">
              {platforms.map((rule) => (
                <li key={rule.platform}>
                  <button
                    type="button"
                    className="network"
                    disabled={why !== null || rule.publishes === "not_configured"}
                    onClick={() => setConnecting({ rule, again: null })}
                  >
                    <Mark platform={rule.platform} />
                    <span className="who">
                      <span className="platform">
                        <span className="visually-hidden">Connect </span>
                        {rule.platform}
                      </span>
                      <small>
                        {rule.publishes === "not_configured"
                          ? "not set up in this deployment"
                          : plain(rule.delivery_guarantee)}
                      </small>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </Found>
      </section>
      {connecting !== null && (
        <ConnectDialog
          key={`${connecting.rule.platform} ${connecting.again?.id}`}
          {...connecting}
          onClose={() => setConnecting(null)}
        />
      )}
    </Page>
  );
}

/** A network sends back here, and says how it went. */
function CameBack() {
  const [query] = useSearchParams();
  const platform = query.get("platform");
  const error = query.get("error");
  if (platform === null) return null;
  return error === null ? (
    <p className="note good" role="status">
      Connected to {platform}.
    </p>
  ) : (
    <p className="alert" role="alert">
      Nothing was connected to {platform}: {plain(error)}. Try again, and give consent there.
    </p>
  );
}

function ChannelRow({ channel, why, onAgain }: { channel: Channel; why: string | null; onAgain(): void }) {
  const say = useSay();
  const asking = useRef<HTMLDialogElement>(null);
  const disconnect = useAct(
    async (client, _: null) => client.call("channels.disconnect", { params: { id: channel.id } }),
    ["channels"],
  );
  const { platform, handle, name, state, token_expires_at: ends } = channel;
  return (
    <div className="row apart">
      <span className="row">
        <Mark platform={platform} />
        <span className="who">
          <span className="platform">{platform}</span>
          <small>
            {handle}
            {name !== null && name !== handle && ` · ${name}`}
          </small>
        </span>
        <State of={state} />
        {ends !== null && (
          <small className="soft">
            access ends <Instant at={ends} />
          </small>
        )}
      </span>
      <Able why={why}>
        {(disabled) => (
          <span className="row">
            <button type="button" disabled={disabled} onClick={onAgain}>
              Reconnect
              <span className="visually-hidden">
                {" "}
                {platform} {handle}
              </span>
            </button>
            <button
              type="button"
              className="danger"
              disabled={disabled || !channel.connected}
              onClick={() => asking.current?.showModal()}
            >
              Disconnect
              <span className="visually-hidden">
                {" "}
                {platform} {handle}
              </span>
            </button>
          </span>
        )}
      </Able>
      <dialog ref={asking} className="dialog" aria-label={`Disconnect ${platform} ${handle}?`}>
        <form method="dialog" className="stack">
          <h2>
            Disconnect {platform} {handle}?
          </h2>
          <p>
            Its credential is erased. What is queued for it fails when its time comes, unless the same account is
            connected again before.
          </p>
          {disconnect.isError && (
            <p className="alert" role="alert">
              {wordsOf(disconnect.error).message}
            </p>
          )}
          <div className="row end">
            <button type="submit">Keep it</button>
            <button
              type="button"
              className="primary"
              onClick={() =>
                disconnect.mutate(null, {
                  onSuccess() {
                    asking.current?.close();
                    say(`${platform} ${handle} is disconnected`);
                  },
                })
              }
            >
              Disconnect
            </button>
          </div>
        </form>
      </dialog>
    </div>
  );
}

function ConnectDialog({ rule, again, onClose }: { rule: Rule; again: Channel | null; onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="connect-title" onClose={onClose}>
      <div className="stack">
        <h2 id="connect-title">
          {again === null ? "Connect" : "Reconnect"} <span className="platform">{rule.platform}</span>
        </h2>
        {again !== null && <p className="soft">{again.handle} keeps its queue: what is scheduled stays scheduled.</p>}
        {rule.auth === "oauth" ? (
          <Consent rule={rule} onClose={() => dialog.current?.close()} />
        ) : (
          <Credentials rule={rule} again={again} onClose={() => dialog.current?.close()} />
        )}
      </div>
    </dialog>
  );
}

function Consent({ rule, onClose }: { rule: Rule; onClose(): void }) {
  const link = useAct(
    async (client, _: null) =>
      (
        await client.call("channels.start-connect", {
          body: { platform: rule.platform, return_to: `${location.origin}/channels` },
        })
      ).body,
    [],
  );
  return (
    <>
      <p>You give consent at {rule.platform}, choose the account, and come back here.</p>
      {link.isError && (
        <p className="alert" role="alert">
          {wordsOf(link.error).message} {wordsOf(link.error).hint}
        </p>
      )}
      {link.data !== undefined && (
        <label className="field">
          <span>Or send this link to the owner of the account. It works once, for ten minutes.</span>
          <input readOnly value={link.data.url} onFocus={({ target }) => target.select()} />
        </label>
      )}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Close
        </button>
        <button type="button" disabled={link.isPending || link.data !== undefined} onClick={() => link.mutate(null)}>
          Make a link
        </button>
        <button
          type="button"
          className="primary"
          disabled={link.isPending}
          onClick={() =>
            link.data === undefined
              ? link.mutate(null, { onSuccess: ({ url }) => location.assign(url) })
              : location.assign(link.data.url)
          }
        >
          Continue to {rule.platform}
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
        {violationsOf(connect.error).map(({ message, hint }) => `${message} ${hint ?? ""}`)}
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
            say(`${body.platform} ${body.handle} is connected`);
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
          {wordsOf(connect.error).message} {wordsOf(connect.error).hint}
        </p>
      )}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Close
        </button>
        <button type="submit" className="primary" disabled={connect.isPending}>
          {connect.isPending ? `Asking ${rule.platform}` : "Connect"}
        </button>
      </div>
    </form>
  );
}
