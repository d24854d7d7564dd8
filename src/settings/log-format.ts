export const LOG_FORMATS = ['auto', 'json', 'pretty'] as const;
/** `auto`: readable lines if standard output is a terminal, else JSON. */
export type LogFormat = (typeof LOG_FORMATS)[number];
