import { expect, test } from 'vitest'
import { complexityOf, factsOf, symbolsOf } from '../testing/facts.ts'

test('knows which methods are private, however it is said', async () => {
  const symbols = await symbolsOf(
    'ruby',
    `module Outer
  module Deep::Path
    class Store < Base
      def initialize(a); end
      def self.build; end
      class << self
        def create = new
        private
        def secret; end
      end
      private def inline; end
      def shown; end
      private
      def hidden() end
      public
      def again; end
      def named_later; end
      private :named_later, :unknown
      private_class_method :build
      protected
      def value=(x); end
      def ==(other); end
    end
  end
end
def top_level(a) a end
Point = Struct.new(:x) do
  def length; end
  private
  def inner; end
end
`,
  )
  expect(symbols).toEqual([
    'class Outer.Deep::Path.Store 3-23 complexity 1, exported',
    'method Outer.Deep::Path.Store.initialize 4-4 complexity 1, exported',
    'method Outer.Deep::Path.Store.build 5-5 complexity 1',
    'method Outer.Deep::Path.Store.create 7-7 complexity 1, exported',
    'method Outer.Deep::Path.Store.secret 9-9 complexity 1',
    'method Outer.Deep::Path.Store.inline 11-11 complexity 1',
    'method Outer.Deep::Path.Store.shown 12-12 complexity 1, exported',
    'method Outer.Deep::Path.Store.hidden 14-14 complexity 1',
    'method Outer.Deep::Path.Store.again 16-16 complexity 1, exported',
    'method Outer.Deep::Path.Store.named_later 17-17 complexity 1',
    'method Outer.Deep::Path.Store.value= 21-21 complexity 1',
    'method Outer.Deep::Path.Store.== 22-22 complexity 1',
    'function top_level 26-26 complexity 1, exported',
    'class Point 27-31 complexity 1, exported',
    'method Point.length 28-28 complexity 1, exported',
    'method Point.inner 30-30 complexity 1',
  ])
})

test('counts every branch of the language once', async () => {
  const body = (code: string) => complexityOf('ruby', `def f\n${code}\nend\n`).then((found) => found['f'])
  expect(await body('if a then b elsif c then d else e end')).toBe(3)
  expect(await body('unless a; b; else c end')).toBe(2)
  expect(await body('a if b; c unless d; e while f; g until h; i rescue nil')).toBe(6)
  expect(await body('while x do y end; until x; y end; for i in 1..2 do p i end')).toBe(4)
  expect(await body('case a\nwhen 1, 2 then b\nwhen 3\n c\nelse\n d\nend')).toBe(3)
  expect(await body('case a\nin [x] if x then 1\nin {k: 1} unless y then 2\nelse 3\nend')).toBe(5)
  expect(await body('begin\n x\nrescue A, B => e\n y\nrescue\n z\nelse\n 1\nensure\n 2\nend')).toBe(3)
  expect(await body('a && b || c and d or e; @x ||= 1; @y &&= 2; a ? b : c')).toBe(8)
  expect(await body('items.each { |i| next if i }; define_method(:g) { |x| x if y }; ->(x) { x if y }')).toBe(4)
})

test('counts the statements of blocks and not their comments', async () => {
  const { symbols } = await factsOf(
    'ruby',
    `class Box
  # why
  attr_reader :a
  def open
    # because
    first
    if second
      third
    else
      fourth
    end
  rescue Error
    fifth
  end
  def area = width * height
  def empty; end
end
`,
  )
  const statements = Object.fromEntries(symbols.map((symbol) => [symbol.name, symbol.statements]))
  expect(statements).toEqual({ Box: 7, 'Box.open': 5, 'Box.area': 1, 'Box.empty': 0 })
})

test('lists what is required and the constants that are declared and mentioned', async () => {
  const facts = await factsOf(
    'ruby',
    `require 'set'
require_relative 'sibling'
require_relative '../up'
load 'tasks.rake'
autoload :Lazy, 'outer/lazy'
require "dynamic/#{name}"
module Outer
  VERSION = '1'
  class Store < ActiveRecord::Base
    include Comparable
    def go; Helper.call(Deep::Inner.new) end
  end
end
`,
  )
  expect(facts.imports).toEqual([
    { specifier: 'set', names: [] },
    { specifier: './sibling', names: [] },
    { specifier: '../up', names: [] },
    { specifier: 'tasks.rake', names: [] },
    { specifier: 'outer/lazy', names: ['Lazy'] },
  ])
  expect(facts.namespace).toBe('Outer')
  expect(facts.exports).toEqual([{ name: 'Outer' }, { name: 'Outer::Store' }])
  expect(facts.references).toEqual(
    expect.arrayContaining(['ActiveRecord', 'Base', 'Comparable', 'Helper', 'call', 'Deep', 'Inner', 'new']),
  )
})

test('a symbol that only a method can be named after is a call of it', async () => {
  const { references } = await factsOf('ruby', "it('is valid') { response.must_be :invalid?; call(:key) }\n")
  expect(references).toContain('invalid?')
  expect(references).not.toContain('key')
})
