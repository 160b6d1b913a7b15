// Downloads the export of the workspace, and its posts as a table.
import type { StreamName } from "../../client/client.ts";
import { useAct } from "../reads.ts";
import { Card } from "../ui/card.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";

const FILES: { name: StreamName; query?: Record<string, string>; button: string; file: string; type: string }[] = [
  {
    name: "workspaces.export",
    button: "Export everything",
    file: "crier-export.ndjson",
    type: "application/x-ndjson",
  },
  {
    name: "posts.csv",
    // Most people open it in a spreadsheet.
    query: { escape_formulas: "true" },
    button: "Export posts as CSV",
    file: "crier-posts.csv",
    type: "text/csv",
  },
];

export function Export() {
  const say = useSay();
  const take = useAct(async (client, { name, query, file, type }: (typeof FILES)[number]) => {
    const pieces: string[] = [];
    for await (const piece of client.stream(name, { query })) pieces.push(piece);
    saveFile(new Blob(pieces, { type }), file);
  }, []);
  return (
    <Card title="Export">
      <p className="soft">
        Everything has your channels, files, posts, drafts and history, without passwords or keys. You can import it
        again.
      </p>
      <Refused error={take.error} />
      <div className="row">
        {FILES.map((download) => (
          <button
            key={download.name}
            type="button"
            disabled={take.isPending}
            onClick={() => take.mutate(download, { onSuccess: () => say(`${download.file} is in your downloads`) })}
          >
            {download.button}
          </button>
        ))}
      </div>
    </Card>
  );
}
