import { PLAN_NAMES, type PlanName, type PriceMap } from '../../domain/billing/plan.js';
import { ownValue } from '../../domain/own-value.js';
import type { JsonReader } from './json-reader.js';

/** Queries the processor for the plan in the metadata of a product; null if there is none. */
export type PlanOfProduct = (product: string) => Promise<PlanName | null>;

/**
 * The plan of a price: from the setting, else from its lookup key (`pro`, `pro_monthly`), else from `plan` in its
 * metadata or in that of its product. Null if none of them names a plan. People write these texts, so that every text,
 * and every other value, is accepted: state and end of a subscription must not depend on them.
 */
export async function planOfPrice(
  price: JsonReader,
  prices: PriceMap,
  planOfProduct: PlanOfProduct,
): Promise<PlanName | null> {
  const known =
    ownValue(prices, price.textOrNull('id') ?? '') ??
    planIn(price.textOrNull('lookup_key')) ??
    planOfMetadata(price);
  if (known !== null) return known;
  if (price.has('product')) return planOfMetadata(price.innerOrNull('product'));
  const product = price.textOrNull('product') ?? '';
  return product === '' ? null : planOfProduct(product);
}

export const planOfMetadata = (reader: JsonReader | null): PlanName | null =>
  planIn(reader?.innerOrNull('metadata')?.textOrNull('plan') ?? null);

/** The plan whose name is a word of the text. Letters of every script belong to words. */
const planIn = (text: string | null): PlanName | null =>
  PLAN_NAMES.find((plan) =>
    text
      ?.toLowerCase()
      .split(/[^\p{L}\p{N}\p{M}]+/u)
      .includes(plan),
  ) ?? null;
