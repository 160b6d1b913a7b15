import { useCopy } from "./copy.ts";

/** A secret that is shown only once. `what`: its kind, such as "key". */
export function ShownOnce({ what, of, value, onDone }: { what: string; of: string; value: string; onDone(): void }) {
  const copy = useCopy(`The ${what}`);
  return (
    <section className="note" role="status" aria-label={`The ${what}`}>
      <p>
        The {what} {of}. Save it now: it is not shown again.
      </p>
      <p>
        <code className="exact">{value}</code>
      </p>
      <div className="row">
        <button type="button" onClick={() => void copy(value)}>
          Copy the {what}
        </button>
        <button type="button" className="link" onClick={onDone}>
          I have saved it
        </button>
      </div>
    </section>
  );
}
