// Hooks with which pages read and change data of the open workspace.
import { keepPreviousData, type QueryKey, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Client } from "../client/client.ts";
import { repeatReads } from "./repeat-reads.ts";
import { useSession } from "./session.tsx";
import type { Channel } from "./types.ts";

/**
 * Reads data for a page, cached by key and workspace. `always`: reads again when the page opens, even if the cached value is
 * recent; `isFetchedAfterMount` says when that is done.
 */
export function useRead<Read>(
  key: QueryKey,
  read: (client: Client, signal: AbortSignal) => Promise<Read>,
  options: { every?: number; when?: boolean; keep?: boolean; always?: boolean } = {},
) {
  const { client, workspace } = useSession();
  return useQuery<Read>({
    queryKey: [workspace.id, ...key],
    queryFn: ({ signal }) => read(client, signal),
    enabled: options.when ?? true,
    refetchOnMount: options.always === true ? "always" : true,
    refetchInterval: options.every ?? false,
    // Hidden pages do not poll.
    refetchIntervalInBackground: false,
    placeholderData: options.keep === true ? keepPreviousData : undefined,
  });
}

/**
 * Makes a change. Afterwards, the reads whose keys begin with one of `changes` are repeated. `onSuccess` is called even if
 * the clicked element is gone by then: for example, the button to retry a delivery disappears as soon as the page is read
 * again, but the success message must still appear.
 */
export function useAct<Input, Done>(act: (client: Client, input: Input) => Promise<Done>, changes: string[]) {
  const { client, workspace } = useSession();
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: (input: Input) => act(client, input),
    onSettled: () => Promise.all(changes.map((key) => repeatReads(queries, [workspace.id, key]))),
  });
  const { mutateAsync } = mutation;
  // A stable function, so that an effect can depend on it.
  const mutate = useCallback(
    (input: Input, { onSuccess }: { onSuccess?: (result: Done) => void } = {}): void => {
      // The page shows the error from `mutation.error`.
      void mutateAsync(input).then(onSuccess, () => {});
    },
    [mutateAsync],
  );
  return { ...mutation, mutate };
}

/** All channels, page by page. */
export const useChannels = () =>
  useRead(["channels"], async (client, signal) => {
    const channels: Channel[] = [];
    for (let cursor: string | undefined; ; ) {
      const { body } = await client.call("channels.list", { query: { limit: 200, cursor }, signal });
      channels.push(...body.channels);
      if (body.next === null) break;
      cursor = body.next;
    }
    return channels.sort(
      (first, second) => first.platform.localeCompare(second.platform) || first.handle.localeCompare(second.handle),
    );
  });

export const usePlatforms = () =>
  useRead(["platforms"], async (client, signal) => (await client.call("platforms.list", { signal })).body);
