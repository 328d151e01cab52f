import packageInfo from '../package.json' with { type: 'json' }
import { readMcpConfig, readMcpOptions, usage } from './config.ts'

const options = readMcpOptions(process.argv.slice(2))
const { config, problems } = readMcpConfig(process.env, options.problem === undefined ? options.flags : {})
const wrong = [...(options.problem === undefined ? [] : [options.problem]), ...problems]

if (options.mode === 'help') {
  process.stdout.write(`${usage}\n`)
} else if (options.mode === 'version') {
  process.stdout.write(`${packageInfo.version}\n`)
} else if (!config || wrong.length > 0) {
  process.stderr.write(`The MCP server did not start.\n${wrong.map((problem) => `  ${problem}\n`).join('')}`)
  process.exitCode = 2
} else if (options.mode === 'http') {
  const { runHttp } = await import('./http.ts')
  await runHttp(config)
} else {
  const { runStdio } = await import('./stdio.ts')
  runStdio(config)
}
