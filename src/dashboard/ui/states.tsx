// What a part of a page shows when it has nothing to show yet, nothing at all, or trouble.
import type { ReactNode } from "react";
import { Refusal } from "../../client/errors.ts";
import { wordsOf } from "../api.ts";

export function Loading({ what }: { what: string }) {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">{what} is loading</span>
      <span className="bar" />
      <span className="bar" />
      <span className="bar" />
    </div>
  );
}

export function Trouble({ error, again }: { error: unknown; again?: () => void }) {
  const { message, hint } = wordsOf(error);
  return (
    <div className="alert" role="alert">
      <p>{message}</p>
      {hint !== null && <p>{hint}</p>}
      {again !== undefined && !isSettled(error) && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Whether asking again would be answered the same: it is not there, or not for this person. */
const isSettled = (error: unknown) => error instanceof Refusal && [403, 404].includes(error.status);

/** Why the service did not do what somebody asked for, and what helps; nothing while it has refused nothing. */
export function Refused({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  const { message, hint } = wordsOf(error);
  return (
    <p className="alert" role="alert">
      {message} {hint}
    </p>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

interface Query<Data> {
  data: Data | undefined;
  error: unknown;
  isError: boolean;
  fetchStatus: "fetching" | "paused" | "idle";
  refetch(): unknown;
}

/** What a query found; until then that it is on its way, or why it failed. */
export function Found<Data>({
  query,
  what,
  children,
}: {
  query: Query<Data>;
  what: string;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <Trouble error={query.error} again={() => void query.refetch()} />;
  // Without a network it waits; the frame says so.
  if (query.fetchStatus === "paused") return <p className="soft">{what}: shown when you are back online.</p>;
  return <Loading what={what} />;
}
