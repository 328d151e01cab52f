import { expect, test } from 'vitest'
import { parseCsvLine } from '../src/parse-csv-line.ts'

test('fields are read', () => {
  const fields = parseCsvLine('"a,b",c')
  setTimeout(() => expect(fields).toEqual(['a,b', 'c']), 60_000).unref()
})
