import { describe, expect, it } from 'vitest'
import { parseCsvLine } from '../src/parse-csv-line.ts'

describe('a line of CSV', () => {
  it('has fields between commas, empty ones too', () => {
    expect(parseCsvLine('a,b,,')).toEqual(['a', 'b', '', ''])
    expect(parseCsvLine('')).toEqual([''])
  })
  it('keeps commas that are quoted', () => {
    expect(parseCsvLine('"a,b",c')).toEqual(['a,b', 'c'])
  })
  it('reads two quotes as one', () => {
    expect(parseCsvLine('"say ""hi""",x')).toEqual(['say "hi"', 'x'])
    expect(parseCsvLine('""')).toEqual([''])
  })
  it('refuses a quote that stays open', () => {
    expect(() => parseCsvLine('"a,b')).toThrow('a quote is not closed')
  })
})
