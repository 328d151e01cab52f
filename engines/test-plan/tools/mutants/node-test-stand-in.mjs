// Takes the place of the module `node:test` in the process of a test file.
import module from 'node:module'

/**
 * Gives the modules that ask for `node:test` another one.
 *
 * @param standIn - what `require('node:test')` returns; its properties are the names that modules import
 * @param onFirst - called before the first module gets it
 */
export function replaceNodeTest(standIn, onFirst) {
  let isAsked = false
  const shared = Symbol.for('assay.node-test')
  Object.defineProperty(globalThis, shared, { value: standIn })
  const stem = new URL('node-test-facade', import.meta.url).href
  const found = 'globalThis[Symbol.for("assay.node-test")]'
  const sources = {
    [`${stem}.cjs`]: { format: 'commonjs', source: `module.exports = ${found}` },
    [`${stem}.mjs`]: {
      format: 'module',
      source: `const test = ${found}\nexport default test\n${Object.keys(standIn)
        .map((name) => `const $${name} = test.${name}\nexport { $${name} as ${name} }`)
        .join('\n')}`,
    },
  }
  module.registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== 'node:test') return next(specifier, context)
      const url = context.conditions?.includes('require') ? `${stem}.cjs` : `${stem}.mjs`
      return { url, format: sources[url].format, shortCircuit: true }
    },
    load(url, context, next) {
      if (!sources[url]) return next(url, context)
      if (!isAsked) onFirst()
      isAsked = true
      return { ...sources[url], shortCircuit: true }
    },
  })
}
