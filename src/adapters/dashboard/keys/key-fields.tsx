import { ALLOWLIST_MAX } from '../../../domain/keys/key-controls.js';
import { LABEL_LENGTH } from '../../../domain/keys/label.js';
import type { Moment } from '../../../domain/moment.js';
import type { Fault } from '../../../domain/refusal.js';
import { faultText } from '../page/refusal-text.js';
import type { TypedKey } from './typed-key.js';

type Props = { readonly typed: TypedKey; readonly faults?: readonly Fault[] };

/** The errors of one field, by the name in their parameter. */
const faultsOf = (faults: readonly Fault[] = [], name: RegExp): readonly Fault[] =>
  faults.filter(({ parameter }) => name.test(parameter));

/** The errors of a field, which describe it. */
const Faults = ({ id, faults }: { readonly id: string; readonly faults: readonly Fault[] }) =>
  faults.length === 0 ? null : (
    <p id={id} class="fault">
      {faults.map(faultText).join(' ')}
    </p>
  );

const described = (note: string, id: string, faults: readonly Fault[]) =>
  ({
    'aria-describedby': faults.length === 0 ? note : `${id} ${note}`,
    'aria-invalid': faults.length === 0 ? undefined : 'true',
  }) as const;

export const LabelField = ({ typed, faults }: Props) => {
  const own = faultsOf(faults, /label$/);
  return (
    <div>
      <label for="label">Label</label>
      <input
        id="label"
        name="label"
        maxLength={LABEL_LENGTH.maximum}
        autocomplete="off"
        value={typed.label}
        {...described('label-note', 'label-fault', own)}
      />
      <Faults id="label-fault" faults={own} />
      <p id="label-note" class="quiet">
        A name for people, for example the program that uses the key.
      </p>
    </div>
  );
};

export const ExpiryField = ({ typed, faults, now }: Props & { readonly now: Moment }) => {
  const own = faultsOf(faults, /^expiry$/);
  return (
    <div>
      <label for="expiry">Expires after</label>
      <input
        id="expiry"
        name="expiry"
        type="date"
        min={now.slice(0, 10)}
        value={typed.expiry}
        {...described('expiry-note', 'expiry-fault', own)}
      />
      <Faults id="expiry-fault" faults={own} />
      <p id="expiry-note" class="quiet">
        The key works until the end of this day, in UTC. Then requests with it return 401, for ever. We remind
        you 7 days and 1 day before. Empty: it does not expire.
      </p>
    </div>
  );
};

export const AddressesField = ({ typed, faults, here }: Props & { readonly here: string | null }) => {
  const own = faultsOf(faults, / of the allowed addresses$/);
  return (
    <div>
      <label for="addresses">Allowed addresses</label>
      <textarea
        id="addresses"
        name="addresses"
        rows={5}
        spellcheck={false}
        autocomplete="off"
        {...described('addresses-note', 'addresses-fault', own)}
      >
        {typed.addresses}
      </textarea>
      <Faults id="addresses-fault" faults={own} />
      <p id="addresses-note" class="quiet">
        One address or network a line, such as <code>203.0.113.7</code> or <code>203.0.113.0/24</code>, at
        most {ALLOWLIST_MAX}. Requests from elsewhere return 403. Empty: every address.
        {here !== null && (
          <>
            {' '}
            Your address is <code>{here}</code>.
          </>
        )}
      </p>
    </div>
  );
};

export const LimitField = ({
  typed,
  faults,
  name,
  most,
}: Props & { readonly name: 'minute' | 'day'; readonly most: number }) => {
  const own = faultsOf(faults, new RegExp(`^limit per ${name}$`));
  return (
    <div>
      <label for={`per_${name}`}>Requests per {name}</label>
      <input
        id={`per_${name}`}
        name={`per_${name}`}
        type="number"
        min={1}
        value={name === 'minute' ? typed.perMinute : typed.perDay}
        {...described(`per_${name}-note`, `per_${name}-fault`, own)}
      />
      <Faults id={`per_${name}-fault`} faults={own} />
      <p id={`per_${name}-note`} class="quiet">
        At most {most.toLocaleString('en-US')}, the limit of the plan for all keys. Empty: only the plan
        limits the key.
      </p>
    </div>
  );
};
