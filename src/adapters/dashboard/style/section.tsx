import type { ComponentChildren } from 'preact';

export const Section = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);
