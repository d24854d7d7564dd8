import type pg from 'pg';
import { types } from '../connection.js';

const VARCHAR = 1043;

/**
 * For a query with many long texts, which it returns in base64 and as `varchar`, a type that no column of our tables has. Node reads base64 three
 * times as fast as the hexadecimal digits of a `bytea`. It reads each text when its row arrives: as strings until the last row, they would
 * cost the garbage collector more time than that saves.
 */
export const BASE64_TEXTS: { readonly types: pg.CustomTypesConfig } = {
  types: {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === VARCHAR
        ? (text: string) => Buffer.from(text, 'base64')
        : format === 'binary'
          ? types.getTypeParser(oid, 'binary')
          : types.getTypeParser(oid, 'text'),
  },
};
