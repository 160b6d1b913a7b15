// The components that a part of a page shows while it loads, when it is empty, and on errors.
import type { ReactNode } from "react";
import { Refusal } from "../../client/errors.ts";
import { describeError } from "../api.ts";
import { Icon, type IconName } from "./icons.tsx";

const BARS = [1, 2, 3].map((bar) => <span key={bar} className="bar" />);

interface LoadingProps {
  what: string;
  className?: string;
  /** The shapes of the content that is about to come. */
  children?: ReactNode;
}

/** Takes the place of data that is pending, and says so to screen readers. */
export function Loading({ what, className = "loading", children = BARS }: LoadingProps) {
  return (
    <div className={className} role="status">
      <span className="visually-hidden">{what}: loading</span>
      {children}
    </div>
  );
}

export function Trouble({ error, again }: { error: unknown; again?: () => void }) {
  return (
    <div className="alert" role="alert">
      <p>{describeError(error)}</p>
      {again !== undefined && !isSettled(error) && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Whether a retry would get the same answer: the resource is missing, or forbidden to this person. */
const isSettled = (error: unknown) => error instanceof Refusal && [403, 404].includes(error.status);

/** Shows why the service refused a request, and how to fix it. Shows nothing if there is no error. */
export function Refused({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <p className="alert" role="alert">
      {describeError(error)}
    </p>
  );
}

/** The shapes of rows that are about to come. */
export function SkeletonRows({ what, count = 5 }: { what: string; count?: number }) {
  return (
    <Loading what={what} className="skeleton-rows">
      {Array.from({ length: count }, (_, row) => row).map((row) => (
        <span key={row} aria-hidden="true">
          {BARS}
        </span>
      ))}
    </Loading>
  );
}

/** Nothing is here yet. `children`: one sentence, and the button that changes it. */
export function Empty({ title, icon, children }: { title: string; icon?: IconName; children?: ReactNode }) {
  return (
    <div className="empty">
      {icon !== undefined && (
        <span className="empty-picture">
          <Icon name={icon} />
        </span>
      )}
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

/** A query's data; before that, a loading message or the error. */
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
  // While offline the query waits; the frame says so.
  if (query.fetchStatus === "paused") return <p className="soft">{what}: available when you are back online.</p>;
  return <Loading what={what} />;
}
