import { resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const COMMAND = resolve(import.meta.dirname, '../../../src/commands/mcp.js');

type ShortMarket = { readonly market_id: string; readonly yes_ask: number; readonly rationale: string };

/** A JSON value, as far as tests read it. */
export type Result = {
  readonly items: readonly { readonly news_id: string; readonly markets: readonly ShortMarket[] }[];
  readonly markets: readonly { readonly market_id: string; readonly kind: string }[];
  readonly next_cursor: string | null;
  readonly feed_position: string;
  readonly query_words: readonly string[];
  readonly messages: readonly { readonly type: string; readonly id?: string }[];
  readonly position: string;
  readonly more: boolean;
  readonly limits: readonly { readonly used: number }[];
};

export type ToolError = {
  readonly code: string;
  readonly detail: string;
  readonly what_to_do: string;
  readonly errors?: readonly { readonly parameter: string; readonly code: string }[];
  readonly retry_after_seconds?: number;
};

/** The official client, connected to the tools over one of the transports. */
export class Agent {
  readonly client: Client;
  /** The responses of HTTP, in their order. */
  readonly responses: Response[];

  private constructor(client: Client, responses: Response[]) {
    this.client = client;
    this.responses = responses;
  }

  /** `latest` negotiates the newest version of the protocol; `handshake` begins with `initialize`, as older clients do. */
  static async overHttp(
    url: string,
    key: string,
    version: 'latest' | 'handshake' = 'latest',
  ): Promise<Agent> {
    const responses: Response[] = [];
    const options = version === 'latest' ? { versionNegotiation: { mode: 'auto' as const } } : {};
    const client = new Client({ name: 'test', version: '1' }, options);
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
      fetch: async (...asked) => {
        const response = await fetch(...asked);
        responses.push(response.clone());
        return response;
      },
    });
    await client.connect(transport);
    return new Agent(client, responses);
  }

  static async overStdio(url: string, key: string): Promise<Agent> {
    const client = new Client({ name: 'test', version: '1' });
    const env = { ODDSWIRE_URL: url, ODDSWIRE_KEY: key, PATH: process.env['PATH'] ?? '' };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [COMMAND], env }));
    return new Agent(client, []);
  }

  /** Calls a tool and returns its result. The client has validated it against the output schema. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<Result> {
    const { isError, content, structuredContent } = await this.client.callTool({ name, arguments: args });
    const [text] = content as readonly { readonly text: string }[];
    if (isError === true) throw new Error(`${name} failed: ${text?.text}`);
    if (text?.text !== JSON.stringify(structuredContent)) throw new Error('the two forms of a result differ');
    return structuredContent as Result;
  }

  /** Calls a tool and returns its error. */
  async refused(name: string, args: Record<string, unknown> = {}): Promise<ToolError> {
    const { isError, content } = await this.client.callTool({ name, arguments: args });
    const [text] = content as readonly { readonly text: string }[];
    if (isError !== true) throw new Error(`${name} did not fail`);
    return JSON.parse(text?.text ?? '') as ToolError;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
