// The command palette, which opens pages, runs common actions and finds posts from a few typed letters, without the mouse.
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useLocation } from "wouter";
import type { Client } from "../../client/client.ts";
import { networkName } from "../../domain/network-name.ts";
import { useWaiting } from "../approvals/waiting.ts";
import { usePlatforms, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { useSignOut } from "../sign-out.ts";
import type { Post } from "../types.ts";
import { useOpenDialog } from "../ui/open-dialog.ts";
import { nameState } from "../words/states.ts";

export interface Target {
  href: string;
  name: string;
}
interface Choice {
  id: string;
  group: "Pages" | "Do" | "Posts";
  name: string;
  note?: string;
  act(): void;
}

/** Long enough to avoid a request per keystroke. */
const PAUSE_MS = 200;
const POSTS_SHOWN = "5";
/** The maximum number of pages that a search reads at a time. */
const PAGES_MAX = 5;

/** The first posts that contain these words. */
async function find(client: Client, signal: AbortSignal, query: { q: string; status?: "draft" }): Promise<Post[]> {
  for (let page = 0, cursor: string | undefined; page < PAGES_MAX; page++) {
    const { body } = await client.call("posts.list", { query: { ...query, limit: POSTS_SHOWN, cursor }, signal });
    if (body.posts.length > 0 || body.next === null) return body.posts;
    cursor = body.next;
  }
  return [];
}

/** Whether every typed word is the beginning of a word in the name. */
function fits(name: string, typed: string): boolean {
  const words = name.toLowerCase().split(/\s+/);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((term) => words.some((word) => word.startsWith(term)));
}

export function Palette({ places, onClose, onKeys }: { places: Target[]; onClose(): void; onKeys(): void }) {
  const [, go] = useLocation();
  const ids = useId();
  const dialog = useOpenDialog();
  const [typed, setTyped] = useState("");
  const [searchText, ask] = useState("");
  const [selectedIndex, setAt] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => ask(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const posts = useRead(
    ["posts", "palette", searchText],
    // Drafts come from a separate list.
    async (client, signal) =>
      (
        await Promise.all([
          find(client, signal, { q: searchText }),
          find(client, signal, { q: searchText, status: "draft" }),
        ])
      ).flat(),
    { when: searchText !== "", keep: true },
  );

  const leave = (href: string) => () => {
    dialog.current?.close();
    go(href);
  };
  const wish = typed.trim();
  const doings = useDoings({
    wish,
    close: () => dialog.current?.close(),
    onKeys,
  });
  const choices: Choice[] = [
    ...places.map(({ href, name }): Choice => ({ id: href, group: "Pages", name, act: leave(href) })),
    ...SETTINGS.map(
      ([section, name]): Choice => ({ id: section, group: "Pages", name, act: leave(`/settings/${section}`) }),
    ),
    ...doings.map(
      ([id, name, act]): Choice => ({ id, group: "Do", name, act: typeof act === "string" ? leave(act) : act }),
    ),
  ].filter(({ name }) => wish === "" || fits(name, wish));
  if (wish !== "" && searchText !== "") {
    for (const { id, text, media, status } of posts.data ?? []) {
      const name = text.trim().replace(/\s+/g, " ").slice(0, 120) || `${media.length} files, no text`;
      choices.push({ id, group: "Posts", name, note: nameState(status), act: leave(`/posts/${id}`) });
    }
  }
  const chosen = Math.min(selectedIndex, choices.length - 1);
  const idAt = (i: number) => `${ids}-${i}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the selection changes.
  useEffect(() => {
    document.getElementById(idAt(chosen))?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  function press(event: KeyboardEvent) {
    const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, Home: 0, End: choices.length - 1 }[event.key];
    if (to !== undefined && (event.key.startsWith("Arrow") || wish === "")) {
      event.preventDefault();
      setAt((to + choices.length) % Math.max(1, choices.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choices[chosen]?.act();
    }
  }

  return (
    <dialog ref={dialog} className="dialog palette" aria-label="Go to" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Page, post or action"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={`${ids}-list`}
        aria-activedescendant={choices.length === 0 ? undefined : idAt(chosen)}
        placeholder="Page, post or action"
        autoComplete="off"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div role="listbox" id={`${ids}-list`} aria-label="Choices">
        {choices.map(({ id, group, name, note, act }, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the choice.
          <div
            key={`${group} ${id}`}
            id={idAt(i)}
            role="option"
            aria-selected={i === chosen}
            onClick={act}
            onPointerMove={() => setAt(i)}
          >
            <span className="one-line">{name}</span>
            <small>{note ?? (group === "Do" ? "" : "page")}</small>
          </div>
        ))}
      </div>
      <p className="soft" role="status">
        <small>
          {choices.length === 0
            ? posts.isFetching || searchText !== wish
              ? "Searching"
              : "No results."
            : `${choices.length} ${choices.length === 1 ? "choice" : "choices"}`}
        </small>
      </p>
    </dialog>
  );
}

/** An id, a name, and the action: an address or a function. */
type Doing = [id: string, name: string, act: string | (() => void)];

/** The actions that this role may take. Long lists are offered only after the user has typed something. */
function useDoings({ wish, close, onKeys }: { wish: string; close(): void; onKeys(): void }): Doing[] {
  const { me, workspace, open, whyNot } = useSession();
  const platforms = usePlatforms().data?.platforms ?? [];
  const waiting = useWaiting().data?.posts.length ?? 0;
  const signOut = useSignOut();
  const may = (ability: Parameters<typeof whyNot>[0], ...doings: Doing[]) => (whyNot(ability) === null ? doings : []);
  const closing = (act: () => void) => () => {
    close();
    act();
  };
  return [
    ...may("draft", ["new", "New post", "/compose"]),
    ...(waiting === 0 ? [] : may("publish", ["approve", `Approve waiting posts (${waiting})`, "/approvals"])),
    ["drafts", "Drafts", "/posts?status=draft"],
    ["failed", "Failed posts", "/posts?status=failed"],
    ...may("add_media", ["media", "Add files", "/media"]),
    ...may("manage_slots", ["slot", "Add a slot", "/slots"]),
    ...may("manage_members", ["invite", "Invite a member", "/settings/members"]),
    ...may("manage_key", ["key", "Create a key", "/settings/keys"]),
    ...may("manage_webhooks", ["webhook", "Add a webhook", "/settings/webhooks"]),
    ...may("draft", ["import", "Import posts from a file", "/import"]),
    ["export", "Export everything", "/import"],
    ...(wish === ""
      ? []
      : [
          ...may(
            "manage_channels",
            ...platforms
              .filter(({ publishes }) => publishes !== "not_configured")
              .map(
                ({ platform }): Doing => [
                  `connect-${platform}`,
                  `Connect ${networkName(platform)}`,
                  `/channels?connect=${platform}`,
                ],
              ),
          ),
          ...me.workspaces
            .filter(({ id }) => id !== workspace.id)
            .map(({ id, name }): Doing => [`open-${id}`, `Switch to workspace ${name}`, closing(() => open(id))]),
        ]),
    ["keys", "Show keyboard shortcuts", closing(onKeys)],
    ["sign-out", "Sign out", closing(() => void signOut())],
  ];
}

const SETTINGS: [part: string, name: string][] = [
  ["members", "Members"],
  ["keys", "API keys"],
  ["feeds", "Feeds"],
  ["webhooks", "Webhooks"],
  ["agents", "Connected apps"],
  ["audit", "Audit log"],
  ["notifications", "Notifications"],
  ["account", "Account"],
  ["security", "Password and second factor"],
];
