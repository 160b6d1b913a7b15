// The acts on the selected posts, in a bar at the bottom.
import { useState } from "react";
import { LABEL_LENGTH_MAX } from "../../domain/limits.ts";
import { useChannels } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Post } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { channelName } from "../ui/channel.tsx";
import { Segments } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { DateTimeField, Field } from "../ui/field.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { type BulkAct, type BulkFailure, useBulk } from "./bulk.ts";
import { toCsv } from "./csv.ts";

const countPosts = (count: number) => (count === 1 ? "1 post" : `${count} posts`);
type Question = "move" | "label" | "delete" | null;

interface BarProps {
  posts: Post[];
  onClear(): void;
  /** The posts that were not changed stay selected. */
  onFailures(failures: BulkFailure[]): void;
}

export function BulkBar({ posts, onClear, onFailures }: BarProps) {
  const { whyNot } = useSession();
  const say = useSay();
  const channels = useChannels().data ?? [];
  const [question, ask] = useState<Question>(null);
  const [failures, setFailures] = useState<BulkFailure[]>([]);
  const bulk = useBulk(posts);
  const mayWrite = whyNot("draft") === null;
  const waiting = posts.filter(({ status }) => status === "awaiting_approval");
  const run = (act: BulkAct, done: string) =>
    bulk.mutate(act, {
      onSuccess({ changed, failures: failed }) {
        ask(null);
        setFailures(failed);
        onFailures(failed);
        if (changed > 0) say(`${countPosts(changed)} ${done}`);
      },
    });
  const download = () => {
    const nameChannel = (id: string) => {
      const channel = channels.find((candidate) => candidate.id === id);
      return channel === undefined ? "a disconnected channel" : channelName(channel);
    };
    saveFile(new Blob([toCsv(posts, nameChannel)], { type: "text/csv" }), "crier-posts.csv");
    say("crier-posts.csv is in your downloads");
  };
  return (
    <section className="bulk-bar" aria-label="Selected posts">
      <strong className="numbers">{posts.length} selected</strong>
      {mayWrite && (
        <>
          <Button icon="clock" onClick={() => ask("move")}>
            Move
          </Button>
          <Button icon="tag" onClick={() => ask("label")}>
            Label
          </Button>
        </>
      )}
      {waiting.length > 0 && whyNot("publish") === null && (
        <Button icon="check" isBusy={bulk.isPending} onClick={() => run({ do: "approve" }, "approved")}>
          Approve
        </Button>
      )}
      <Button icon="tray" onClick={download}>
        Export
      </Button>
      {mayWrite && (
        <Button variant="danger" icon="trash" onClick={() => ask("delete")}>
          Delete
        </Button>
      )}
      <Button variant="quiet" onClick={onClear}>
        Clear
      </Button>
      {question === null && <Refused error={bulk.error} />}
      <Failures failures={failures} />
      {question === "move" && (
        <MoveDialog
          count={posts.length}
          isBusy={bulk.isPending}
          error={bulk.error}
          onClose={() => ask(null)}
          onMove={(act) => run(act, "moved")}
        />
      )}
      {question === "label" && (
        <LabelDialog
          count={posts.length}
          isBusy={bulk.isPending}
          error={bulk.error}
          onClose={() => ask(null)}
          onLabel={(act) => run(act, "labelled")}
        />
      )}
      {question === "delete" && (
        <Dialog
          title={`Delete ${countPosts(posts.length)}?`}
          onClose={() => ask(null)}
          actions={(close) => (
            <>
              <Button onClick={close}>Keep</Button>
              <Button variant="danger" isBusy={bulk.isPending} onClick={() => run({ do: "delete" }, "deleted")}>
                Delete
              </Button>
            </>
          )}
        >
          <p>Drafts are deleted, and scheduled posts are cancelled. Posts that are live stay on their networks.</p>
          <Refused error={bulk.error} />
        </Dialog>
      )}
    </section>
  );
}

interface AskProps {
  count: number;
  isBusy: boolean;
  error: unknown;
  onClose(): void;
}

const UNITS = { hours: 3_600, days: 86_400, weeks: 604_800 };
type Unit = keyof typeof UNITS;

function MoveDialog({ count, isBusy, error, onClose, onMove }: AskProps & { onMove(act: BulkAct): void }) {
  const { workspace } = useSession();
  const [way, setWay] = useState<"by" | "to">("by");
  const [amount, setAmount] = useState("1");
  const [unit, setUnit] = useState<Unit>("days");
  const [sign, setSign] = useState<"later" | "earlier">("later");
  const [at, setAt] = useState("");
  const seconds = Math.round(Number(amount) * UNITS[unit]) * (sign === "later" ? 1 : -1);
  const isReady = way === "by" ? Number.isFinite(seconds) && seconds !== 0 : at !== "";
  return (
    <Dialog
      title={`Move ${countPosts(count)}`}
      onClose={onClose}
      actions={(close) => (
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            isBusy={isBusy}
            disabled={!isReady}
            onClick={() => onMove(way === "by" ? { do: "move", by_seconds: seconds } : { do: "move", publish_at: at })}
          >
            Move
          </Button>
        </>
      )}
    >
      <Segments<"by" | "to">
        label="How to move"
        value={way}
        options={[
          { value: "by", name: "By some time" },
          { value: "to", name: "To one time" },
        ]}
        onChange={setWay}
      />
      {way === "by" ? (
        <div className="row move-by">
          <Field
            label="Amount"
            type="number"
            min={1}
            value={amount}
            onChange={({ target }) => setAmount(target.value)}
          />
          <label className="field">
            <span>Unit</span>
            <select value={unit} onChange={({ target }) => setUnit(toUnit(target.value))}>
              {Object.keys(UNITS).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <Segments<"later" | "earlier">
            label="Direction"
            value={sign}
            options={[
              { value: "later", name: "Later" },
              { value: "earlier", name: "Earlier" },
            ]}
            onChange={setSign}
          />
        </div>
      ) : (
        <DateTimeField
          label="Date and time"
          zone={workspace.timezone}
          value={at}
          onChange={({ target }) => setAt(target.value)}
        />
      )}
      <Refused error={error} />
    </Dialog>
  );
}

const toUnit = (name: string): Unit => (name === "hours" || name === "weeks" ? name : "days");

function LabelDialog({ count, isBusy, error, onClose, onLabel }: AskProps & { onLabel(act: BulkAct): void }) {
  const [label, setLabel] = useState("");
  const [way, setWay] = useState<"add" | "remove">("add");
  const name = label.trim();
  return (
    <Dialog
      title={`Label ${countPosts(count)}`}
      onClose={onClose}
      actions={(close) => (
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            isBusy={isBusy}
            disabled={name === ""}
            onClick={() => onLabel({ do: "label", labels: way === "add" ? { add: [name] } : { remove: [name] } })}
          >
            {way === "add" ? "Add label" : "Remove label"}
          </Button>
        </>
      )}
    >
      <Segments<"add" | "remove">
        label="Add or remove"
        value={way}
        options={[
          { value: "add", name: "Add" },
          { value: "remove", name: "Remove" },
        ]}
        onChange={setWay}
      />
      <Field
        label="Label"
        dir="auto"
        maxLength={LABEL_LENGTH_MAX}
        value={label}
        onChange={({ target }) => setLabel(target.value)}
      />
      <Refused error={error} />
    </Dialog>
  );
}

function Failures({ failures }: { failures: BulkFailure[] }) {
  if (failures.length === 0) return null;
  return (
    <div className="alert bulk-failures" role="alert">
      <p>{failures.length === 1 ? "1 post was not changed." : `${failures.length} posts were not changed.`}</p>
      <ul>
        {failures.map(({ id, title, reason }) => (
          <li key={id}>
            <bdi>{title}</bdi>: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}
