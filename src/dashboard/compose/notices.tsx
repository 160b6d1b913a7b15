// The notices above the editor: a restored draft, a missing permission, and another person's version.
import { useSession } from "../session.tsx";
import type { Channel } from "../types.ts";
import { Conflict } from "./conflict.tsx";
import { toDraft } from "./draft.ts";
import type { useEditing } from "./use-editing.ts";

export function Notices({ editing, channels }: { editing: ReturnType<typeof useEditing>; channels: Channel[] }) {
  const { draft, changed } = editing;
  const whyNotDraft = useSession().whyNot("draft");
  return (
    <>
      {editing.isRestored && (
        <p className="note small-alert row" role="status">
          <span>Your draft is back.</span>
          <button type="button" className="link" onClick={editing.beginAnew}>
            Start over
          </button>
        </p>
      )}
      {whyNotDraft !== null && <p className="note small-alert">{whyNotDraft}</p>}
      {changed !== null && (
        <Conflict
          mine={draft}
          theirs={toDraft(changed)}
          channels={channels}
          onMine={() => editing.keepMine(changed)}
          onTheirs={() => editing.takeTheirs(changed)}
        />
      )}
    </>
  );
}
