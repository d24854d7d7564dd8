import type { McpServer } from '@modelcontextprotocol/server';
import type { CallApi } from './api.js';
import { toolError } from './tool-error.js';
import type { ToolOutcome } from './tool-pages.js';
import { allTools, INSTRUCTIONS, type Tool } from './tools.js';

type Library = typeof import('@modelcontextprotocol/server');

/** A client of the server: the API with its key, and where to report what a tool throws. */
export type Agent = {
  readonly callApi: CallApi;
  readonly report: (fault: unknown) => void;
  /** The id under which a fault is logged; absent where there is no log. */
  readonly requestId?: string;
};

const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** How long a client may keep the list of tools: it changes only with a new version of the service. */
const LIST_KEPT_MS = 3_600_000;

/** Makes servers with all tools over `@modelcontextprotocol/server`, which the caller loads when it is first needed. */
export function toolServers(library: Library, version: string) {
  const { McpServer, fromJsonSchema } = library;
  // Tools check their arguments themselves, so that an error has the code and the advice of all other errors.
  const unchecked = {
    getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }),
  };
  const schemaOf = (schema: Tool['inputSchema']) => fromJsonSchema(schema as never, unchecked as never);
  const tools = allTools().map((tool) => ({
    ...tool,
    config: {
      title: tool.title,
      description: tool.description,
      annotations: READ_ONLY,
      inputSchema: schemaOf(tool.inputSchema),
      outputSchema: schemaOf(tool.outputSchema),
    },
  }));
  const options = {
    instructions: INSTRUCTIONS,
    capabilities: { tools: { listChanged: false } },
    cacheHints: { 'tools/list': { ttlMs: LIST_KEPT_MS, cacheScope: 'public' } },
  } as const;
  return function toolServer(agent: Agent): McpServer {
    const server = new McpServer({ name: 'oddswire', title: 'Oddswire', version }, options);
    for (const { name, config, run } of tools)
      server.registerTool(name, config, async (sent: unknown) => answerOf(await outcomeOf(run, agent, sent)));
    return server;
  };
}

async function outcomeOf(run: Tool['run'], agent: Agent, sent: unknown): Promise<ToolOutcome> {
  const { callApi, report, requestId } = agent;
  try {
    return await run(callApi, sent);
  } catch (fault) {
    report(fault);
    return {
      error: toolError('internal', 'An internal error occurred.', {
        ...(requestId !== undefined && { request_id: requestId }),
      }),
    };
  }
}

/** A result is in the answer twice: as text for clients that do not read structured content. */
function answerOf(outcome: ToolOutcome) {
  const [value, isError] = 'error' in outcome ? [outcome.error, true] : [outcome.result, false];
  const content = [{ type: 'text' as const, text: JSON.stringify(value) }];
  return isError ? { content, isError } : { content, structuredContent: { ...value } };
}
