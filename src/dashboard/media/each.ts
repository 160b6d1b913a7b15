// One change to each of several files.
import type { Client } from "../../client/client.ts";
import { Refusal } from "../../client/errors.ts";
import { describeError } from "../api.ts";
import { useAct } from "../reads.ts";
import type { Media } from "../types.ts";
import { getFileName } from "./names.ts";

/** A file that was not changed, and why. */
export interface KeptFile {
  id: string;
  name: string;
  reason: string;
}

/** Changes one file after the other. Files whose change is refused are returned; the others are changed all the same. */
export const useEach = <Input>(
  files: readonly Media[],
  change: (client: Client, file: Media, input: Input) => unknown,
) =>
  useAct(
    async (client, input: Input): Promise<KeptFile[]> => {
      const kept: KeptFile[] = [];
      for (const file of files) {
        try {
          await change(client, file, input);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          kept.push({ id: file.id, name: getFileName(file), reason: describeError(error) });
        }
      }
      return kept;
    },
    ["media"],
  );
