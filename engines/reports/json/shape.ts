import type { ReadOptions } from '../report.ts'

/**
 * Describes the parts of a JSON value to read. Everything else is skipped; null counts as missing, and every field may
 * be missing.
 */
export type Shape<T> = (
  | { kind: 'text'; max: number }
  | { kind: 'number' | 'flag' }
  | { kind: 'list'; of: Shape<unknown>; max: number; orFail: boolean }
  | { kind: 'each'; of: Shape<unknown>; take: (item: unknown, path: string, root: unknown) => void }
  | { kind: 'record'; fields: ReadonlyMap<string, Shape<unknown>> }
  | { kind: 'either'; shapes: readonly Shape<unknown>[] }
  | { kind: 'later'; shape: () => Shape<unknown> }
) & { readonly value?: T }

export type ValueOf<S> = S extends Shape<infer T> ? T : never
type Fields = Record<string, Shape<unknown>>
export type RecordOf<F extends Fields> = { [K in keyof F]?: ValueOf<F[K]> }

/** Plain text, cut to `max`. */
export const text = (max: number): Shape<string> => ({ kind: 'text', max })
export const number: Shape<number> = { kind: 'number' }
export const flag: Shape<boolean> = { kind: 'flag' }

/** Beyond `max` items, only the last item is kept. */
export const list = <T>(of: Shape<T>, max: number): Shape<T[]> => ({ kind: 'list', of, max, orFail: false })

/** More items than the maximum number of tests are an error. */
export const caseList = <T>(of: Shape<T>, { limits }: ReadOptions): Shape<T[]> => ({
  kind: 'list',
  of,
  max: limits.maxCases,
  orFail: true,
})

/**
 * A list of any length whose items are streamed. Its value is the number of items.
 *
 * @param take - also receives the path of the item, and the parts of the whole value that were read before
 */
export const each = <T>(of: Shape<T>, take: (item: T, path: string, root: unknown) => void): Shape<number> => ({
  kind: 'each',
  of,
  take: (item, path, root) => take(item as T, path, root),
})

export const record = <F extends Fields>(fields: F): Shape<RecordOf<F>> => ({
  kind: 'record',
  fields: new Map(Object.entries(fields)),
})

export const either = <A, B>(a: Shape<A>, b: Shape<B>): Shape<A | B> => ({ kind: 'either', shapes: [a, b] })

/** For shapes that contain themselves. */
export const later = <T>(shape: () => Shape<T>): Shape<T> => ({ kind: 'later', shape })

const kindNames = {
  text: ['text'],
  number: ['number'],
  flag: ['true or false'],
  list: ['list'],
  each: ['list'],
  record: ['object'],
}
export type JsonKind = 'text' | 'number' | 'true or false' | 'list' | 'object'

/** Returns the alternative of a shape for a value of this kind. */
export function alternative(shape: Shape<unknown>, kind: JsonKind): Shape<unknown> | undefined {
  if (shape.kind === 'either') {
    return shape.shapes.map((one) => alternative(one, kind)).find((found) => found !== undefined)
  }
  if (shape.kind === 'later') return alternative(shape.shape(), kind)
  return kindNames[shape.kind].includes(kind) ? shape : undefined
}

/** Describes the accepted kinds of a shape for messages. */
export function expectedKinds(shape: Shape<unknown>): string {
  if (shape.kind === 'either') return shape.shapes.map(expectedKinds).join(' or ')
  return shape.kind === 'later' ? expectedKinds(shape.shape()) : kindNames[shape.kind].join()
}
