import type { Contact } from '../state.js';

const CONTACT_US = 'Contact us';

/** A text in which each “Contact us” is followed by the address, if there is one. */
export const ContactText = ({
  text,
  support,
}: {
  readonly text: string;
  readonly support: Contact | null;
}) => (
  <>
    {text.split(CONTACT_US).map((section, i) =>
      i === 0 ? (
        section
      ) : (
        <>
          {CONTACT_US}
          {support !== null && (
            <>
              {' '}
              at <a href={support.url}>{support.text}</a>
            </>
          )}
          {section}
        </>
      ),
    )}
  </>
);
