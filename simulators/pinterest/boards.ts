// The boards of an account.
import type { Context } from "hono";
import type { SimulatorEnv } from "../simulator.ts";
import { ApiError } from "./problem.ts";

const BOARDS = [
  { id: "101", name: "Board 101", description: "", privacy: "PUBLIC" },
  { id: "102", name: "Board 102", description: "", privacy: "SECRET" },
];
const MORE_BOARDS = Array.from({ length: 300 }, (_, i) => ({
  id: String(1_000 + i),
  name: `Shelf ${i + 1}`,
  description: i === 0 ? "Winter things" : "",
  privacy: "PUBLIC",
}));
const PAGE_SIZE = 25;
const PAGE_SIZE_MAX = 250;
/** The id of the only section. It belongs to board 101. */
export const SECTION = "7";

export const listBoards = (account: string) => (account.startsWith("boards_") ? [...BOARDS, ...MORE_BOARDS] : BOARDS);

/** Returns the id if the account has this board. Otherwise throws a 404. */
export function requireBoard(account: string, id: string): string {
  if (!listBoards(account).some((board) => board.id === id)) throw new ApiError(404, 40, "Board not found.");
  return id;
}

/** Builds the requested page of a list. `bookmark` encodes where the next page starts. */
export function buildPage<Item>(c: Context<SimulatorEnv>, items: Item[]): { items: Item[]; bookmark: string | null } {
  const { page_size = String(PAGE_SIZE), bookmark = "" } = c.req.query();
  const [size, from] = [Number(page_size), bookmark === "" ? 0 : Number(atob(bookmark))];
  if (!Number.isInteger(size) || size < 1 || size > PAGE_SIZE_MAX)
    throw new ApiError(400, 1, `Invalid request: page_size must be 1 to ${PAGE_SIZE_MAX}`);
  const to = from + size;
  return { items: items.slice(from, to), bookmark: to < items.length ? btoa(String(to)) : null };
}
