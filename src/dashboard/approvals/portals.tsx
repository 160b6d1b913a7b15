// Portals: a link for each client, on which all posts that wait for approval on some channels are decided.
import { useState } from "react";
import { NAME_LENGTH_MAX } from "../../domain/limits.ts";
import { useAct, useRead } from "../reads.ts";
import type { Channel } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { channelName } from "../ui/channel.tsx";
import { useCopy } from "../ui/copy.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Instant } from "../ui/marks.tsx";
import { Menu } from "../ui/menu.tsx";
import { Found, Refused } from "../ui/states.tsx";

export function Portals({ channels }: { channels: Channel[] }) {
  const [isMaking, setMaking] = useState(false);
  const portals = useRead(
    ["portals"],
    async (client, signal) => (await client.call("portals.list", { query: { limit: "100" }, signal })).body.portals,
  );
  const remove = useAct(async (client, id: string) => client.call("portals.remove", { params: { id } }), ["portals"]);
  return (
    <section className="card" aria-label="Client portals">
      <div className="row apart">
        <h2>Client portals</h2>
        <Button icon="plus" onClick={() => setMaking(true)}>
          New portal
        </Button>
      </div>
      <Refused error={remove.error} />
      <Found query={portals} what="Client portals">
        {(known) =>
          known.length === 0 ? (
            <p className="soft">One link for each client shows all posts that wait for them, without an account.</p>
          ) : (
            <ul className="list">
              {known.map(({ id, name, expires_at: end }) => (
                <li key={id} className="list-row">
                  <span className="list-text">
                    <strong dir="auto">{name}</strong>
                    <small className="soft">
                      Until <Instant at={end} />
                    </small>
                  </span>
                  <Menu
                    label={`More for ${name}`}
                    entries={[{ name: "Remove", icon: "trash", isDanger: true, act: () => remove.mutate(id) }]}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Found>
      {isMaking && <NewPortal channels={channels} onClose={() => setMaking(false)} />}
    </section>
  );
}

function NewPortal({ channels, onClose }: { channels: Channel[]; onClose(): void }) {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const copy = useCopy("The link");
  const make = useAct(
    async (client, body: { name: string; channels: string[] }) => (await client.call("portals.create", { body })).body,
    ["portals"],
  );
  const url = make.data?.url ?? null;
  return (
    <Dialog
      title="New portal"
      onClose={onClose}
      actions={(close) => (
        <>
          <Button onClick={close}>Close</Button>
          {url === null ? (
            <Button
              variant="primary"
              isBusy={make.isPending}
              disabled={name.trim() === "" || chosen.length === 0}
              onClick={() => make.mutate({ name: name.trim(), channels: chosen })}
            >
              Create portal
            </Button>
          ) : (
            <Button variant="primary" onClick={() => void copy(url)}>
              Copy link
            </Button>
          )}
        </>
      )}
    >
      {url === null ? (
        <>
          <Field
            label="Client"
            dir="auto"
            maxLength={NAME_LENGTH_MAX}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <fieldset>
            <legend>Posts on these channels</legend>
            {channels.map((channel) => (
              <label key={channel.id} className="choice">
                <input
                  type="checkbox"
                  checked={chosen.includes(channel.id)}
                  onChange={({ target }) =>
                    setChosen(target.checked ? [...chosen, channel.id] : chosen.filter((id) => id !== channel.id))
                  }
                />
                <span>{channelName(channel)}</span>
              </label>
            ))}
          </fieldset>
        </>
      ) : (
        <label className="field">
          <span>The link</span>
          <input readOnly value={url} onFocus={({ target }) => target.select()} />
          <small>Copy it now: it is not shown again.</small>
        </label>
      )}
      <Refused error={make.error} />
    </Dialog>
  );
}
