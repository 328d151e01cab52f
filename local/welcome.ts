import { dirname, resolve } from 'node:path'
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
    ...(config.local ? connectAgent(settingsFor(assay)) : firstAccount(coreUrl)),
    '',
    '  Press Ctrl-C to stop.',
    '',
  ]
  return `${lines.join('\n')}\n`
}

const command = process.execPath
const script = resolve(projectRoot, 'mcp-server/start.mjs')

const firstAccount = (coreUrl: string) => [
  `  Next: create the first account at ${coreUrl}/sign-up, if you have none.`,
  '  To create an account and a token for programs, run npm run owner.',
]

const openBrowser = (signInLink: string) => [
  `  Open ${signInLink}`,
  '  (valid once, for 10 minutes; run npm run sign-in-link for a new one)',
  '',
]

function connectAgent(settings: Record<string, string>): string[] {
  return [
    '  Next: connect your coding agent. For Claude Code:',
    '',
    `    ${claudeCommand(settings)}`,
    '',
    '  Any other MCP client:',
    '',
    ...JSON.stringify(mcpSnippet(settings), null, 2)
      .split('\n')
      .map((line) => `    ${line}`),
    '',
    '  Then ask it: "What should I test in this repository?"',
    '',
    '  For the command line:',
    '',
    `    ${cliAlias(settings)}`,
    '',
    '  To see an example first, run npm run demo in a second terminal.',
  ]
}

/** Settings that differ from the defaults of the clients. */
function settingsFor({ config, coreUrl }: Assay): Record<string, string> {
  return {
    ...(coreUrl === 'http://localhost:4000' ? {} : { SVC_BASE_URL: coreUrl }),
    ...(config.dataDir === resolve(projectRoot, '.data') ? {} : { DATA_DIR: config.dataDir }),
  }
}

/** The command for Claude Code, which the README shows too. */
export function claudeCommand(settings: Record<string, string>): string {
  const given = Object.entries(settings).map(([name, value]) => `-e ${name}=${value} `)
  return `claude mcp add assay ${given.join('')}-- ${command} ${script}`
}

/** The alias of the command line interface. */
function cliAlias(settings: Record<string, string>): string {
  const given = Object.entries(settings).map(([name, value]) => `${name}=${value} `)
  return `alias assay='${given.join('')}${command} ${resolve(projectRoot, 'cli/start.mjs')}'`
}

/** The configuration for other MCP clients, which the README shows too. */
export function mcpSnippet(settings: Record<string, string>) {
  const env = Object.keys(settings).length > 0 ? { env: settings } : {}
  return { mcpServers: { assay: { command, args: [script], ...env } } }
}
