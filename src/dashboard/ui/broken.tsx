// What stands in place of a page that cannot be shown: its files are gone, or it has a mistake.
import { Component, type ReactNode } from "react";
import { Page } from "./page.tsx";

export class Unbroken extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    return (
      <Page title="This page cannot be shown">
        <div className="alert" role="alert">
          <p>Nothing that you typed is lost. Load the page again; if it stays as it is, it is our mistake.</p>
          <button type="button" onClick={() => location.reload()}>
            Load it again
          </button>
        </div>
      </Page>
    );
  }
}
