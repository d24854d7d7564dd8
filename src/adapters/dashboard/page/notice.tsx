import type { ComponentChildren } from 'preact';

/** A message box. Screen readers announce it; a `bad` one immediately. */
export const Notice = ({
  kind,
  id,
  children,
}: {
  readonly kind: 'good' | 'warning' | 'bad';
  readonly id?: string;
  readonly children: ComponentChildren;
}) => (
  <div id={id} class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
);
