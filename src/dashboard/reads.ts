// What pages read of the open workspace, and what they do in it.
import { keepPreviousData, type QueryKey, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Client } from "../client/client.ts";
import { useSession } from "./session.tsx";
import type { Channel } from "./types.ts";

/**
 * What a page reads. It is kept by its key and its workspace. `always`: it is read again when the page opens, however new the
 * kept one is; `isFetchedAfterMount` says when that has happened.
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
    // Nothing is asked for a page that nobody sees.
    refetchIntervalInBackground: false,
    placeholderData: options.keep === true ? keepPreviousData : undefined,
  });
}

/**
 * What a person does. What pages read of it before is read again.
 *
 * `onSuccess` is called also when what was clicked is gone by then: a delivery that is sent again takes its button away
 * as soon as the page reads it anew, and the words must come all the same.
 */
export function useAct<Input, Done>(act: (client: Client, input: Input) => Promise<Done>, changes: string[]) {
  const { client, workspace } = useSession();
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: (input: Input) => act(client, input),
    onSettled: () => Promise.all(changes.map((key) => queries.invalidateQueries({ queryKey: [workspace.id, key] }))),
  });
  const { mutateAsync } = mutation;
  // The same function each time, so that an effect may name it.
  const mutate = useCallback(
    (input: Input, { onSuccess }: { onSuccess?: (done: Done) => void } = {}): void => {
      // The page shows the error from `mutation.error`.
      void mutateAsync(input).then(onSuccess, () => {});
    },
    [mutateAsync],
  );
  return { ...mutation, mutate };
}

/** All channels, by pages. */
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
      (one, other) => one.platform.localeCompare(other.platform) || one.handle.localeCompare(other.handle),
    );
  });

export const usePlatforms = () =>
  useRead(["platforms"], async (client, signal) => (await client.call("platforms.list", { signal })).body);
