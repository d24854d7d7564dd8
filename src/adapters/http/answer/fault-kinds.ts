import type { FaultKind } from '../../../domain/refusal.js';
import { includesReader, type Reader, type Readers } from './readers.js';

/** Who can get each kind of error of a 400. */
// biome-ignore format: a table is read by its columns
const FAULT_KINDS: Readonly<Record<FaultKind, Readers>> = {
  conflict:            'customer',
  empty:               'customer',
  in_replay:           'customer',
  invalid_as_of:       'customer',
  invalid_codes:       'customer',
  invalid_cursor:      'customer',
  invalid_date_time:   'operator',
  invalid_email:       'operator',
  invalid_encoding:    'customer',
  invalid_enum:        'customer',
  invalid_json:        'operator',
  invalid_label:       'operator',
  invalid_max_items:   'customer',
  invalid_max_length:  'both',
  invalid_min_length:  'both',
  invalid_moment:      'both',
  invalid_network:     'page',
  invalid_pattern:     'both',
  invalid_position:    'customer',
  invalid_reason:      'operator',
  invalid_type:        'both',
  invalid_uri:         'operator',
  invalid_words:       'customer',
  line_too_long:       'operator',
  missing:             'operator',
  not_allowed:         'both',
  not_backfill:        'operator',
  not_with_as_of:      'customer',
  out_of_range:        'both',
  repeated:            'customer',
  repeated_sub_market: 'operator',
  scored_at_in_future: 'operator',
  unknown:             'operator',
  unknown_field:       'both',
  unknown_parameter:   'operator',
};

export const faultKinds = (reader: Reader): readonly FaultKind[] =>
  (Object.keys(FAULT_KINDS) as FaultKind[]).filter((kind) => includesReader(FAULT_KINDS[kind], reader));
