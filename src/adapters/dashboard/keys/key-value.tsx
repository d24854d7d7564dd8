import type { KeyValue } from '../../../domain/keys/key-value.js';

/** The value of a new key, shown once, and a command to try it. */
export const NewKeyValue = ({
  value,
  publicUrl,
  ifLost = 'rotate',
}: {
  readonly value: KeyValue;
  readonly publicUrl: string;
  readonly ifLost?: 'rotate' | 'replace';
}) => (
  <>
    <p>Copy your key now: it is shown only once. If you lose it, {ifLost} the key.</p>
    <div class="copyable">
      <code id="key-value" data-once="">
        {value}
      </code>
      <button type="button" data-copies="key-value" hidden>
        Copy key
      </button>
    </div>
    <h2>Try it out</h2>
    <div class="copyable">
      <code id="curl" data-once="">
        {`curl -H 'Authorization: Bearer ${value}' '${publicUrl}/pm/v2/news?limit=1'`}
      </code>
      <button type="button" class="plain" data-copies="curl" hidden>
        Copy curl command
      </button>
    </div>
  </>
);
