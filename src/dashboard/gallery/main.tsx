// The entry point of the gallery: every component of the dashboard in every state. Only local runs have it.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { SampleSession } from "../session.tsx";
import { Toasts } from "../ui/toasts.tsx";
import { Gallery } from "./gallery.tsx";
import { CHANNELS, ME, WORKSPACE } from "./samples.ts";
import "../styles/tokens.css";
import "../styles/index.css";
import "./gallery.css";

// The samples are the only data, and they are never read again.
const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } });
queries.setQueryData([WORKSPACE.id, "channels"], CHANNELS);

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <Toasts>
        <SampleSession me={ME} workspace={WORKSPACE}>
          <Gallery />
        </SampleSession>
      </Toasts>
    </QueryClientProvider>,
  );
}
