import { Link } from "wouter";

/** A link to the actions of a key or an application. */
export function Did({ id, name }: { id: string; name: string }) {
  return (
    <Link href={`/activity?actor=${id}`}>
      Activity<span className="visually-hidden">: {name}</span>
    </Link>
  );
}
