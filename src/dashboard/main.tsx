// The entry point of the dashboard.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isPassing, NoAnswer } from "../client/errors.ts";
import { App } from "./app.tsx";
import { FactorDialog } from "./factor/dialog.tsx";
import { SignInAgain } from "./sign-in-again.tsx";
import { AppBoundary } from "./ui/broken.tsx";
import { keepFocus } from "./ui/kept-focus.ts";
import { Toasts } from "./ui/toasts.tsx";
import "./styles/tokens.css";
import "./styles/index.css";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The client already retries once.
      retry: (failures, error) => failures < 1 && error instanceof NoAnswer && isPassing(error),
    },
  },
});

const root = document.getElementById("root");
if (root !== null) {
  keepFocus(root);
  createRoot(root).render(
    <StrictMode>
      <AppBoundary>
        <QueryClientProvider client={queries}>
          <Toasts>
            <FactorDialog>
              <SignInAgain>
                <App />
              </SignInAgain>
            </FactorDialog>
          </Toasts>
        </QueryClientProvider>
      </AppBoundary>
    </StrictMode>,
  );
}
