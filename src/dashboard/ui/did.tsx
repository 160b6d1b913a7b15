import { Link } from "wouter";

/** The way to what a key or an application did. */
export function Did({ id, name }: { id: string; name: string }) {
  return (
    <Link href={`/activity?actor=${id}`}>
      What it did<span className="visually-hidden">: {name}</span>
    </Link>
  );
}
