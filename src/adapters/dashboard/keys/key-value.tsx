import type { KeyValue } from '../../../domain/keys/key-value.js';

/** The one sight of a key's value, with what to do with it at once. */
export const NewKeyValue = ({
  value,
  publicUrl,
}: {
  readonly value: KeyValue;
  readonly publicUrl: string;
}) => (
  <>
    <p>
      This is the only time it is shown. Copy it now: on reload it is gone, and a lost key can only be
      rotated.
    </p>
    <div class="copyable">
      <code id="key-value" data-once="">
        {value}
      </code>
      <button type="button" data-copies="key-value" hidden>
        Copy key
      </button>
    </div>
    <h2>Try it</h2>
    <div class="copyable">
      <code id="curl" data-once="">
        {`curl -H 'Authorization: Bearer ${value}' '${publicUrl}/pm/v2/news?limit=1'`}
      </code>
      <button type="button" data-copies="curl" hidden>
        Copy curl line
      </button>
    </div>
  </>
);
