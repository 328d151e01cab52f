import { dirname, resolve } from 'node:path'
import { stdioServer } from '../core/system/connect.ts'
import type { StdioServer } from '../core/system/schema.ts'
import type { Assay } from './assay.ts'
import { sandboxHint } from './sandbox.ts'

const projectRoot = resolve(import.meta.dirname, '..')

/** The text that `npm start` prints: the addresses and the next step. */
export function welcome(assay: Assay, seconds: number): string {
  const { config, coreUrl, mcpUrl, tokenFile, signInLink, databaseDir } = assay
  const hint = sandboxHint(config, process.env['PATH'] ?? '')
  const lines = [
    '',
    `  Assay is ready (${seconds.toFixed(1)} s).`,
    '',
    `    API   ${coreUrl}`,
    `    MCP   ${mcpUrl}`,
    ...(config.local ? [`    Data  ${config.dataDir}`] : []),
    // As root, it is not in the data folder.
    ...(databaseDir === undefined || dirname(databaseDir) === config.dataDir ? [] : [`    Database ${databaseDir}`]),
    ...(tokenFile ? [`    Token ${tokenFile}`] : []),
    '',
    ...(hint === undefined ? [] : [`  ${hint}`, '']),
    ...(signInLink ? openBrowser(signInLink) : []),
    ...(config.local ? connectAgent(stdioServer(config, coreUrl)) : firstAccount(coreUrl)),
    '',
    '  Press Ctrl-C to stop.',
    '',
  ]
  return `${lines.join('\n')}\n`
}

const sameData = () => (process.env['DATA_DIR'] ? ', with the same DATA_DIR,' : '')

const firstAccount = (coreUrl: string) => [
  `  Next: create the first account at ${coreUrl}/sign-up, if you have none.`,
  '  To create an account and a token for programs, run npm run owner.',
]

const openBrowser = (signInLink: string) => [
  `  Open ${signInLink}`,
  `  (valid once, for 10 minutes; run npm run sign-in-link${sameData()} for a new one)`,
  '',
]

function connectAgent(server: StdioServer): string[] {
  return [
    '  Next: connect your coding agent. For Claude Code:',
    '',
    `    ${claudeCommand(server)}`,
    '',
    '  Any other MCP client:',
    '',
    ...JSON.stringify(mcpSnippet(server), null, 2)
      .split('\n')
      .map((line) => `    ${line}`),
    '',
    '  Then ask it: "What should I test in this repository?"',
    '',
    '  For the command line:',
    '',
    `    ${cliAlias(server)}`,
    '',
    '  To see an example first, run npm run demo in a second terminal.',
  ]
}

/** The command for Claude Code, which the README shows too. */
export function claudeCommand({ command, args, env }: StdioServer): string {
  const given = Object.entries(env).map(([name, value]) => `-e ${name}=${value} `)
  return `claude mcp add assay ${given.join('')}-- ${[command, ...args].join(' ')}`
}

/** The alias of the command line interface. */
function cliAlias({ command, env }: StdioServer): string {
  const given = Object.entries(env).map(([name, value]) => `${name}=${value} `)
  return `alias assay='${given.join('')}${command} ${resolve(projectRoot, 'cli/start.mjs')}'`
}

/** The configuration for other MCP clients, which the README shows too. */
export function mcpSnippet({ command, args, env }: StdioServer) {
  const settings = Object.keys(env).length > 0 ? { env } : {}
  return { mcpServers: { assay: { command, args, ...settings } } }
}
