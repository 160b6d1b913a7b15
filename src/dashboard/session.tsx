// The signed-in user, the open workspace, and the user's abilities in it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from "react";
import type { Client } from "../client/client.ts";
import { WORKSPACE_PARAMETER } from "../domain/dashboard-link.ts";
import { queuedAs } from "../domain/posts/approval.ts";
import { type AbilityName, allows } from "../domain/roles.ts";
import { makeClient, onForbidden } from "./api.ts";
import { useSendsMail } from "./sends-mail.ts";
import type { Me, Workspace } from "./types.ts";
import { Bell } from "./ui/bell.tsx";
import { Alone } from "./ui/broken.tsx";
import { Loading, Trouble } from "./ui/states.tsx";
import { useSay } from "./ui/toasts.tsx";
import { explainRole } from "./words/abilities.ts";

interface Session {
  me: Me;
  workspace: Workspace;
  client: Client;
  open(workspace: string): void;
  /** null: they may; otherwise the reason why not. */
  whyNot(ability: AbilityName): string | null;
  /** The status that a post gets when they queue it; null: they may not. */
  queued: ReturnType<typeof queuedAs>;
}

const Current = createContext<Session | null>(null);
const LAST = "crier:workspace";

export function useSession(): Session {
  const session = use(Current);
  if (session === null) throw new Error("nobody is signed in here");
  return session;
}

/** A session that is not signed in anywhere, for the gallery. */
export const SampleSession = ({ me, workspace, children }: { me: Me; workspace: Workspace; children: ReactNode }) => (
  <Current
    value={{ me, workspace, client: makeClient(workspace.id), open() {}, whyNot: () => null, queued: "scheduled" }}
  >
    {children}
  </Current>
);

/** The address of the sign-in page, with the way back. */
export const signInAddress = () => `/auth?continue=${encodeURIComponent(location.pathname + location.search)}`;

/** The workspace that a link names, for example one in a mail. */
const findLinkedWorkspace = () => new URLSearchParams(location.search).get(WORKSPACE_PARAMETER);

/** Opens the linked workspace for later visits, too, and takes its name out of the address, so that it is obeyed once. */
function useLinkedWorkspace(linked: string | null, me: Me | undefined): void {
  const say = useSay();
  const isDone = useRef(linked === null);
  useEffect(() => {
    if (linked === null || me === undefined || isDone.current) return;
    isDone.current = true;
    if (me.workspaces.some(({ id }) => id === linked)) localStorage.setItem(LAST, linked);
    else say("That link is for a workspace that you're not a member of.");
    const address = new URL(location.href);
    address.searchParams.delete(WORKSPACE_PARAMETER);
    history.replaceState(history.state, "", address);
  }, [linked, me, say]);
}

/** The frame before anything is known; index.html has the same until this code has arrived. */
const Opening = () => (
  <div className="shell">
    <div className="side">
      <span className="brand">
        <Bell />
        <span>Crier</span>
      </span>
    </div>
    <main>
      <Loading what="Your workspace" />
    </main>
  </div>
);

export function SessionProvider({ children }: { children: ReactNode }) {
  const [linked] = useState(findLinkedWorkspace);
  const [chosen, choose] = useState(() => linked ?? localStorage.getItem(LAST));
  const me = useQuery({
    queryKey: ["me"],
    queryFn: async ({ signal }) => (await makeClient(null).call("accounts.me", { signal })).body,
    staleTime: 60_000,
  });
  const say = useSay();
  const queries = useQueryClient();
  // Known before a page asks, so that nothing on it moves.
  useSendsMail();
  useEffect(() => onForbidden(() => void queries.invalidateQueries({ queryKey: ["me"] })), [queries]);
  const workspace = me.data?.workspaces.find(({ id }) => id === chosen) ?? me.data?.workspaces[0];
  const session = useMemo<Session | null>(() => {
    if (me.data === undefined || workspace === undefined) return null;
    const { role = "viewer" } = workspace;
    return {
      me: me.data,
      workspace,
      client: makeClient(workspace.id),
      open(id) {
        localStorage.setItem(LAST, id);
        choose(id);
      },
      whyNot(ability) {
        if (allows(role, ability)) return null;
        return explainRole(ability, role);
      },
      queued: queuedAs(workspace.approval, { publish: allows(role, "publish"), draft: allows(role, "draft") }),
    };
  }, [me.data, workspace]);
  useLinkedWorkspace(linked, me.data);
  const before = useRef(workspace);
  useEffect(() => {
    const previousWorkspace = before.current;
    before.current = workspace;
    if (
      previousWorkspace === undefined ||
      me.data === undefined ||
      me.data.workspaces.some(({ id }) => id === previousWorkspace.id)
    )
      return;
    say(`You're no longer a member of ${previousWorkspace.name}`);
  }, [workspace, me.data, say]);
  // A later failure does not remove data that is already shown.
  if (me.isError && session === null) {
    return (
      <Alone title="Your workspace cannot be shown">
        <Trouble error={me.error} again={() => void me.refetch()} />
      </Alone>
    );
  }
  if (me.data !== undefined && workspace === undefined) {
    return (
      <Alone title="You're not in a workspace">
        <p>Ask a colleague to invite you.</p>
      </Alone>
    );
  }
  if (session === null) return <Opening />;
  return <Current value={session}>{children}</Current>;
}
