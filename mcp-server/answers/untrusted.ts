import { z } from 'zod'
import { cleanLine, cleanName, cleanText, shorten } from '../../client/sanitize.ts'

/**
 * Output fields that hold text of strangers: repositories, receivers, AI providers, other users. The schema cleans and
 * cuts them, so that a tool returns what core says. `maxBytes` counts as `shorten` does.
 */
export const untrusted = {
  /** Prose in one line. */
  line: (maxBytes: number) => z.string().overwrite((text) => shorten(cleanLine(text), maxBytes)),
  /** A path, symbol or address, in which hidden characters stay visible as a mark. */
  name: (maxBytes: number) => z.string().overwrite((text) => shorten(cleanName(text), maxBytes)),
  /** Code, or several lines of output. */
  text: (maxBytes: number) => z.string().overwrite((text) => shorten(cleanText(text), maxBytes)),
}

type Maybe<Schema extends z.ZodType> = z.ZodOptional<z.ZodType<z.output<Schema>, z.input<Schema> | null>>

/** A field that is absent where its value is null or empty. */
export const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .transform((value) => (value === null || isEmpty(value) ? undefined : value))
    // The schema takes what it returns: it only cleans.
    .pipe(schema.optional() as never) as unknown as Maybe<Schema>

const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0)

/** A list of which only the beginning is shown. */
export const first = <Item extends z.ZodType>(count: number, item: Item) =>
  z.array(item).overwrite((items) => items.slice(0, count))
