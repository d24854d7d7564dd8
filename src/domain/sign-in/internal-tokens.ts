/** Who a bearer token of the internal listener is for (D30). */
export type Role = 'operator' | 'publisher';

export type Tokens = Readonly<Record<Role, string>>;

/** Characters of a token. A shorter one can be guessed: the operator token also opens the console, from anywhere. */
export const TOKEN_LENGTH_MIN = 20;

export type TokenFault =
  | { readonly fault: 'too short'; readonly role: Role }
  /** Each would open what the other one is for. */
  | { readonly fault: 'equal' };

/** Everything that is wrong with these tokens; one that is undefined is not judged. */
export function tokenFaults(tokens: Readonly<Record<Role, string | undefined>>): readonly TokenFault[] {
  const { operator, publisher } = tokens;
  const isShort = (token: string | undefined) => token !== undefined && token.length < TOKEN_LENGTH_MIN;
  return [
    ...(isShort(operator) ? [{ fault: 'too short', role: 'operator' } as const] : []),
    ...(isShort(publisher) ? [{ fault: 'too short', role: 'publisher' } as const] : []),
    ...(operator !== undefined && operator === publisher ? [{ fault: 'equal' } as const] : []),
  ];
}
