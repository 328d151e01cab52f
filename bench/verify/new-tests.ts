import type { Verdict } from '../../engines/verdicts/schema.ts'

/** A source that no test reaches yet, and the test to verify. */
export interface NewTest {
  source: { path: string; text: string }
  test: { path: string; code: string }
  verdict: Verdict
}

export const nodeTest: NewTest = {
  verdict: 'accepted',
  source: {
    path: 'src/shipping.js',
    text: `export function shippingOf({ grams, cents, country }) {
  if (grams <= 0) throw new RangeError('a parcel weighs something')
  if (country !== 'home' && grams > 20_000) throw new RangeError('too heavy to go abroad')
  const base = country === 'home' ? 490 : 1_290
  const extra = grams > 5_000 ? Math.ceil((grams - 5_000) / 1_000) * 50 : 0
  if (country === 'home' && cents >= 5_000) return extra
  return base + extra
}

export function discountOf(cents, visits) {
  if (visits < 3) return 0
  const percent = visits >= 10 ? 10 : 5
  return Math.floor((cents * percent) / 100)
}

export function totalOf(parcel, visits) {
  return parcel.cents - discountOf(parcel.cents, visits) + shippingOf(parcel)
}
`,
  },
  test: {
    path: 'test/shipping.test.js',
    code: `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discountOf, shippingOf, totalOf } from '../src/shipping.js'

const parcel = { grams: 800, cents: 2_000, country: 'home' }
const prices = [
  [{}, 490],
  [{ country: 'abroad' }, 1_290],
  [{ cents: 5_000 }, 0],
  [{ cents: 4_999 }, 490],
  [{ cents: 5_000, country: 'abroad' }, 1_290],
  [{ grams: 5_000 }, 490],
  [{ grams: 5_001 }, 540],
  [{ grams: 7_500, cents: 6_000 }, 150],
  [{ grams: 20_000, country: 'abroad' }, 2_040],
  [{ grams: 20_001 }, 1_290],
]

for (const [change, price] of prices) {
  test(\`\${JSON.stringify(change)} costs \${price}\`, () => assert.equal(shippingOf({ ...parcel, ...change }), price))
}
test('has limits', () => {
  assert.throws(() => shippingOf({ ...parcel, grams: 0 }), /weighs something/)
  assert.throws(() => shippingOf({ ...parcel, grams: 20_001, country: 'abroad' }), /too heavy/)
})
test('the discount grows with visits', () => {
  assert.deepEqual([0, 2, 3, 9, 10].map((visits) => discountOf(1_999, visits)), [0, 0, 99, 99, 199])
})
test('the discount is taken off before shipping is added', () => assert.equal(totalOf(parcel, 10), 2_290))
`,
  },
}

export const vitestTest: NewTest = {
  verdict: 'accepted',
  source: {
    path: 'src/shipping.ts',
    text: `export interface Parcel {
  grams: number
  cents: number
  country: string
}

export function shippingOf({ grams, cents, country }: Parcel): number {
  if (grams <= 0) throw new RangeError('a parcel weighs something')
  if (country !== 'home' && grams > 20_000) throw new RangeError('too heavy to go abroad')
  const base = country === 'home' ? 490 : 1_290
  const extra = grams > 5_000 ? Math.ceil((grams - 5_000) / 1_000) * 50 : 0
  if (country === 'home' && cents >= 5_000) return extra
  return base + extra
}

export function discountOf(cents: number, visits: number): number {
  if (visits < 3) return 0
  const percent = visits >= 10 ? 10 : 5
  return Math.floor((cents * percent) / 100)
}

export function totalOf(parcel: Parcel, visits: number): number {
  return parcel.cents - discountOf(parcel.cents, visits) + shippingOf(parcel)
}
`,
  },
  test: {
    path: 'src/shipping.test.ts',
    code: `import { describe, expect, it } from 'vitest'
import { discountOf, shippingOf, totalOf } from './shipping.ts'

const parcel = { grams: 800, cents: 2_000, country: 'home' }

describe('shipping', () => {
  it('costs less at home, and nothing from 50 on', () => {
    expect(shippingOf(parcel)).toBe(490)
    expect(shippingOf({ ...parcel, country: 'abroad' })).toBe(1_290)
    expect(shippingOf({ ...parcel, cents: 5_000 })).toBe(0)
    expect(shippingOf({ ...parcel, cents: 4_999 })).toBe(490)
    expect(shippingOf({ ...parcel, cents: 5_000, country: 'abroad' })).toBe(1_290)
  })
  it('costs more for each kilogram above five', () => {
    expect(shippingOf({ ...parcel, grams: 5_000 })).toBe(490)
    expect(shippingOf({ ...parcel, grams: 5_001 })).toBe(540)
    expect(shippingOf({ ...parcel, grams: 7_500, cents: 6_000 })).toBe(150)
  })
  it('has limits', () => {
    expect(() => shippingOf({ ...parcel, grams: 0 })).toThrow('weighs something')
    expect(() => shippingOf({ ...parcel, grams: 20_001, country: 'abroad' })).toThrow('too heavy')
    expect(shippingOf({ ...parcel, grams: 20_000, country: 'abroad' })).toBe(2_040)
    expect(shippingOf({ ...parcel, grams: 20_001 })).toBe(1_290)
  })
})

describe('discount', () => {
  it('grows with visits', () => {
    expect([0, 2, 3, 9, 10].map((visits) => discountOf(1_999, visits))).toEqual([0, 0, 99, 99, 199])
  })
  it('is taken off before shipping is added', () => {
    expect(totalOf(parcel, 10)).toBe(2_290)
  })
})
`,
  },
}

/** Runs all of the code, and says little about it. */
export const weakTest: NewTest = {
  verdict: 'no_gain',
  source: vitestTest.source,
  test: {
    path: vitestTest.test.path,
    code: `import { expect, it } from 'vitest'
import { discountOf, shippingOf, totalOf } from './shipping.ts'

const parcel = { grams: 800, cents: 2_000, country: 'home' }

it('has a price', () => {
  for (const grams of [800, 5_001, 20_000]) {
    for (const country of ['home', 'abroad']) {
      for (const cents of [2_000, 5_000]) expect(shippingOf({ grams, cents, country })).toBeTypeOf('number')
    }
  }
  for (const grams of [0, 20_001]) expect(() => shippingOf({ ...parcel, grams, country: 'abroad' })).toBeTypeOf('function')
})
it('has a discount', () => {
  for (const visits of [0, 3, 10]) expect(discountOf(1_999, visits)).toBeTypeOf('number')
  expect(totalOf(parcel, 10)).toBeTypeOf('number')
})
`,
  },
}

export const pytestTest: NewTest = {
  verdict: 'accepted',
  source: {
    path: 'shop/shipping.py',
    text: `from math import ceil


def shipping_of(grams, cents, country):
    if grams <= 0:
        raise ValueError("a parcel weighs something")
    if country != "home" and grams > 20_000:
        raise ValueError("too heavy to go abroad")
    base = 490 if country == "home" else 1_290
    extra = ceil((grams - 5_000) / 1_000) * 50 if grams > 5_000 else 0
    if country == "home" and cents >= 5_000:
        return extra
    return base + extra


def discount_of(cents, visits):
    if visits < 3:
        return 0
    percent = 10 if visits >= 10 else 5
    return cents * percent // 100


def total_of(grams, cents, country, visits):
    return cents - discount_of(cents, visits) + shipping_of(grams, cents, country)
`,
  },
  test: {
    path: 'tests/test_shipping.py',
    code: `import pytest

from shop.shipping import discount_of, shipping_of, total_of


@pytest.mark.parametrize(
    "grams, cents, country, price",
    [
        (800, 2_000, "home", 490),
        (800, 2_000, "abroad", 1_290),
        (800, 5_000, "home", 0),
        (800, 4_999, "home", 490),
        (800, 5_000, "abroad", 1_290),
        (5_000, 2_000, "home", 490),
        (5_001, 2_000, "home", 540),
        (7_500, 6_000, "home", 150),
        (20_000, 2_000, "abroad", 2_040),
        (20_001, 2_000, "home", 1_290),
    ],
)
def test_price(grams, cents, country, price):
    assert shipping_of(grams, cents, country) == price


def test_limits():
    with pytest.raises(ValueError, match="weighs something"):
        shipping_of(0, 2_000, "home")
    with pytest.raises(ValueError, match="too heavy"):
        shipping_of(20_001, 2_000, "abroad")


def test_discount_grows_with_visits():
    assert [discount_of(1_999, visits) for visits in (0, 2, 3, 9, 10)] == [0, 0, 99, 99, 199]


def test_discount_is_taken_off_before_shipping_is_added():
    assert total_of(800, 2_000, "home", 10) == 2_290
`,
  },
}
