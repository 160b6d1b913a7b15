// The columns that most tables have.
import { integer, text } from "drizzle-orm/sqlite-core";

/** A text that is always there. */
export const required = (name: string) => text(name).notNull();
/** Epoch milliseconds. */
export const instant = (name: string) => integer(name);
