import { z } from 'zod'

export type JsonSchema = { type: 'object'; [keyword: string]: unknown }

/**
 * A schema as it is listed. Every client pays for it in tokens on every session, so what tells an agent nothing is
 * left out: the dialect, the bounds of strings and of what we return ourselves. Whoever breaks a bound is told.
 */
export function listedSchema(schema: z.ZodObject, io: 'input' | 'output', without: readonly string[] = []): JsonSchema {
  const shape = Object.fromEntries(Object.entries(schema.shape).filter(([name]) => !without.includes(name)))
  const { $schema: _, ...listed } = z.toJSONSchema(z.object(shape), {
    io,
    override: ({ jsonSchema }) => {
      for (const keyword of ['minLength', 'maxLength', 'pattern', 'propertyNames', 'maxItems'] as const) {
        delete jsonSchema[keyword]
      }
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      // An offset or an amount below nothing occurs to nobody.
      if (jsonSchema.minimum === 0) delete jsonSchema.minimum
      if (io === 'input') return
      delete jsonSchema.minimum
      delete jsonSchema.exclusiveMinimum
      // Whether a result may carry more is nothing that its reader acts on.
      delete jsonSchema.additionalProperties
    },
  })
  return { ...listed, type: 'object' }
}
