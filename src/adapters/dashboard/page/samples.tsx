/** Programs to copy, by language. `of`: the beginning of their ids. */
export const Samples = ({
  of,
  samples,
}: {
  readonly of: string;
  readonly samples: Readonly<Record<string, string>>;
}) => (
  <>
    {Object.entries(samples).map(([language, text]) => (
      <details key={language}>
        <summary>{language}</summary>
        <div class="copyable">
          <pre>
            <code id={`${of}-${language}`}>{text}</code>
          </pre>
          <button type="button" class="plain" data-copies={`${of}-${language}`} hidden>
            Copy<span class="hidden"> {language}</span>
          </button>
        </div>
      </details>
    ))}
  </>
);
