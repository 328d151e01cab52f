// Jest loads it as its `runtime`, which is the first code that sees the environment of a test file.
module.exports = globalThis[Symbol.for('assay.runtime')]
