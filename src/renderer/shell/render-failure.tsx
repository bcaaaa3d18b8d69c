import { Component } from 'react';
import type { ReactNode } from 'react';
import { FailureNotice } from '../../ui/requests/failure-notice.tsx';

interface RenderFailureProps {
  readonly children: ReactNode;
}

interface RenderFailureState {
  readonly problem: string | undefined;
}

/** In the place of a view that cannot be drawn, which is a bug: what is wrong, and a way to go on. Backups run all the same. */
export class RenderFailure extends Component<RenderFailureProps, RenderFailureState> {
  override readonly state: RenderFailureState = { problem: undefined };

  static getDerivedStateFromError(error: unknown): RenderFailureState {
    return { problem: String(error) };
  }

  override render(): ReactNode {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <div className="frame-failed">
        <FailureNotice
          failure={{ code: 'internal', details: { problem } }}
          onRetry={() => this.setState({ problem: undefined })}
        />
      </div>
    );
  }
}
