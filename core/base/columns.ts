import type { EntitySchemaColumnOptions } from 'typeorm'

/** One column for each property of `T`, so that a missing or misspelled column does not compile. */
export type Columns<T> = Record<keyof T, EntitySchemaColumnOptions>

export const id = { type: 'text', primary: true } satisfies EntitySchemaColumnOptions
export const text = { type: 'text' } satisfies EntitySchemaColumnOptions
export const optionalText = { type: 'text', nullable: true } satisfies EntitySchemaColumnOptions
export const integer = { type: 'integer' } satisfies EntitySchemaColumnOptions
export const boolean = { type: 'boolean' } satisfies EntitySchemaColumnOptions
export const json = { type: 'jsonb' } satisfies EntitySchemaColumnOptions
export const optionalJson = { type: 'jsonb', nullable: true } satisfies EntitySchemaColumnOptions
export const time = { type: 'timestamptz' } satisfies EntitySchemaColumnOptions
export const optionalTime = { type: 'timestamptz', nullable: true } satisfies EntitySchemaColumnOptions
