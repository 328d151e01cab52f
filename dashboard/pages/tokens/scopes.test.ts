import { expect, test } from 'vitest'
import { scopeDescriptions } from '../../../core/base/schema.ts'
import { scopeTexts } from './scopes.ts'

test('the form for tokens explains scopes in the words of the reference', () => {
  expect(scopeTexts).toEqual(scopeDescriptions)
})
