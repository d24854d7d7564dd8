/** One parameter of a query string, decoded; `value` is undefined where its percent-encoding is broken. */
export type Parameter = { readonly name: string; readonly value: string | undefined };

/** The parameters of a query string, in one linear pass and without `ctx.query` (T1, D14). */
export function parameters(querystring: string): readonly Parameter[] {
  if (querystring === '') return [];
  return querystring.split('&').flatMap((piece) => {
    const equals = piece.indexOf('=');
    const name = decoded(equals === -1 ? piece : piece.slice(0, equals));
    // A name that cannot be read is nobody's name: unknown, and so ignored (D13).
    return name === undefined ? [] : [{ name, value: equals === -1 ? '' : decoded(piece.slice(equals + 1)) }];
  });
}

/** Every value of one name. One that cannot be decoded is still one: it is there, and it is nothing good. */
export function values(querystring: string, name: string): readonly string[] {
  // Most queries do not have it, and need not be taken apart to see that.
  if (!querystring.includes(name) && !querystring.includes('%')) return [];
  return parameters(querystring)
    .filter((parameter) => parameter.name === name)
    .map(({ value }) => value ?? '%');
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
