// Saved texts and sets of hashtags, to insert into a post.
import { useState } from "react";
import type { Answer } from "../../client/client.ts";
import { useAct, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { Icon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { Found, Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import "./saved-list.css";

type Snippet = Answer<"snippets.list">["snippets"][number];

const HASHTAGS = /^\s*(?:[#＃][\p{L}\p{N}_]+\s*)+$/u;

export function Snippets({ text, onInsert }: { text: string; onInsert(text: string): void }) {
  return (
    <Popover label="Saved texts" button={<Icon name="bookmark" />} className="quiet icon-button">
      {(close) => (
        <SnippetList
          text={text}
          onInsert={(inserted) => {
            close();
            onInsert(inserted);
          }}
        />
      )}
    </Popover>
  );
}

function SnippetList({ text, onInsert }: { text: string; onInsert(text: string): void }) {
  const { whyNot } = useSession();
  const snippets = useRead(
    ["snippets"],
    async (client, signal) => (await client.call("snippets.list", { query: { limit: 200 }, signal })).body.snippets,
  );
  const isEditable = whyNot("write_snippets") === null;
  return (
    <div className="snippets stack tight">
      <Found query={snippets} what="Saved texts">
        {(list) => (
          <>
            <SnippetGroup
              title="Texts"
              entries={list.filter(({ kind }) => kind === "text")}
              {...{ isEditable, onInsert }}
            />
            <SnippetGroup
              title="Hashtags"
              entries={list.filter(({ kind }) => kind === "hashtags")}
              {...{ isEditable, onInsert }}
            />
            {list.length === 0 && <p className="soft">Save a text or hashtags that you use often.</p>}
          </>
        )}
      </Found>
      {isEditable && text.trim() !== "" && <SaveSnippet text={text} />}
    </div>
  );
}

interface SnippetGroupProps {
  title: string;
  entries: Snippet[];
  isEditable: boolean;
  onInsert(text: string): void;
}

function SnippetGroup({ title, entries, isEditable, onInsert }: SnippetGroupProps) {
  const say = useSay();
  const remove = useAct((client, id: string) => client.call("snippets.remove", { params: { id } }), ["snippets"]);
  if (entries.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {entries.map(({ id, name, text, kind }) => (
          <li key={id} className="snippet">
            <button
              type="button"
              className="quiet"
              onClick={() => onInsert(kind === "hashtags" ? `\n\n${text}` : text)}
            >
              <span dir="auto">{name}</span>
              <small dir="auto">{text}</small>
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
      <Refused error={remove.error} />
    </section>
  );
}

function SaveSnippet({ text }: { text: string }) {
  const say = useSay();
  const [name, setName] = useState("");
  const save = useAct(
    (client, entry: { name: string; text: string; kind: Snippet["kind"] }) =>
      client.call("snippets.create", { body: entry }),
    ["snippets"],
  );
  return (
    <form
      className="save-snippet"
      onSubmit={(event) => {
        event.preventDefault();
        const kind = HASHTAGS.test(text) ? "hashtags" : "text";
        save.mutate(
          { name: name.trim(), text: text.trim(), kind },
          {
            onSuccess: () => {
              setName("");
              say("Text saved");
            },
          },
        );
      }}
    >
      <input
        aria-label="Name of this text"
        placeholder="Save this text as"
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
