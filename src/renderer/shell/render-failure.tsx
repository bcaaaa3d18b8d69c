import { Component } from 'react';
import type { ReactNode } from 'react';
import { FailureNotice } from '../../ui/requests/failure-notice.tsx';

interface RenderFailureProps {
  readonly children: ReactNode;
}

interface RenderFailureState {
  readonly problem: string | undefined;
}

/** Replaces a view that throws while rendering, which is a bug. Backups are not affected. */
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
