import { Badge } from '../keys/key-state.js';
import { At, Countdown } from '../page/moment.js';
import { NOW, SOON } from './sample-values.js';
import { Section } from './section.js';

export const Texts = () => (
  <Section title="Texts">
    <h3>A heading of the third level</h3>
    <p>
      A paragraph with a <a href="#content">link to its content</a>, <strong>emphasis</strong> and{' '}
      <code>code</code>.
    </p>
    <p class="quiet">
      A quiet paragraph with a <a href="#content">link to its content</a>.
    </p>
    <dl class="facts">
      <dt>A fact</dt>
      <dd>Its value</dd>
      <dt>A time</dt>
      <dd>
        <At at={NOW} />
      </dd>
      <dt>A countdown</dt>
      <dd>
        <Countdown until={SOON} now={NOW} />
      </dd>
      <dt>Moves</dt>
      <dd>
        <span class="up">▲ +4.0 pp</span> <span class="down">▼ −9.0 pp</span>{' '}
        <span class="quiet">• 0.0 pp</span>
      </dd>
    </dl>
  </Section>
);

export const Buttons = () => (
  <Section title="Buttons">
    <p class="actions">
      <button type="button">Primary</button>
      <a class="button" href="#content">
        Primary link
      </a>
      <button type="button" class="plain">
        Plain
      </button>
      <a class="button plain" href="#content">
        Plain link
      </a>
      <button type="button" class="danger">
        Confirm a loss
      </button>
      <button type="button" disabled>
        Disabled
      </button>
      <button type="button" class="pill">
        3 new items
      </button>
      <a class="danger" href="#content">
        Leads to a loss
      </a>
    </p>
  </Section>
);

export const Fields = () => (
  <Section title="Fields">
    <div class="narrow">
      <label for="field-empty">Empty</label>
      <input id="field-empty" placeholder="Placeholder" />
      <label for="field-typed">Typed</label>
      <input id="field-typed" value="builder@demo.example" />
      <label for="field-wrong">With an error</label>
      <input id="field-wrong" value="builder@" aria-invalid="true" aria-describedby="field-wrong-fault" />
      <p id="field-wrong-fault" class="fault">
        This is no email address.
      </p>
      <label for="field-disabled">Disabled</label>
      <input id="field-disabled" value="Cannot be changed" disabled />
      <label for="field-select">Choice</label>
      <select id="field-select">
        <option>The first one</option>
        <option>The second one</option>
      </select>
      <label for="field-text">Text</label>
      <textarea id="field-text" rows={2} />
    </div>
    <label>
      <input type="checkbox" checked /> Checked
    </label>
    <label>
      <input type="checkbox" /> Not checked
    </label>
    <form method="get" action="/dashboard/style" class="inline">
      <label for="field-inline">In one line</label>
      <input id="field-inline" type="search" />
      <button type="submit">Search</button>
    </form>
  </Section>
);

const BADGES = ['good', 'warning', 'bad', 'off'] as const;

export const Badges = () => (
  <Section title="Badges">
    <p class="actions">
      {BADGES.map((kind) => (
        <Badge key={kind} kind={kind}>
          {kind}
        </Badge>
      ))}
      <span class="badge info">info</span>
      <span class="tier tier-t1">T1</span>
      <span class="tier">T2</span>
      <span class="tier tier-t3">T3</span>
      <span class="effect up">▲ supports Yes</span>
      <span class="effect down">▼ weakens Yes</span>
      <span class="effect flat">neutral</span>
    </p>
  </Section>
);
