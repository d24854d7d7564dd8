type DoorProps = { readonly path: string; readonly title: string; readonly text: string };

const Door = ({ path, title, text }: DoorProps) => (
  <li>
    <a href={path}>{title}</a>
    <span>{text}</span>
  </li>
);

/** Where a visitor of the public pages can go. */
export const Doors = () => (
  <ul class="doors">
    <Door
      path="/docs"
      title="Documentation"
      text="Quickstart, paging, the live stream, every field and every error."
    />
    <Door
      path="/docs/following"
      title="Follow the feed"
      text="Ask every few seconds, or be sent each change within a second."
    />
    <Door
      path="/dashboard"
      title="Dashboard"
      text="Create and rotate keys, see usage and your subscription."
    />
    <Door path="/status" title="Status" text="The age of the newest item, and the state of the service." />
  </ul>
);
