/**
 * Null for a text that is no absolute URL. Not `URL.canParse`: once V8 has compiled its caller, Node 20 reads a text of Latin-1
 * characters as UTF-8 there, and refuses a host such as `ü.example` (T32).
 */
export function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
