import { ROTATION_STEPS, type RotationStep } from '../../../domain/keys/rotation-step.js';
import { capitalized } from '../page/state-text.js';

/** The steps of a rotation. The one that is to be done is marked. */
export const RotationSteps = ({ current }: { readonly current: RotationStep }) => (
  <ol id="rotation-steps" class="steps" data-live="">
    {ROTATION_STEPS.map((step) => (
      <li key={step} aria-current={step === current ? 'step' : undefined}>
        {capitalized(step)}
      </li>
    ))}
  </ol>
);
