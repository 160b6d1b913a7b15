// Reads and changes of the open workspace, for pages.
import { keepPreviousData, type QueryKey, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Client } from "../client/client.ts";
import { useSession } from "./session.tsx";
import type { Channel } from "./types.ts";

/**
 * A read for a page, cached by its key and its workspace. `always`: it is repeated when the page opens, however recent the
 * cached value is; `isFetchedAfterMount` tells when that is done.
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
 * A change that a person makes. The pages' affected reads are repeated afterwards. `onSuccess` is called even if the clicked
 * element is gone by then: a retried delivery removes its button as soon as the page is read again, but the message must
 * still appear.
 */
export function useAct<Input, Done>(act: (client: Client, input: Input) => Promise<Done>, changes: string[]) {
  const { client, workspace } = useSession();
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: (input: Input) => act(client, input),
    onSettled: () => Promise.all(changes.map((key) => queries.invalidateQueries({ queryKey: [workspace.id, key] }))),
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
