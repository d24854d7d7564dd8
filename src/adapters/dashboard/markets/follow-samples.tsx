import { newDestinationPath } from '../destinations/destination-page.js';
import { Samples } from '../page/samples.js';

const IMPORT = `import { Oddswire } from ${JSON.stringify('@oddswire/client')};`;

/** Programs that follow one sub-market, ready to run. The key comes from the environment, so that no page shows it. */
export const FollowSamples = ({ url, marketId }: { readonly url: string; readonly marketId: string }) => (
  <section>
    <h2>Follow this market</h2>
    <p>
      <a href={newDestinationPath({ market_id: marketId })}>Send its news to a destination</a>, such as a
      webhook, Slack or an email address.
    </p>
    <p>Each program prints every change of the news of this sub-market, with the key in ODDSWIRE_KEY.</p>
    <Samples of="follow" samples={samplesOf(url, marketId)} />
  </section>
);

function samplesOf(url: string, marketId: string): Readonly<Record<string, string>> {
  const stream = `${url}/pm/v2/stream?${new URLSearchParams({ market_id: marketId })}`;
  // JSON quotes a text as JavaScript and Python do.
  const [base, id, streamText] = [url, marketId, stream].map((text) => JSON.stringify(text));
  return {
    curl: `curl -N -H "Authorization: Bearer $ODDSWIRE_KEY" '${stream}'`,
    TypeScript: `${IMPORT}

const oddswire = new Oddswire({ url: ${base}, key: process.env.ODDSWIRE_KEY });
for await (const message of oddswire.follow({ market_id: ${id} })) console.log(message);`,
    Python: `import json, os, urllib.request

request = urllib.request.Request(${streamText})
request.add_header("X-API-Key", os.environ["ODDSWIRE_KEY"])
with urllib.request.urlopen(request) as stream:
    for line in stream:
        if line.startswith(b"data:"):
            print(json.loads(line[5:]))`,
  };
}
