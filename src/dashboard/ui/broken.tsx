// The message in place of a part that failed to render: one bug never empties the whole page.
import { Component, type ReactNode } from "react";
import { ChunkNotLoaded } from "../chunks.ts";
import { NotLoaded } from "./not-loaded.tsx";
import { Page } from "./page.tsx";

interface BoundaryProps {
  children: ReactNode;
  fallback(error: unknown): ReactNode;
}
interface BoundaryState {
  failure: { error: unknown } | null;
}

/** Renders `fallback` once something inside it throws while rendering. */
export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { failure: { error } };
  }

  override render() {
    const { failure } = this.state;
    return failure === null ? this.props.children : this.props.fallback(failure.error);
  }
}

/** Around one page: the menu stays, and every other page opens. */
export const PageBoundary = ({ children }: { children: ReactNode }) => (
  <ErrorBoundary
    fallback={(error) =>
      error instanceof ChunkNotLoaded ? (
        <NotLoaded />
      ) : (
        <Page title="This page cannot be shown">
          <Broken error={error} />
        </Page>
      )
    }
  >
    {children}
  </ErrorBoundary>
);

/** Around the whole app, as the last resort. */
export const AppBoundary = ({ children }: { children: ReactNode }) => (
  <ErrorBoundary
    fallback={(error) => (
      <Alone title="Crier has stopped">
        <Broken error={error} />
      </Alone>
    )}
  >
    {children}
  </ErrorBoundary>
);

/** A page without the menu, for use without a workspace. */
export const Alone = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="alone stack">
    <h1>{title}</h1>
    {children}
  </main>
);

function Broken({ error }: { error: unknown }) {
  return (
    <div className="alert" role="alert">
      <p>Something went wrong on our side. Text that you have not sent yet is kept in this browser.</p>
      <div className="row">
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
        <a href="/">Go to the start page</a>
      </div>
      <details>
        <summary>Details for support</summary>
        <p className="exact">{error instanceof Error ? error.message : String(error)}</p>
      </details>
    </div>
  );
}
