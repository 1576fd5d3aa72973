/** A fault of the page itself: told, with the way on, in place of a blank page. */

import { Component, type ReactNode } from "react";

export class ViewFault extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="feedback failed" role="alert">
        <h1>The page failed to show this</h1>
        <p className="inert">{error.message}</p>
        <p>This is a bug in the page. Reload it, or go to the start page; the command line has the same answers.</p>
        <div className="row">
          <button onClick={() => window.location.reload()}>Reload</button>
          <a className="button" href="#/">
            Start page
          </a>
        </div>
      </div>
    );
  }
}
