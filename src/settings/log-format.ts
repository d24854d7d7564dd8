export const LOG_FORMATS = ['auto', 'json', 'pretty'] as const;
/** `auto`: readable lines where standard output is a terminal, JSON elsewhere. */
export type LogFormat = (typeof LOG_FORMATS)[number];
