// Makes a report of the shown period: a page that prints well, with a link for people without an account.
import { useAct } from "../reads.ts";
import { useSession } from "../session.tsx";
import { Button } from "../ui/button.tsx";
import { useCopy } from "../ui/copy.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Instant } from "../ui/marks.tsx";
import { Refused } from "../ui/states.tsx";
import { formatDate } from "../words/dates.ts";
import type { Range } from "./figures.ts";

/** `of`: the channel and the label that narrow it, in words; null: it has all. */
export function ReportDialog({ range, of, onClose }: { range: Range; of: string | null; onClose(): void }) {
  const { workspace } = useSession();
  const copy = useCopy("Link");
  const make = useAct(async (client, { from, to, channel, label }: Range) => {
    const body = { from, to, channels: channel === undefined ? null : [channel], label: label ?? null };
    return (await client.call("reports.create", { body })).body;
  }, []);
  const brand = workspace.brand?.name ?? workspace.name;
  return (
    <Dialog
      title="Share a report"
      onClose={onClose}
      actions={(close) => (
        <>
          <Button onClick={close}>Close</Button>
          {make.data === undefined ? (
            <Button variant="primary" isBusy={make.isPending} onClick={() => make.mutate(range)}>
              Create link
            </Button>
          ) : (
            <Button variant="primary" onClick={() => void copy(make.data?.url ?? "")}>
              Copy link
            </Button>
          )}
        </>
      )}
    >
      {make.data === undefined ? (
        <p>
          A page in the name of <bdi>{brand}</bdi> with the figures from {formatDate(range.from)} to{" "}
          {formatDate(range.to)}
          {of === null ? " of all channels" : ` of ${of}`}: the change against the period before, and the best posts.
          Anyone with the link can read it for seven days. It prints well, too.
        </p>
      ) : (
        <label className="field">
          <span>Link to the report</span>
          <input readOnly value={make.data.url} onFocus={({ target }) => target.select()} />
          <small>
            Works until <Instant at={make.data.expires_at} />. Copy it now: it is not shown again.{" "}
            <a href={make.data.url} target="_blank" rel="noreferrer">
              Open the report
            </a>
          </small>
        </label>
      )}
      <Refused error={make.error} />
    </Dialog>
  );
}
