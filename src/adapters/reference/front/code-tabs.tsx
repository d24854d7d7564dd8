import { sampleOf } from '../markdown.js';

type Way = { readonly id: string; readonly title: string; readonly language: string; readonly code: string };

const ways = (url: string): readonly Way[] => [
  {
    id: 'stream',
    title: 'Stream',
    language: 'js',
    code: `import { Oddswire } from "@oddswire/client";

const oddswire = new Oddswire({ url: "${url}", key: process.env.ODDSWIRE_KEY });
for await (const message of oddswire.follow())
  if (message.type === "item") console.log(message.item.news_event.headline);`,
  },
  {
    id: 'poll',
    title: 'Poll',
    language: 'python',
    code: `import json, os, urllib.request

request = urllib.request.Request('${url}/pm/v2/news?limit=10')
request.add_header('X-API-Key', os.environ['ODDSWIRE_KEY'])
for item in json.load(urllib.request.urlopen(request))['items']:
    print(item['news_event']['headline'])`,
  },
  {
    id: 'mcp',
    title: 'MCP',
    language: 'json',
    code: `{ "mcpServers": { "oddswire": {
  "type": "http",
  "url": "${url}/mcp",
  "headers": { "Authorization": "Bearer \${ODDSWIRE_KEY}" }
} } }`,
  },
];

/** One program for each way to read the feed. A choice shows one of them, without a script. */
export const CodeTabs = ({ url }: { readonly url: string }) => (
  <fieldset class="sample-tabs code-tabs">
    <legend class="hidden">Programs for each way to read the feed</legend>
    {ways(url).map(({ id, title }, i) => (
      <label key={id}>
        <input class="hidden" type="radio" name="way" value={id} checked={i === 0} />
        {title}
      </label>
    ))}
    {ways(url).map(({ id, language, code }) => (
      <div
        key={id}
        class={`code-tab ${id}`}
        dangerouslySetInnerHTML={{ __html: sampleOf(code, language, `way-${id}`) }}
      />
    ))}
  </fieldset>
);
