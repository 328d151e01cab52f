import { expect, test } from 'vitest'
import { parseSettings } from '../src/parse-settings.ts'

test('keys and values are trimmed', () => {
  expect(parseSettings('  host =  example.com \nport=80')).toEqual({ host: 'example.com', port: '80' })
})

test('a value may hold the sign, and be empty', () => {
  expect(parseSettings('query = a=b\nempty =')).toEqual({ query: 'a=b', empty: '' })
})

test('comments and empty lines are left out', () => {
  expect(parseSettings('# all\n\n  # of it\n')).toEqual({})
})

test('errors name the line', () => {
  expect(() => parseSettings('a = 1\nnonsense')).toThrow('line 2: expected key = value')
  expect(() => parseSettings('= 1')).toThrow('line 1: expected key = value')
  expect(() => parseSettings('a = 1\n\na = 2')).toThrow('line 3: a is there already')
})
