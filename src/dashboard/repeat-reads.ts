import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Repeats the reads whose keys begin with this key. A read in progress may have been answered before the change, so it is
 * ended first: `invalidateQueries` alone would keep the answer of a first read.
 */
export async function repeatReads(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  await queries.cancelQueries({ queryKey });
  await queries.invalidateQueries({ queryKey });
}
