/** The roles of the bearer tokens of the internal listener (D30, D117). */
export type Role = 'operator' | 'publisher';

export type Tokens = Readonly<Record<Role, string>>;

/** Minimum length in characters. A shorter token can be guessed, and the public console accepts the operator token. */
export const TOKEN_LENGTH_MIN = 20;

export type TokenFault =
  | { readonly fault: 'too short'; readonly role: Role }
  /** With equal tokens, each role would have the rights of the other. */
  | { readonly fault: 'equal' };

/** All faults of these tokens. An undefined token is not checked. */
export function tokenFaults(tokens: Readonly<Record<Role, string | undefined>>): readonly TokenFault[] {
  const { operator, publisher } = tokens;
  const isShort = (token: string | undefined) => token !== undefined && token.length < TOKEN_LENGTH_MIN;
  return [
    ...(isShort(operator) ? [{ fault: 'too short', role: 'operator' } as const] : []),
    ...(isShort(publisher) ? [{ fault: 'too short', role: 'publisher' } as const] : []),
    ...(operator !== undefined && operator === publisher ? [{ fault: 'equal' } as const] : []),
  ];
}
