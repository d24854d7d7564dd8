import type { ComponentChildren } from 'preact';

/** What a page has to say before anything else. */
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
