/** An example of one operation: its JSON body, and the body of its successful response. */
export type Example = { readonly request?: unknown; readonly response?: unknown };
