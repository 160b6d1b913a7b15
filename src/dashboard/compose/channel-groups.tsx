// Saved selections of accounts.
import { useState } from "react";
import { useAct, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { Icon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { Found, Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { count } from "../words/counts.ts";
import "./saved-list.css";

interface ChannelGroupsProps {
  chosen: string[];
  onChoose(channels: string[]): void;
}

export function ChannelGroups(props: ChannelGroupsProps) {
  return (
    <Popover label="Groups" button={<Icon name="people" />} className="quiet icon-button" align="end">
      {(close) => (
        <GroupList
          {...props}
          onChoose={(channels) => {
            close();
            props.onChoose(channels);
          }}
        />
      )}
    </Popover>
  );
}

function GroupList({ chosen, onChoose }: ChannelGroupsProps) {
  const { whyNot } = useSession();
  const say = useSay();
  const groups = useRead(
    ["channel-groups"],
    async (client, signal) =>
      (await client.call("channel-groups.list", { query: { limit: 200 }, signal })).body.channel_groups,
  );
  const remove = useAct(
    (client, id: string) => client.call("channel-groups.remove", { params: { id } }),
    ["channel-groups"],
  );
  const isEditable = whyNot("manage_groups") === null;
  return (
    <div className="snippets stack tight">
      <Found query={groups} what="Groups">
        {(list) =>
          list.length === 0 ? (
            <p className="soft">Save accounts that you often choose together.</p>
          ) : (
            <ul>
              {list.map(({ id, name, channels }) => (
                <li key={id} className="snippet">
                  <button type="button" className="quiet" onClick={() => onChoose(channels)}>
                    <span dir="auto">{name}</span>
                    <small>{count(channels.length, "account")}</small>
                  </button>
                  {isEditable && (
                    <button
                      type="button"
                      className="quiet icon-button"
                      aria-label={`Delete ${name}`}
                      onClick={() => remove.mutate(id, { onSuccess: () => say(`${name} deleted`) })}
                    >
                      <Icon name="cross" />
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Found>
      <Refused error={remove.error} />
      {isEditable && chosen.length > 0 && <SaveGroup chosen={chosen} />}
    </div>
  );
}

function SaveGroup({ chosen }: { chosen: string[] }) {
  const say = useSay();
  const [name, setName] = useState("");
  const save = useAct(
    (client, body: { name: string; channels: string[] }) => client.call("channel-groups.create", { body }),
    ["channel-groups"],
  );
  return (
    <form
      className="save-snippet"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(
          { name: name.trim(), channels: chosen },
          {
            onSuccess: () => {
              setName("");
              say("Group saved");
            },
          },
        );
      }}
    >
      <input
        aria-label="Name of the group"
        placeholder={`Save ${count(chosen.length, "account")} as`}
        required
        maxLength={80}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" className="small" disabled={save.isPending}>
        Save
      </button>
      <Refused error={save.error} />
    </form>
  );
}
