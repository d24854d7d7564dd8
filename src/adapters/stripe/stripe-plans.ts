import { PLAN_NAMES, type PlanName, type PriceMap } from '../../domain/billing/plan.js';
import { ownValue } from '../../domain/own-value.js';
import type { JsonReader } from './json-reader.js';

/** Queries the processor for the plan in the metadata of a product; null if there is none. */
export type PlanOfProduct = (product: string) => Promise<PlanName | null>;

/**
 * The plan of a price: from the setting, else from its lookup key (`pro`, `pro_monthly`), else from `plan` in its
 * metadata or in that of its product. Null if none of them names a plan.
 */
export async function planOfPrice(
  price: JsonReader,
  prices: PriceMap,
  planOfProduct: PlanOfProduct,
): Promise<PlanName | null> {
  const known =
    ownValue(prices, price.name('id')) ?? planIn(price.nameOrNull('lookup_key')) ?? planOfMetadata(price);
  if (known !== null) return known;
  if (price.has('product')) return planOfMetadata(price.inner('product'));
  const product = price.nameOrNull('product');
  return product === null ? null : planOfProduct(product);
}

export const planOfMetadata = (reader: JsonReader): PlanName | null =>
  reader.has('metadata') ? planIn(reader.inner('metadata').nameOrNull('plan')) : null;

/** The plan whose name is a word of the text. */
const planIn = (text: string | null): PlanName | null =>
  PLAN_NAMES.find((plan) =>
    text
      ?.toLowerCase()
      .split(/[^a-z0-9]+/)
      .includes(plan),
  ) ?? null;
