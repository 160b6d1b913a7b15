// Whether this deployment can send mail. What needs mail is not offered without it.
import { useQuery } from "@tanstack/react-query";
import { makeClient } from "./api.ts";

/** False only once the deployment has said so. */
export function useSendsMail(): boolean {
  const health = useQuery({
    queryKey: ["health"],
    queryFn: async ({ signal }) => (await makeClient(null).call("health.read", { signal })).body,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return health.data?.mail !== false;
}
