import type { ServerResponse } from 'node:http';

/** Writes half of the first part of the body, and closes the connection. The headers are those of the whole body. */
export function cutResponse(response: ServerResponse): void {
  const write = response.write.bind(response);
  const close = () => void response.destroy();
  const cut = (chunk: unknown): boolean => {
    const bytes = Buffer.from(chunk as string | Buffer);
    return write(bytes.subarray(0, Math.ceil(bytes.length / 2)), close);
  };
  response.write = cut as typeof response.write;
  response.end = ((chunk?: unknown) => {
    if (chunk === undefined || chunk === null || typeof chunk === 'function') close();
    else cut(chunk);
    return response;
  }) as typeof response.end;
}
