import { Samples } from '../page/samples.js';

const IMPORT = `import { Oddswire } from ${JSON.stringify('@oddswire/client')};`;

/** Programs that read what the page shows. The key comes from the environment, so that no page shows it. */
export const FeedSamples = ({ url, filter }: { readonly url: string; readonly filter: URLSearchParams }) => (
  <details class="menu">
    <summary>Copy as</summary>
    <div class="menu-content">
      <Samples of="feed" samples={samplesOf(url, filter)} />
    </div>
  </details>
);

function samplesOf(url: string, filter: URLSearchParams): Readonly<Record<string, string>> {
  const query = new URLSearchParams([['limit', '10'], ...filter]);
  const news = `${url}/pm/v2/news?${query}`;
  // JSON quotes a text as JavaScript and Python do.
  const [base, quotedNews] = [url, news].map((text) => JSON.stringify(text));
  return {
    curl: `curl -H "Authorization: Bearer $ODDSWIRE_KEY" '${news}'`,
    TypeScript: `${IMPORT}

const oddswire = new Oddswire({ url: ${base}, key: process.env.ODDSWIRE_KEY });
const { items } = await oddswire.page(${JSON.stringify(queryOf(query))});
for (const item of items) console.log(item.news_event.headline);`,
    Python: `import json, os, urllib.request

request = urllib.request.Request(${quotedNews})
request.add_header("X-API-Key", os.environ["ODDSWIRE_KEY"])
with urllib.request.urlopen(request) as answer:
    for item in json.load(answer)["items"]:
        print(item["news_event"]["headline"])`,
  };
}

/** A parameter with several values is a list for the client. */
const queryOf = (query: URLSearchParams): Readonly<Record<string, string | number | readonly string[]>> =>
  Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      const [only] = values;
      return [
        name,
        name === 'limit' ? Number(only) : values.length === 1 && only !== undefined ? only : values,
      ];
    }),
  );
