import type { ComponentChildren } from 'preact';

export type NoticeKind = 'good' | 'warning' | 'bad';

/** A message box. Screen readers announce it; a `bad` one immediately. */
export const Notice = ({
  kind,
  id,
  children,
}: {
  readonly kind: NoticeKind;
  readonly id?: string;
  readonly children: ComponentChildren;
}) => (
  <div id={id} class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
);
