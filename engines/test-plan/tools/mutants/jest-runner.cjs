// Jest loads it as its `runner`, perhaps through Babel, which would replace an `import()` that it can see.
// oxlint-disable-next-line no-implied-eval -- see above
const load = new Function('file', 'return import(file)')

module.exports = class {
  #globalConfig

  constructor(globalConfig) {
    this.#globalConfig = globalConfig
  }

  async runTests(tests) {
    const { href } = require('node:url').pathToFileURL(require('node:path').join(__dirname, 'jest-host.mjs'))
    const { tryTests } = await load(href)
    await tryTests(tests, this.#globalConfig)
  }
}
