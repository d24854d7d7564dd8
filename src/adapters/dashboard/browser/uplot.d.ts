/** The chart library under the address that it is served at (`assets.ts`). */
export { default } from 'uplot';
